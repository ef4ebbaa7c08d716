/** Values that must not reach a consulted model: of secret variables, of `.env` files in the project, and told to us as secret. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { envFileSecrets, secretValue } from '../../consult/index.js';
import type { Env } from '../../contract/index.js';
import { readPlainFile } from '../../journal/read.js';
import { workingTreeOf } from '../../proc/repository.js';

const LARGEST_ENV_FILE = 256 * 1024;
const MOST_ENV_FILES = 50;
const MOST_FOLDERS = 300;
/** Below the folder of the session: packages of a repository have files of their own. */
const DEEPEST = 3;
const NOT_OURS = new Set(['node_modules', '.git', 'dist', 'build', 'target', 'vendor', '.venv', 'venv']);

export function knownSecrets(of: { env: Env; cwd: string; given?: Iterable<string> }): string[] {
  const variables = Object.entries(of.env).flatMap(([name, value]) => secretValue(name, value ?? '') ?? []);
  return [...(of.given ?? []), ...variables, ...envFiles(of.cwd).flatMap(secretsOf)];
}

function secretsOf(file: string): string[] {
  try {
    // Looked at once it is open, and opened without waiting: the agent may put a pipe in its place at any moment.
    return envFileSecrets(readPlainFile(file, LARGEST_ENV_FILE)?.toString() ?? '');
  } catch {
    return []; // no file, too large, or not ours to read: then it is nobody's source either
  }
}

/** In the folder, below it, and above it up to the working tree's top. */
function envFiles(cwd: string): string[] {
  const found: string[] = [];
  let folders = 0;
  const look = (folder: string, deeper: number) => {
    if (folders++ >= MOST_FOLDERS || found.length >= MOST_ENV_FILES) return;
    for (const entry of entriesOf(folder)) {
      const isEnv = /^\.env|\.env$/i.test(entry.name);
      if (isEnv && !entry.isDirectory()) found.push(join(folder, entry.name));
      else if (entry.isDirectory() && deeper > 0 && !NOT_OURS.has(entry.name))
        below.push([join(folder, entry.name), deeper - 1]);
    }
  };
  // Broad before deep: what is near is found first.
  const below: [folder: string, deeper: number][] = [[cwd, DEEPEST]];
  const top = workingTreeOf(cwd)?.top;
  for (let at = cwd; top !== undefined && at !== top && at !== dirname(at); ) {
    at = dirname(at);
    look(at, 0);
  }
  for (let next = below.shift(); next; next = below.shift()) look(...next);
  return found.slice(0, MOST_ENV_FILES);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
