/**
 * The hosts of this machine: found by their directories, proven alive by pid and start time, reached by their sockets.
 * A directory whose host is gone is a session that ended; nothing is cleaned behind the user's back.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { ReinsError } from '../contract/index.js';
import { isAlive } from '../proc/index.js';
import type { Link } from './link.js';
import { type Env, FILES, sessionDir, sessionsDir, withSocketPath } from './places.js';
import { socketLink } from './socket.js';

/** What a living host says about itself, in host.json. */
export interface HostFile {
  pid: number;
  start_ticks: number;
  version: string;
  protocol: number;
  started_at: string;
}

export interface Place {
  id: string;
  dir: string;
  host: HostFile | undefined;
  alive: boolean;
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined; // absent or torn: for a file that is replaced whole, both mean "not there"
  }
}

export function placeOf(env: Env, id: string): Place {
  const dir = sessionDir(env, id);
  const host = readJson<HostFile>(join(dir, FILES.host));
  return { id, dir, host, alive: host !== undefined && isAlive(host.pid, host.start_ticks) };
}

/** Every session on disk, the living and the ended. */
export function places(env: Env): Place[] {
  let names: string[];
  try {
    names = readdirSync(sessionsDir(env));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ReinsError('STATE_DIR', { dir: sessionsDir(env), reason: (error as Error).message });
  }
  return names.map((id) => placeOf(env, id));
}

/** Contract: rejects with a ReinsError when nobody listens there. */
export function connectHost(place: { id: string; dir: string }): Promise<Link> {
  return withSocketPath(
    place.dir,
    (path) =>
      new Promise<Link>((resolve, reject) => {
        const socket = connectSocket(path);
        socket.once('connect', () => {
          socket.off('error', failed);
          resolve(socketLink(socket));
        });
        const failed = (error: NodeJS.ErrnoException) => {
          const nobody = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
          reject(
            nobody
              ? new ReinsError('SESSION_ENDED', { session: place.id })
              : new ReinsError('HOST_LOST', { session: place.id, reason: error.message }, { cause: error }),
          );
        };
        socket.once('error', failed);
      }),
  );
}

export interface StartHost {
  /** The built host program. */
  program: string;
  dir: string;
  env: Env;
  /** Where a dying host leaves its last words. */
  lastWords: string;
}

/**
 * Starts a host in a session of its own and waits for its first word: one JSON line, `{"ok":true}` or
 * `{"ok":false,"reason":"…"}`, and the end of the stream if it died before that.
 */
export async function startHost(options: StartHost): Promise<void> {
  mkdirSync(dirname(options.lastWords), { recursive: true, mode: 0o700 });
  const words = openSync(options.lastWords, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, [options.program, options.dir], {
      cwd: '/',
      env: options.env as NodeJS.ProcessEnv,
      detached: true,
      stdio: ['ignore', 'pipe', words],
    });
  } finally {
    closeSync(words);
  }
  const first = await firstLine(child);
  child.stdout?.destroy();
  child.unref();
  const said = parse(first);
  if (said?.ok) return;
  const reason = said?.reason ?? `it ended before it was ready; its last words are in ${options.lastWords}`;
  throw new ReinsError('BUG', { reason: `the host could not start: ${reason}` });
}

function parse(line: string): { ok: boolean; reason?: string } | undefined {
  try {
    return JSON.parse(line) as { ok: boolean; reason?: string };
  } catch {
    return undefined; // half a line from a host that died while speaking
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('\n')) resolve(text);
    });
    child.stdout?.once('close', () => resolve(text));
  });
}
