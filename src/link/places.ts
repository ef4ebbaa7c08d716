/**
 * Where sessions live on disk, and how their sockets are addressed. A socket path may have at most about 100 bytes; a
 * deep state directory is reached through the directory's own descriptor instead of moving the socket elsewhere.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ReinsError } from '../contract/index.js';
import { type Env, sessionsDir } from './state-dir.js';

/** sun_path holds 108 bytes on Linux and 104 on BSD, with the final zero. */
const LONGEST_SOCKET_PATH = 100;

export { type Env, lastWordsFile, sessionsDir, stateDir } from './state-dir.js';

/** Ids come from command lines and from the network: a name that is none leads nowhere. */
export const isSessionName = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(id);

export function sessionDir(env: Env, id: string): string {
  if (!isSessionName(id)) throw new ReinsError('NO_SUCH_SESSION', { session: id });
  return join(sessionsDir(env), id);
}

export const FILES = {
  spec: 'session.json',
  journal: 'journal.jsonl',
  recording: 'terminal.cast',
  prompts: 'prompts',
  host: 'host.json',
  socket: 'host.sock',
} as const;

/** Calls with a path the kernel accepts for the session's socket, valid until the returned promise settles. */
export async function withSocketPath<T>(dir: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(dir, FILES.socket);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return use(path);
  if (process.platform !== 'linux') {
    throw new ReinsError('STATE_DIR', { dir, reason: 'its path is too long for a socket' });
  }
  const fd = openSync(dir, 'r');
  try {
    return await use(`/proc/self/fd/${fd}/${FILES.socket}`);
  } finally {
    closeSync(fd);
  }
}
