/** Files an agent was started with. Whoever removes the session's directory takes them too; they are put back with it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface KeptFile {
  path: string;
  content: string;
  mode?: number;
}

const kept = new Map<string, KeptFile>();

/** Throws what the disk says. One that is there as it should be is left alone: on a full disk it would be emptied first. */
export function keepFile(file: KeptFile): void {
  kept.set(file.path, file);
  if (isThere(file)) return;
  mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
  writeFileSync(file.path, file.content, { mode: file.mode ?? 0o600 });
}

/** Those below this directory. */
export function putBack(dir: string): void {
  for (const file of kept.values()) if (file.path.startsWith(join(dir, '/'))) keepFile(file);
}

function isThere({ path, content }: KeptFile): boolean {
  try {
    return readFileSync(path, 'utf8') === content;
  } catch {
    return false; // not there, or not to be read: writing it tells
  }
}
