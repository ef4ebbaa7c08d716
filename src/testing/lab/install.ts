/**
 * Installs pinned agents into a cache outside any node_modules: `$XDG_CACHE_HOME/reins/lab/<name>-<version>`. Once, whole
 * or not at all (a folder appears by rename), and one at a time: a second installer waits for the first.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LabAgent, type Pinned, pinnedIn } from './versions.js';

export interface Installed {
  agent: LabAgent;
  version: string;
  /** The program to start. */
  program: string;
  /** The folder that was or is in the cache. */
  dir: string;
}

/** A large package on a slow line; beyond this npm is stuck. */
const INSTALL_MS = 10 * 60_000;
const LOOK_EVERY_MS = 200;

export function cacheDir(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'reins', 'lab');
}

/** Contract: throws an Error with npm's words if it cannot be installed; safe to call from several processes at once. */
export async function install(agent: LabAgent, env: NodeJS.ProcessEnv): Promise<Installed> {
  return { agent, ...(await installPinned(agent, pinnedIn(env, agent), env)) };
}

export async function installPinned(
  name: string,
  pinned: Pinned,
  env: NodeJS.ProcessEnv,
): Promise<Omit<Installed, 'agent'>> {
  const dir = join(cacheDir(env), `${name}-${pinned.version}`);
  const found = () => programIn(dir, pinned);
  if (!found()) await withLock(`${dir}.lock`, async () => found() || fetchInto(dir, { pinned, env }));
  const program = found();
  if (!program)
    throw new Error(
      `${pinned.package}@${pinned.version} was installed, but none of its programs is there: ${pinned.programs.join(', ')}`,
    );
  return { version: pinned.version, program, dir };
}

async function fetchInto(dir: string, given: { pinned: Pinned; env: NodeJS.ProcessEnv }): Promise<void> {
  const { package: name, version } = given.pinned;
  const temporary = `${dir}.new-${process.pid}`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  // A manifest of its own: otherwise npm looks for one in the folders above.
  writeFileSync(join(temporary, 'package.json'), '{"private":true}\n');
  try {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    await npm(['install', '--prefix', temporary, ...flags, `${name}@${version}`], given.env);
    if (!programIn(temporary, given.pinned))
      throw new Error(`${name}@${version} has no program for ${process.platform}-${process.arch}`);
    rmSync(dir, { recursive: true, force: true });
    renameSync(temporary, dir);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function npm(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((settle, fail) => {
    const child = spawn('npm', args, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      words = (words + chunk).slice(-4000);
    });
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0 ? settle() : fail(new Error(`npm ${args.at(-1)} failed (${code}): ${words.trim()}`)),
    );
  });
}

/** A lock is a folder, because making one is atomic; it names its owner, so that a dead owner's lock can be broken. */
async function withLock(lock: string, work: () => Promise<unknown> | unknown): Promise<void> {
  mkdirSync(join(lock, '..'), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (ownerIsDead(lock)) rmSync(lock, { recursive: true, force: true });
      else await sleep(LOOK_EVERY_MS);
    }
  }
  try {
    writeFileSync(join(lock, 'pid'), String(process.pid));
    await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function ownerIsDead(lock: string): boolean {
  try {
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'));
    if (!(pid > 0)) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // No pid yet: its owner is just writing it. ESRCH: there is no such process.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function programIn(dir: string, pinned: Pinned): string | undefined {
  return pinned.programs.map((pattern) => expand(dir, pattern.split('/'))).find((path) => path !== undefined);
}

function expand(dir: string, segments: string[]): string | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return existsSync(dir) ? dir : undefined;
  if (!segment.includes('*')) return expand(join(dir, segment), rest);
  if (!existsSync(dir)) return undefined;
  const [head = '', tail = ''] = segment.split('*');
  const names = readdirSync(dir).filter((name) => name.startsWith(head) && name.endsWith(tail));
  return names.map((name) => expand(join(dir, name), rest)).find((path) => path !== undefined);
}
