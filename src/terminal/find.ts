/**
 * Finds the program behind a name the way exec would, and says beforehand what exec would only say as an exit code:
 * not there, not executable, a directory, a script whose interpreter is missing. Reads the file's first bytes only.
 */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';

export type Executable =
  | { ok: true; path: string }
  | { ok: false; why: 'missing' | 'not-executable' | 'directory' | 'bad-interpreter'; reason: string };

export interface WhereToLook {
  cwd: string;
  /** The agent's PATH, not ours. Absent: what exec falls back to. */
  path: string | undefined;
}

/** What glibc searches when PATH is not set. */
const PATH_UNSET = '/bin:/usr/bin';
/** The kernel reads this much of a `#!` line. */
const SHEBANG_BYTES = 256;

export function findExecutable(command: string, where: WhereToLook): Executable {
  if (command === '' || command.includes('\0')) {
    return { ok: false, why: 'missing', reason: 'the command is empty or not a file name' };
  }
  if (command.includes('/')) return judge(resolve(where.cwd, command), where);

  let refused: Executable | undefined;
  for (const dir of (where.path ?? PATH_UNSET).split(':')) {
    // An empty part of PATH means the current directory: the agent's, not ours.
    const seen = judge(join(resolve(where.cwd, dir || '.'), command), where);
    if (seen.ok || seen.why === 'bad-interpreter') return seen;
    // Like exec: go on searching, but remember the better explanation.
    if (seen.why === 'not-executable') refused ??= seen;
  }
  return refused ?? { ok: false, why: 'missing', reason: `${command} is not on PATH` };
}

function judge(path: string, where: WhereToLook): Executable {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return { ok: false, why: 'directory', reason: `${path} is a directory` };
    if (!stat.isFile()) return { ok: false, why: 'not-executable', reason: `${path} is not a regular file` };
  } catch (thrown) {
    const denied = (thrown as NodeJS.ErrnoException).code === 'EACCES';
    return denied
      ? { ok: false, why: 'not-executable', reason: `${path} cannot be reached: permission denied` }
      : { ok: false, why: 'missing', reason: `${path} does not exist` };
  }
  try {
    accessSync(path, constants.X_OK);
  } catch {
    // access() has one meaning when it fails: the right is missing.
    return { ok: false, why: 'not-executable', reason: `${path} is not executable` };
  }
  const missing = missingInterpreter(path, where);
  if (missing) {
    return { ok: false, why: 'bad-interpreter', reason: `${path} is a script for ${missing}, which is not there` };
  }
  return { ok: true, path };
}

function missingInterpreter(path: string, where: WhereToLook): string | undefined {
  const line = shebang(path);
  if (line === undefined) return undefined;
  const [interpreter = '', ...rest] = line.split(/[ \t]+/);
  if (interpreter === '' || !isRunnable(resolve(where.cwd, interpreter))) return interpreter || 'nothing';
  if (basename(interpreter) !== 'env') return undefined;
  // `#!/usr/bin/env node`, `#!/usr/bin/env -S node --flag`, `#!/usr/bin/env A=b node`.
  const program = rest.find((word) => !word.startsWith('-') && !word.includes('='));
  if (!program) return undefined;
  if (isAbsolute(program)) return isRunnable(program) ? undefined : program;
  const dirs = (where.path ?? PATH_UNSET).split(':');
  return dirs.some((dir) => isRunnable(join(resolve(where.cwd, dir || '.'), program))) ? undefined : program;
}

function shebang(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    const head = Buffer.alloc(SHEBANG_BYTES);
    const text = head.toString('latin1', 0, readSync(fd, head, 0, SHEBANG_BYTES, 0));
    if (!text.startsWith('#!')) return undefined;
    const line = text.slice(2).split('\n', 1)[0] ?? '';
    // A carriage return stays: it is part of the name the kernel looks for, and a common reason for failing.
    return line.replace(/^[ \t]+|[ \t]+$/g, '');
  } catch {
    // Executable but not readable is legal for binaries; exec will tell.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not ours to run: the same answer.
    return false;
  }
}
