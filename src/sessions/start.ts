/**
 * Starts a session: its directory, its start facts on disk, then the host. One path for foreground, detached, `exec`
 * and `run`; what differs is in the spec. A face of this room of its own, for who must start fast: it loads what starts a
 * session and reaches it, nothing else.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quickConfig } from '../config/quick.js';
import { NAMESPACE_VARIABLE, newSessionId, ReinsError, SESSION_MARK, type SessionId } from '../contract/index.js';
import { FILES, forget, lastWordsFile, makeDir, writeWhole } from '../disk/index.js';
import type { Seat, SessionSpec, Task } from '../host/index.js';
import type { BegunHost } from '../link/begin.js';
import { type Place, placeOf, sessionDir, startHost } from '../link/index.js';
import { findExecutable } from '../terminal/find.js';
import { DIED, freeName } from './find.js';
import type { Where } from './where.js';

export { connectTo, freeName } from './find.js';
export { UNSEEN } from './spec-file.js';

export const hostProgram = fileURLToPath(new URL('../host/main.js', import.meta.url));

/** Before anything is started: a clear error instead of an agent in the wrong place. */
const BARRED: Record<string, string> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission denied',
};

export function checkCwd(dir: string): void {
  try {
    if (!statSync(dir).isDirectory()) throw new Error('it is not a directory');
    accessSync(dir, constants.X_OK);
  } catch (thrown) {
    const error = thrown as NodeJS.ErrnoException;
    const reason = BARRED[error.code ?? ''] ?? error.message;
    throw new ReinsError('CWD_INACCESSIBLE', { dir, reason }, { cause: error });
  }
}

/** A spec before it has a place. */
export interface NewSpec extends Omit<Task, 'prompt_file'> {
  seat: Seat;
}

/** A host that was begun before anything was known but the session's name. */
export interface HostAhead {
  id: SessionId;
  host: BegunHost;
}

/** Asked for it once, when nothing can go wrong any more: one that is not taken ends by itself. */
export type TakeAhead = () => HostAhead | undefined;

export interface PromptGiven {
  prompt?: string | undefined;
  ahead?: TakeAhead | undefined;
}

/** Makes the directory and the host. Contract: returns when the host answers, or throws with the reason. */
export async function openSession(where: Where, spec: NewSpec, given: PromptGiven = {}): Promise<Place> {
  const { prompt } = given;
  // One begun ahead has the environment of its beginner, and with it the mark that this one left there.
  const ahead = withMark(where.env, spec) === where.env ? given.ahead?.() : undefined;
  const id = ahead?.id ?? newSessionId();
  const dir = sessionDir(where.env, id);
  const isNew = !existsSync(dir);
  try {
    makeDir(join(dir, FILES.prompts));
    if (prompt !== undefined) writeWhole(join(dir, FILES.prompts, 'prompt.md'), prompt);
    const whole: SessionSpec = {
      v: 1,
      created_at: new Date().toISOString(),
      reins: where.version,
      ...(prompt === undefined ? {} : { prompt_file: join(dir, FILES.prompts, 'prompt.md') }),
      ...spec,
      id,
    };
    writeWhole(join(dir, FILES.spec), `${JSON.stringify(whole, null, 1)}\n`);
  } catch (error) {
    if (isNew) forget(dir);
    throw new ReinsError('STATE_DIR', { dir, reason: (error as Error).message }, { cause: error });
  }
  const { starter } = await startHost({
    program: hostProgram,
    dir,
    env: withMark(where.env, spec),
    lastWords: lastWordsFile(where.env, id),
    begun: ahead?.host,
  }).catch((error: unknown) => {
    // It never began: a session that was not, and that nobody could continue.
    if (isNew && (error as ReinsError).code === 'STATE_DIR') forget(dir);
    throw error;
  });
  const place = placeOf(where.env, id);
  if (!place.alive && place.host) throw new ReinsError('HOST_LOST', { session: id, reason: DIED });
  return { ...place, starter };
}

/** With the mark of the session above, whatever an agent made of it: a stop up there finds this one by it. */
export function withMark(env: Where['env'], { parent }: Pick<Task, 'parent'>): Where['env'] {
  return parent === undefined || env[SESSION_MARK] === parent ? env : { ...env, [SESSION_MARK]: parent };
}

/** One command to be supervised, as a caller says it. */
export interface CommandTask {
  argv: string[];
  /** In a terminal of its own, or on plain pipes. */
  io: 'pty' | 'pipe';
  apart?: { stdin?: boolean; stderr?: boolean };
  /** Counts from where the caller stands. */
  cwd?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
  /** Seconds; 0 is off. */
  timeout?: number;
}

export interface Started {
  place: Place;
  spec: NewSpec;
}

/** Contract: throws CWD_INACCESSIBLE, COMMAND_NOT_FOUND, USAGE (the name is taken), and what `openSession` throws. */
export async function startCommand(where: Where, task: CommandTask, seat: Seat, ahead?: TakeAhead): Promise<Started> {
  const { argv, io, apart } = task;
  const cwd = resolve(where.cwd, task.cwd ?? '.');
  checkCwd(cwd);
  const [command = ''] = argv;
  const found = findExecutable(command, { path: where.env.PATH, cwd });
  if (!found.ok) throw new ReinsError('COMMAND_NOT_FOUND', { command, reason: found.reason });
  const config = await quickConfig({ cwd, env: where.env });
  // Loaded by who is inside a session, or names a namespace: everyone else starts a command without it.
  const wants = where.env[SESSION_MARK] ?? where.env[NAMESPACE_VARIABLE] ?? task.namespace;
  const family: Pick<Task, 'parent' | 'depth' | 'namespace'> =
    wants === undefined ? {} : (await import('./family.js')).familyOf(where, task.namespace);
  const spec: NewSpec = {
    ...family,
    name: freeName(where, { asked: task.name, usual: command.split('/').at(-1)!, namespace: family.namespace }),
    mode: 'exec',
    cwd,
    trust: config.trust,
    trust_source: 'default',
    agent_args: [],
    exec: { argv, io, ...(apart ? { apart } : {}) },
    once: true,
    tui: false,
    idle_timeout_secs: 0,
    timeout_secs: task.timeout ?? 0,
    config,
    rules: [],
    sources: {},
    seat,
  };
  return { place: await openSession(where, spec, ahead ? { ahead } : {}), spec };
}
