/** `reins logs --host`, `--hub`: what the host of a session, or the hub, wrote about itself; `-f` goes on while it lives. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILES } from '../../disk/index.js';
import { runningHub } from '../../hub/local.js';
import { readPlainFile } from '../../journal/read.js';
import { type Place, placeOf } from '../../link/index.js';
import { defaultLogFile } from '../../log/index.js';
import type { Context } from '../context.js';
import { harmless } from '../table.js';

const LOOK_EVERY_MS = 300;

/** The host begins a new file at a tenth of this. */
const MOST_BYTES = 10 * 1024 * 1024;

export function hostLogs(context: Context, place: Place, { follow }: { follow: boolean }): Promise<number> {
  return tell(context, follow, {
    file: join(place.dir, FILES.log),
    isAlive: () => placeOf(context.env, place.id).alive,
    none: `The host of ${place.id} wrote no log: it was over at once, or is of an older version.`,
  });
}

/** Also of one that has ended: its file stays. */
export function hubLogs(context: Context, { follow }: { follow: boolean }): Promise<number> {
  return tell(context, follow, {
    file: defaultLogFile(context.env, 'hub'),
    isAlive: () => runningHub(context.env) !== undefined,
    none: 'No hub wrote a log here yet. Start one: reins serve',
  });
}

interface OwnLog {
  file: string;
  isAlive(): boolean;
  /** Said where there is none. */
  none: string;
}

async function tell(context: Context, follow: boolean, { file, isAlive, none }: OwnLog): Promise<number> {
  let isOver = !follow;
  const stop = () => {
    isOver = true;
  };
  process.once('SIGINT', stop);
  try {
    const old = show(context, `${file}.1`, 0);
    // Before it is read: what is written meanwhile comes with the next look.
    const { ino } = mark(file);
    const size = show(context, file, 0);
    if (old + size === 0 && isOver) {
      context.channels.chrome(none);
    }
    for (let at = { ino, size }; !isOver; ) {
      // Looked at before the file: what it says last is read once more.
      const lives = isAlive();
      const now = mark(file);
      if (now.ino !== at.ino) {
        show(context, `${file}.1`, at.size);
        at = { ...now, size: 0 };
      }
      // Read only when there is more: the hub's is long.
      if (now.size > at.size) at = { ...at, size: at.size + show(context, file, at.size) };
      if (!lives) break;
      await sleep(LOOK_EVERY_MS);
    }
    return 0;
  } finally {
    process.off('SIGINT', stop);
  }
}

function mark(file: string): { ino: number; size: number } {
  const found = statSync(file, { throwIfNoEntry: false });
  return { ino: found?.ino ?? 0, size: found?.size ?? 0 };
}

/** Whole lines from a place on; returns how many bytes they take. */
function show(context: Context, file: string, from: number): number {
  const bytes = readPlainFile(file, MOST_BYTES)?.subarray(from) ?? Buffer.alloc(0);
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  for (const line of whole.toString('utf8').split('\n').filter(Boolean)) {
    context.channels.out(`${context.channels.format === 'json' ? line : inWords(line)}\n`);
  }
  return whole.length;
}

function inWords(line: string): string {
  try {
    const { time, level, session: _, msg, room, ...facts } = JSON.parse(line) as Record<string, unknown>;
    const rest = Object.entries(facts).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    const head = [time, String(level).padEnd(5), ...(room === undefined ? [] : [`${room}:`]), msg];
    return harmless([...head, ...rest].join(' '));
  } catch {
    return harmless(line); // half a line of one that was killed
  }
}
