/** The journals of a world's sessions, read from disk as they grow. */
import { readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, EntryType } from '../../../src/contract/index.js';
import { until } from './wait.js';
import type { World } from './world.js';

export function sessions(world: World): string[] {
  try {
    return readdirSync(join(world.state, 'reins', 'sessions'));
  } catch {
    return []; // nothing was ever started here
  }
}

/** The id of the only session, as soon as it has one. */
export async function onlySession(world: World): Promise<string> {
  const [id, ...more] = await until('a session', () => {
    const all = sessions(world);
    return all.length > 0 ? all : undefined;
  });
  if (more.length > 0) throw new Error(`several sessions: ${[id, ...more].join(', ')}`);
  return id!;
}

export const sessionDir = (world: World, id: string): string => join(world.state, 'reins', 'sessions', id);

export function entries(world: World, id: string): Entry[] {
  let text: string;
  try {
    text = readFileSync(join(sessionDir(world, id), 'journal.jsonl'), 'utf8');
  } catch {
    return []; // not there yet
  }
  // The last line may be half written.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry);
}

type Of<T extends EntryType> = Extract<Entry, { type: T }>;

/** Bounds a hang only. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;

/** The first entry of a type, as soon as it is written. */
export async function entry<T extends EntryType>(
  world: World,
  type: T,
  options: { session?: string; is?: (entry: Of<T>) => boolean } = {},
): Promise<Of<T>> {
  const id = options.session ?? (await onlySession(world));
  const end = Date.now() + PATIENCE_MS;
  let woken: () => void = () => undefined;
  const watcher = watch(sessionDir(world, id), () => woken());
  try {
    for (;;) {
      const found = entries(world, id).find(
        (one): one is Of<T> => one.type === type && (options.is?.(one as Of<T>) ?? true),
      );
      if (found) return found;
      if (Date.now() > end) {
        const seen = entries(world, id).map((one) => JSON.stringify(one).slice(0, 200));
        throw new Error(`waited in vain for ${type} in session ${id}\n${seen.join('\n')}`);
      }
      await Promise.race([new Promise<void>((resolve) => (woken = resolve)), sleep(LOOK_EVERY_MS)]);
    }
  } finally {
    watcher.close();
  }
}

/** Every entry of a type, of the only session unless one is named. */
export async function all<T extends EntryType>(world: World, type: T, session?: string): Promise<Of<T>[]> {
  return entries(world, session ?? (await onlySession(world))).filter((one): one is Of<T> => one.type === type);
}
