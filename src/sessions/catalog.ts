/**
 * Which sessions may be alive, without a look into every one that ever was. The directories are the truth; the catalog is
 * a list of those that were found ended, so that they need not be looked at again. A host leaves a mark while it lives
 * (`liveMark`), for a session that is continued after it was listed. Missing, torn or wrong, the list costs time and
 * nothing else: what it does not know is looked at.
 */
import { appendFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../contract/index.js';
import { liveDir, stateDir, writeWhole } from '../disk/index.js';
import { readPlainFile } from '../journal/read.js';
import { type Place, placeOf, sessionNames } from '../link/index.js';
import { specOf } from './spec-file.js';

/** One that began so recently may just be starting; a mark without a host is then no leftover either. */
const SETTLED_MS = 60_000;

/** A list with so many more lines than there are sessions is written anew. */
const MOST_IDLE_LINES = 1000;

/** Hundreds of thousands of sessions. A longer list is not ours. */
const MOST_BYTES = 32 * 1024 * 1024;

const LINE = /^([A-Za-z0-9][A-Za-z0-9_-]*) (".*")$/;

const catalogFile = (env: Env): string => join(stateDir(env), 'ended');

export interface Catalog {
  /** Sessions that are alive, or whose host died, or of which nothing can be said; and those that have just ended. */
  looked: Place[];
  /** Those that ended earlier with their names, the oldest first. */
  ended: Map<string, string>;
}

/** Contract: reads no file of a session that is known to have ended, and opens no connection. */
export function catalog(env: Env): Catalog {
  const names = sessionNames(env);
  const { ended, lines } = readCatalog(env);
  const marked = marks(env);
  const looked = names.filter((id) => !ended.has(id) || marked.has(id)).map((id) => placeOf(env, id));
  for (const place of looked) if (!place.alive && !place.host) dropMark(env, place.id, marked);
  const there = new Set(names);
  for (const id of ended.keys()) if (!there.has(id) || marked.has(id)) ended.delete(id);
  const found = looked.flatMap((place) => settledLine(place, marked));
  if (lines > names.length + MOST_IDLE_LINES) rewrite(env, ended, found);
  else if (found.length > 0) quietly(() => appendFileSync(catalogFile(env), found.join(''), { mode: 0o600 }));
  return { looked, ended };
}

/** What is alive, what died, and what cannot be read: all that is not simply over. */
export const livingPlaces = (env: Env): Place[] =>
  catalog(env).looked.filter((place) => place.alive || place.host || place.barred);

/** For the list, if it is over for good: no host, nobody about to start one. */
function settledLine(place: Place, marked: Set<string>): string[] {
  if (place.alive || place.host || place.barred || marked.has(place.id)) return [];
  const spec = specOf(place);
  if (!spec || !(Date.now() - Date.parse(spec.created_at) > SETTLED_MS)) return [];
  return [`${place.id} ${JSON.stringify(spec.name)}\n`];
}

function readCatalog(env: Env): { ended: Map<string, string>; lines: number } {
  const ended = new Map<string, string>();
  let text = '';
  quietly(() => {
    text = readPlainFile(catalogFile(env), MOST_BYTES)?.toString('utf8') ?? '';
  });
  const lines = text.split('\n');
  for (const line of lines.slice(0, -1)) {
    const [, id, name] = LINE.exec(line) ?? [];
    if (id !== undefined) quietly(() => ended.set(id, JSON.parse(name!) as string));
  }
  return { ended, lines: lines.length };
}

function rewrite(env: Env, ended: Map<string, string>, found: string[]): void {
  const lines = [...ended].map(([id, name]) => `${id} ${JSON.stringify(name)}\n`);
  quietly(() => writeWhole(catalogFile(env), [...lines, ...found].join('')));
}

/** Hosts that live say so themselves. */
function marks(env: Env): Set<string> {
  const found = new Set<string>();
  quietly(() => {
    for (const name of readdirSync(liveDir(env))) found.add(name);
  });
  return found;
}

/** A host that was killed between its mark and its file. One that lives makes its mark again. */
function dropMark(env: Env, id: string, marked: Set<string>): void {
  if (!marked.has(id)) return;
  const file = join(liveDir(env), id);
  quietly(() => {
    if (Date.now() - statSync(file).mtimeMs > SETTLED_MS) rmSync(file, { force: true });
  });
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Without the list and the marks everything is looked at: slower, not wrong.
  }
}
