/**
 * Where a file goes that an agent is to be started with, when the session's own disk takes nothing: a private folder in
 * memory, or among the temporary files. It goes with the host.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeWhole } from '../disk/index.js';

let spare: string | undefined;

/** Throws what the last disk tried has against it. */
export function writeSpare(name: string, text: string): string {
  const file = join(spareDir(), basename(name));
  writeWhole(file, text);
  return file;
}

function spareDir(): string {
  if (spare !== undefined) return spare;
  const made = ['/dev/shm', tmpdir()].reduce<string | undefined>((found, base) => found ?? attempt(base), undefined);
  if (made === undefined) throw new Error('no disk takes anything');
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  spare = made;
  return made;
}

function attempt(base: string): string | undefined {
  try {
    return mkdtempSync(join(base, 'reins-'));
  } catch {
    return undefined; // not there, or full as well
  }
}
