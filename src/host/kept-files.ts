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

/** A shell script that runs a program of ours; `gone` is what it does when Node is not there any more. */
export function launcherOf(program: string, gone: { say: string; exit: number }): string {
  // Never a Node found by its name: what is first on PATH may be a file of the agent's.
  const nodes = [process.execPath, ...(process.platform === 'linux' ? [`/proc/${process.pid}/exe`] : [])];
  return `#!/bin/sh
for node in ${nodes.map(quoted).join(' ')}; do
  [ -x "$node" ] && exec "$node" ${quoted(program)} "$@"
done
echo 'Reins: Node is gone from ${process.execPath.replaceAll("'", '')}; ${gone.say}.' >&2
exit ${gone.exit}
`;
}

export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
