/**
 * Which config files there are, and their text. The only file of this room that reads configuration from disk. The
 * project's file is looked for from the working directory up to the repository's root, never above the home directory.
 */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type Env, ReinsError, unreadableBecause } from '../contract/index.js';

/** Bytes; a config is a page or two, and the parser needs about a second for this much of the worst kind. */
const LARGEST = 256 * 1024;

function homeOf(env: Env): string {
  return env.HOME && isAbsolute(env.HOME) ? env.HOME : homedir();
}

/** A directory of the XDG standard; values that are not absolute are ignored, as the standard says. */
export function xdgDir(env: Env, which: { name: 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME'; fallback: string }): string {
  const set = env[which.name];
  return join(set && isAbsolute(set) ? set : join(homeOf(env), which.fallback), 'reins');
}

export function userConfigFile(env: Env): string {
  return join(xdgDir(env, { name: 'XDG_CONFIG_HOME', fallback: '.config' }), 'config.yml');
}

/** ralph's own file for the user; read below a ralph.yml and nowhere else. */
export function ralphUserFile(env: Env): string {
  return join(homeOf(env), '.ralph', 'config.yml');
}

export interface ProjectFile {
  file: string;
  kind: 'reins' | 'ralph';
}

/** The nearest reins.yml; a ralph.yml only where there is no reins.yml at all. */
export function findProjectFile(cwd: string, env: Env): ProjectFile | undefined {
  const folders = foldersUp(cwd, homeOf(env));
  for (const kind of ['reins', 'ralph'] as const) {
    const file = folders.map((folder) => join(folder, `${kind}.yml`)).find(isThere);
    if (file) return { file, kind };
  }
  return undefined;
}

function foldersUp(cwd: string, home: string): string[] {
  const folders: string[] = [];
  // A working directory has its links resolved, HOME need not.
  const homes = [resolve(home), existsSync(home) ? realpathSync(home) : home];
  for (let at = resolve(cwd); ; at = dirname(at)) {
    folders.push(at);
    if (existsSync(join(at, '.git')) || homes.includes(at) || at === dirname(at)) return folders;
  }
}

/** A dangling link counts as there: someone meant a file to be read, so say that it cannot be. */
export function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder we may not look into, or a path that is none: nobody can have meant us to read it
  }
}

/** `ralph.yml`, `my-ralph.yaml`, `ralph.bot.yml`, `~/.ralph/config.yml`: a file for ralph, by its name. */
const FOR_RALPH = /(ralph|(^|\/)ralph[._-][^/]*|(^|\/)\.ralph\/config)\.ya?ml$/;

/** The name of a `-c FILE` as a project file. */
export function explicitProjectFile(file: string, cwd: string): ProjectFile {
  const whole = resolve(cwd, file);
  return { file: whole, kind: FOR_RALPH.test(whole) ? 'ralph' : 'reins' };
}

/** A path as a person in `cwd` would name it. */
export function displayPath(file: string, cwd: string): string {
  const near = relative(cwd, file);
  return near === '' || near.startsWith('..') ? file : near;
}

/**
 * Contract: text, or a ReinsError CONFIG_UNREADABLE; never more than LARGEST bytes are read, whatever the file is. A
 * pipe is read only where the user `named` it (`-c <(…)`): one lying in a repository would hold us for ever.
 */
export function readConfigText(file: string, origin: 'found' | 'named'): string {
  const bytes = Buffer.alloc(LARGEST + 1);
  let length = 0;
  try {
    const fd = openSync(file, origin === 'found' ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY);
    try {
      const stat = fstatSync(fd);
      if (stat.isDirectory()) throw new Error('it is a directory');
      if (!stat.isFile() && !(stat.isFIFO() && origin === 'named')) throw new Error('it is not a regular file');
      // Not by its size: a pipe (`-c <(…)`) has none.
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = readSync(fd, bytes, length, bytes.length - length, null);
      }
    } finally {
      closeSync(fd);
    }
    if (length > LARGEST) throw new Error(`it is larger than ${LARGEST / 1024} KB`);
    if (bytes.subarray(0, length).includes(0)) throw new Error('it is not text');
  } catch (error) {
    throw new ReinsError('CONFIG_UNREADABLE', { file, reason: unreadableBecause(error) }, { cause: error });
  }
  return bytes.toString('utf8', 0, length).replace(/^\uFEFF/, '');
}
