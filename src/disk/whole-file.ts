/**
 * A small file that is replaced whole or not at all: written beside and renamed. A disk that is full otherwise leaves
 * nothing of the file that was there: it is emptied first, and then refuses. Nothing is left beside it either.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a disk says that is full, read-only, somebody else's or broken: no fault of the host's. */
export const DISK_REFUSES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EIO']);

export function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    forget(draft);
    throw error;
  }
}

/** With its parents. Node itself says "no such file" of a disk that is read-only: here it is what the disk said. */
export function makeDir(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(dir) === dir) throw error;
    makeDir(dirname(dir));
    makeLast(dir);
  }
}

/** Node's own way to make parents too never ends where a file system makes nothing, as in /proc. */
function makeLast(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another may have been faster
  }
}

/** What could not be begun leaves nothing behind, where the disk lets us. */
export function forget(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A disk that takes nothing does not take this either; whoever called says what is wrong with it.
  }
}
