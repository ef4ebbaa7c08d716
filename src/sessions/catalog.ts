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
import { isSession, type Place, placeOf, sessionFiles } from '../link/index.js';
import { specOf } from './spec-file.js';

/** One that began so recently may just be starting; a mark without a host is then no leftover either. */
const SETTLED_MS = 60_000;

/** A list with so many more lines than there are sessions is written anew. */
const MOST_IDLE_LINES = 1000;

/** Hundreds of thousands of sessions. A longer list is not ours. */
const MOST_BYTES = 32 * 1024 * 1024;

const catalogFile = (env: Env): string => join(stateDir(env), 'ended');

export interface Catalog {
  /** Sessions that are alive, or whose host died, or of which nothing can be said; and those that have just ended. */
  looked: Place[];
  /** Those that ended earlier. */
  ended: EndedSessions;
}

/** The list, by id and as it stands there: a name is made out when somebody asks for it. */
export class EndedSessions {
  readonly #lines: ReadonlyMap<string, string>;
  readonly #isHidden: (id: string) => boolean;

  /** `isHidden`: listed, but gone, or to be looked at. */
  constructor(lines: ReadonlyMap<string, string>, isHidden: (id: string) => boolean) {
    this.#lines = lines;
    this.#isHidden = isHidden;
  }

  /** Ids of that name, the newest first. */
  named(name: string): string[] {
    const wanted = JSON.stringify(name);
    return this.#newest((_id, quoted) => quoted === wanted);
  }

  /** The newest first. */
  beginningWith(start: string, most: number): { id: string; name: string }[] {
    const ids = this.#newest((id) => id.startsWith(start));
    return ids.slice(0, most).map((id) => ({ id, name: unquoted(this.#lines.get(id)!) }));
  }

  #newest(isWanted: (id: string, quoted: string) => boolean): string[] {
    const found = [...this.#lines].flatMap(([id, quoted]) => (isWanted(id, quoted) && !this.#isHidden(id) ? [id] : []));
    return found.reverse();
  }
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return '?'; // somebody else's line
  }
}

/**
 * Contract: reads no file of a session that is known to have ended, and opens no connection. `isFollowed`: known to live, and
 * so left out: whoever holds a link to it need not ask the disk.
 */
export function catalog(env: Env, isFollowed: (id: string) => boolean = () => false): Catalog {
  const files = sessionFiles(env);
  const { listed, lines } = readCatalog(env);
  const marked = marks(env);
  const looked = files
    .filter((id) => (!listed.has(id) || marked.has(id)) && !isFollowed(id) && isSession(env, id))
    .map((id) => placeOf(env, id));
  for (const place of looked) if (!place.alive && !place.host) dropMark(env, place.id, marked);
  const found = looked.flatMap((place) => settledLine(place, marked));
  // Thousands, and mostly wanted by nobody.
  let there: Set<string> | undefined;
  const isHidden = (id: string) => {
    there ??= new Set(files);
    return marked.has(id) || !there.has(id);
  };
  if (lines > files.length + MOST_IDLE_LINES) rewrite(env, { listed, isHidden, found });
  else if (found.length > 0) quietly(() => appendFileSync(catalogFile(env), found.join(''), { mode: 0o600 }));
  return { looked, ended: new EndedSessions(listed, isHidden) };
}

/** What is alive, what died, and what cannot be read: all that is not simply over. */
export const livingPlaces = (env: Env, isFollowed?: (id: string) => boolean): Place[] =>
  catalog(env, isFollowed).looked.filter((place) => place.alive || place.host || place.barred);

/** For the list, if it is over for good: no host, nobody about to start one. */
function settledLine(place: Place, marked: Set<string>): string[] {
  if (place.alive || place.host || place.barred || marked.has(place.id)) return [];
  const spec = specOf(place);
  if (!spec || !(Date.now() - Date.parse(spec.created_at) > SETTLED_MS)) return [];
  return [`${place.id} ${JSON.stringify(spec.name)}\n`];
}

function readCatalog(env: Env): { listed: Map<string, string>; lines: number } {
  const listed = new Map<string, string>();
  let text = '';
  quietly(() => {
    text = readPlainFile(catalogFile(env), MOST_BYTES)?.toString('utf8') ?? '';
  });
  const lines = text.split('\n');
  lines.pop();
  for (const line of lines) {
    // `ID "NAME"`. What is none names no session either, or one that is looked at when it is wanted.
    const space = line.indexOf(' "');
    if (space > 0 && line.length > space + 2 && line.endsWith('"'))
      listed.set(line.slice(0, space), line.slice(space + 1));
  }
  return { listed, lines: lines.length };
}

interface Renewed {
  listed: Map<string, string>;
  isHidden(id: string): boolean;
  found: string[];
}

function rewrite(env: Env, { listed, isHidden, found }: Renewed): void {
  const still = [...listed].filter(([id]) => !isHidden(id));
  const lines = still.map(([id, quoted]) => `${id} ${quoted}\n`);
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
