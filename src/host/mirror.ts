/**
 * A folder that stands in for an agent's own one: a link to everything in it, but for what would open our gate. What the
 * agent writes goes through the links to the user's files; clean-up takes links away, never what they lead to.
 */
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Mirror } from '../adapters/index.js';

/** Contract: may be made anew for the next start; what the agent itself made there stays, but for the names left out. */
export function makeMirror({ dir, of, without, folders, files }: Mirror): void {
  mkdirSync(of, { recursive: true, mode: 0o700 });
  for (const name of folders) mkdirSync(join(of, name), { recursive: true, mode: 0o700 });
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    if (lstatSync(path).isSymbolicLink()) unlinkSync(path);
    else if (without.includes(name)) rmSync(path, { recursive: true });
  }
  const kept = new Set([...readdirSync(dir), ...without]);
  for (const name of new Set([...readdirSync(of), ...files])) {
    if (!kept.has(name)) symlinkSync(join(of, name), join(dir, name));
  }
}
