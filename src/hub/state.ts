/**
 * Where the hub keeps what belongs to the machine: `$XDG_STATE_HOME/reins/hub/`, for its user alone, each file written whole.
 * The command line reads and writes the same files, so that a device can be let out also when no hub runs.
 */
import { linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Env, newViewerId, ReinsError } from '../contract/index.js';
import { DISK_REFUSES, makeDir, stateDir, writeWhole } from '../disk/index.js';
import { readPlainFile } from '../journal/read.js';
import { isAlive, statOf } from '../proc/index.js';

export const hubDir = (env: Env): string => join(stateDir(env), 'hub');

/** Ours are a few hundred bytes; a longer one is not read. */
const MOST_BYTES = 1024 * 1024;

/** Contract: throws STATE_DIR. */
export function makeHubDir(env: Env, ...below: string[]): string {
  const dir = join(hubDir(env), ...below);
  try {
    makeDir(dir);
  } catch (error) {
    throw new ReinsError('STATE_DIR', { dir, reason: (error as Error).message }, { cause: error });
  }
  return dir;
}

/** Undefined where there is none, or one that is no JSON of ours. */
export function readState(file: string): unknown {
  try {
    return JSON.parse(readPlainFile(file, MOST_BYTES)?.toString('utf8') ?? '');
  } catch {
    return undefined; // missing or torn: whoever asks goes on as if it were not there, and lets nobody in
  }
}

/** Contract: throws STATE_DIR where the disk takes nothing. */
export const writeState = (file: string, value: unknown): void => writeText(file, `${JSON.stringify(value)}\n`);

export const writeText = (file: string, text: string): void => onDisk(dirname(file), () => writeWhole(file, text));

/** A disk that is full, read-only or somebody else's is no fault of ours, and said as what it is. */
export function onDisk<T>(dir: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!DISK_REFUSES.has(code)) throw error;
    throw new ReinsError('STATE_DIR', { dir, reason: message }, { cause: error });
  }
}

/** The hub that runs, as its file says. */
export interface RunningHub {
  pid: number;
  start_ticks: number;
  version: string;
  started_at: string;
  /** Where it listens, and how it is reached from outside if something stands before it. */
  address: string;
  url: string;
}

const lockFile = (env: Env): string => join(hubDir(env), 'hub.json');

/** The hub of this user on this machine, if one runs. */
export const runningHub = (env: Env): RunningHub | undefined => livingHub(lockFile(env));

function livingHub(file: string): RunningHub | undefined {
  const said = readState(file) as Partial<RunningHub> | undefined;
  if (typeof said?.pid !== 'number' || typeof said.start_ticks !== 'number') return undefined;
  return isAlive(said.pid, said.start_ticks) ? (said as RunningHub) : undefined;
}

/** Contract: throws HUB_RUNNING. Gives back what must be called when it ends; `says` is called once it listens. */
export function claimHub(env: Env, about: Pick<RunningHub, 'version' | 'started_at'>): HubClaim {
  const file = lockFile(env);
  makeHubDir(env);
  const mine = `${file}.${newViewerId()}`;
  const me = { pid: process.pid, start_ticks: statOf('self')?.startTicks ?? 0, ...about };
  writeState(mine, { ...me, address: '', url: '' });
  try {
    for (let tries = 0; ; tries += 1) {
      const other = runningHub(env);
      if (other) throw running(other);
      try {
        linkSync(mine, file); // with its content, or not at all
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 5) throw error;
        if (!runningHub(env)) discard(file, `${mine}.dead`);
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    says: (where) => writeState(file, { ...me, ...where }),
    release: () => {
      if (runningHub(env)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** A dead hub's. Two may find the same one: taken away first and looked at again, a living one's is put back. */
function discard(file: string, aside: string): void {
  try {
    renameSync(file, aside);
    if (livingHub(aside)) linkSync(aside, file);
  } catch {
    // Another was faster: the next look tells.
  }
  rmSync(aside, { force: true });
}

export interface HubClaim {
  says(where: Pick<RunningHub, 'address' | 'url'>): void;
  release(): void;
}

const running = ({ pid, address }: RunningHub): ReinsError =>
  new ReinsError('HUB_RUNNING', { pid, address: address || 'an address it has not told yet' });
