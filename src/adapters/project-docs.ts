/**
 * A repository's instructions for agents (AGENTS.md, GEMINI.md), read on behalf of an agent that is told not to trust the
 * folder and would therefore leave them out. They are words for the model and nothing else; a link that leads out of the
 * repository is not followed, because its content would be told to the model without anybody's leave.
 */
import { dirname, join, relative, sep } from 'node:path';
import type { Look } from './adapter.js';

/** As much as codex itself reads of them. */
const MOST_BYTES = 32 * 1024;

export interface ProjectDocs {
  /** Empty where there are none. */
  text: string;
  /** Paths as they were asked for, outermost first. */
  files: string[];
}

/** From the repository's root down to `cwd`; of each folder the first name that is there. */
export function projectDocs(given: { cwd: string; names: readonly string[]; look: Look }): ProjectDocs {
  const { cwd, names, look } = given;
  const folders = foldersTo(cwd, look);
  const root = look.real(folders[0]!);
  const files: string[] = [];
  const texts: string[] = [];
  let left = MOST_BYTES;
  for (const folder of folders) {
    const there = names.map((name) => join(folder, name)).find((file) => root && isInside(look.real(file), root));
    const text = there === undefined ? undefined : readable(there, look);
    if (there === undefined || text === undefined || text.trim() === '') continue;
    const bytes = Buffer.from(text);
    texts.push(`# ${there}\n\n${bytes.subarray(0, left).toString('utf8')}`);
    files.push(there);
    left -= Math.min(left, bytes.length);
    if (left === 0) break;
  }
  return { text: texts.join('\n\n'), files };
}

/** The folders above `cwd` and itself, outermost first: from the repository's root, or `cwd` alone outside of one. */
export function foldersTo(cwd: string, look: Look): string[] {
  const above = ancestors(cwd);
  const root = above.find((folder) => look.names(folder).includes('.git'));
  return root === undefined ? [cwd] : above.slice(0, above.indexOf(root) + 1).reverse();
}

/** `path` and everything above it, innermost first. */
export function ancestors(path: string): string[] {
  const all = [path];
  for (let next = dirname(path); next !== all.at(-1); next = dirname(next)) all.push(next);
  return all;
}

function readable(file: string, look: Look): string | undefined {
  try {
    return look.text(file);
  } catch {
    return undefined; // Instructions that cannot be read are not given; the agent itself would leave them out too.
  }
}

function isInside(path: string | undefined, root: string): boolean {
  if (path === undefined) return false;
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
