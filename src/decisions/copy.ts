/**
 * `.reins/decisions.jsonl` in the project: the same lines for people to read. Whatever stands there decides nothing. It is
 * written only into a folder of the project's own: a link that somebody put in its place would have us write elsewhere.
 */
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { appendLine, linesIn } from './files.js';

const FOLDER = '.reins';
const NAME = 'decisions.jsonl';

/** Bytes: a copy that has grown so large is left as it is. */
const LARGEST = 4 * 1024 * 1024;

/** Throws why it could not be written; never makes the project's own folder. */
export function appendCopy(root: string, line: string): void {
  inFolder(root, true, (dir) => appendLine(join(dir, NAME), line, LARGEST));
}

export const copyLines = (root: string): string[] => {
  try {
    return inFolder(root, false, (dir) => linesIn(join(dir, NAME), LARGEST)) ?? [];
  } catch {
    return []; // a link or a file in the folder's place: there is no copy
  }
};

/** Holds the folder open meanwhile, and goes through that where the system lets us: nobody can exchange it in between. */
function inFolder<T>(root: string, make: boolean, use: (dir: string) => T): T | undefined {
  const dir = join(root, FOLDER);
  if (!existsSync(dir)) {
    if (!make) return undefined;
    mkdirSync(dir, { mode: 0o755 });
  }
  if (!lstatSync(dir).isDirectory()) throw new Error(`${FOLDER} is not a folder of the project’s own`);
  const fd = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const held = `/proc/self/fd/${fd}`;
    return use(existsSync(held) ? held : dir);
  } finally {
    closeSync(fd);
  }
}
