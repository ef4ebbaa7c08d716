/** Where sessions live on disk, in names alone: loaded before everything else by a command that starts one. */
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Env } from '../contract/index.js';

export function stateDir(env: Env): string {
  const chosen = env.XDG_STATE_HOME;
  // The base directory specification: a relative path is to be ignored. Ours would mean another place in the host.
  const base = chosen && isAbsolute(chosen) ? chosen : join(env.HOME || homedir(), '.local', 'state');
  return join(base, 'reins');
}

export const sessionsDir = (env: Env): string => join(stateDir(env), 'sessions');

/** A file per host that lives, for who looks for them. */
export const liveDir = (env: Env): string => join(stateDir(env), 'live');

/** The mark of the session in this directory; none where it does not lie beside others. */
export const liveMark = (dir: string): string | undefined =>
  basename(dirname(dir)) === 'sessions' ? join(dirname(dirname(dir)), 'live', basename(dir)) : undefined;

/** A file per session whose host was lost while something waited for a person, with what that was. */
export const lostDir = (env: Env): string => join(stateDir(env), 'lost');

export const lostMark = (dir: string): string => join(dirname(dirname(dir)), 'lost', basename(dir));

/** Where a dying host leaves its last words. */
export const lastWordsFile = (env: Env, id: string): string => join(stateDir(env), 'logs', `host-${id}.log`);

/** The files of one session, in its directory. */
export const FILES = {
  spec: 'session.json',
  journal: 'journal.jsonl',
  recording: 'terminal.cast',
  prompts: 'prompts',
  /** What the working tree was like when a loop began. */
  tree: 'tree.json',
  host: 'host.json',
  /** What `ls` shows of it, while its host lives. */
  row: 'row.json',
  /** What its host did, for who looks for a trouble; the older half of it ends in `.1`. */
  log: 'host.log',
  socket: 'host.sock',
  /** What a sandbox around an agent has to let in: the hook's own socket, and its word. */
  hooks: 'hook',
  hookSocket: 'hook.sock',
  hookFile: 'hook.json',
} as const;
