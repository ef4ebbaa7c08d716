/**
 * The hosts of this machine: found by their directories, proven alive by pid and start time, reached by their sockets.
 * A directory whose host is gone is a session that ended; nothing is cleaned behind the user's back.
 */
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { type Env, ReinsError } from '../contract/index.js';
import { DISK_REFUSES, FILES, sessionsDir } from '../disk/index.js';
import { readPlainFile } from '../journal/read.js';
import { isAlive } from '../proc/index.js';
import { type BeginHost, type BegunHost, beginHost } from './begin.js';
import type { Link } from './link.js';
import { socketLink, withSocketPath } from './socket.js';

/** What a living host says about itself, in host.json. */
export interface HostFile {
  pid: number;
  start_ticks: number;
  version: string;
  protocol: number;
  newest?: number;
  started_at: string;
}

export interface Place {
  id: string;
  dir: string;
  host: HostFile | undefined;
  alive: boolean;
  /** To whoever began its host: the word by which the host knows it. */
  starter?: string;
  /** Why nothing can be said about its host. */
  barred?: string;
}

/** Ids come from command lines and from the network: a name that is none, or too long for a file's, leads nowhere. */
const isSessionName = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/.test(id);

export function sessionDir(env: Env, id: string): string {
  if (!isSessionName(id)) throw new ReinsError('NO_SUCH_SESSION', { session: id });
  return join(sessionsDir(env), id);
}

/** A host file is a line. */
const HOST_FILE_BYTES = 64 * 1024;

function readHostFile(file: string): HostFile | undefined {
  const bytes = readPlainFile(file, HOST_FILE_BYTES);
  try {
    const read = JSON.parse(bytes?.toString('utf8') ?? 'null') as Partial<HostFile> | null;
    const sound = Number.isInteger(read?.pid) && read!.pid! > 0 && Number.isInteger(read?.start_ticks);
    return sound ? (read as HostFile) : undefined;
  } catch {
    return undefined; // absent or torn: for a file that is replaced whole, both mean "not there"
  }
}

export function placeOf(env: Env, id: string): Place {
  const dir = sessionDir(env, id);
  try {
    const host = readHostFile(join(dir, FILES.host));
    return { id, dir, host, alive: host !== undefined && isAlive(host.pid, host.start_ticks) };
  } catch (error) {
    return { id, dir, host: undefined, alive: false, barred: (error as Error).message };
  }
}

/** Whose it is, if it is somebody else's. */
export function ownerOf(place: { dir: string }): number | undefined {
  try {
    const { uid } = statSync(place.dir);
    return uid === process.getuid?.() ? undefined : uid;
  } catch {
    return undefined; // not even to be looked at: whoever asks says so
  }
}

/** The names of all sessions on disk, unread. */
export const sessionNames = (env: Env): string[] =>
  inSessionsDir(env, (dir) =>
    readdirSync(dir, { withFileTypes: true })
      .filter((one) => one.isDirectory() && isSessionName(one.name))
      .map((one) => one.name),
  );

/** Whatever lies where sessions are: for thousands far quicker, if who asks looks at the few that matter (`isSession`). */
export const sessionFiles = (env: Env): string[] => inSessionsDir(env, (dir) => readdirSync(dir));

function inSessionsDir(env: Env, read: (dir: string) => string[]): string[] {
  const dir = sessionsDir(env);
  try {
    return read(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ReinsError('STATE_DIR', { dir, reason: (error as Error).message });
  }
}

/** A link is none, wherever it leads; what cannot be looked at is none for this user. */
export function isSession(env: Env, id: string): boolean {
  try {
    return isSessionName(id) && lstatSync(sessionDir(env, id)).isDirectory();
  } catch {
    return false;
  }
}

/** Every session on disk, the living and the ended. */
export const places = (env: Env): Place[] => sessionNames(env).map((id) => placeOf(env, id));

/** Contract: rejects with a ReinsError when nobody listens there. */
export const connectHost = (place: { id: string; dir: string }): Promise<Link> => reach(place, place.dir, FILES.socket);

/** The socket for who is inside the session. Nothing but it is looked at: a sandbox may hide everything else. */
export async function connectHooks(place: { id: string; dir: string }): Promise<Link> {
  const dir = join(place.dir, FILES.hooks);
  return reach(place, dir, FILES.hookSocket).catch((error: unknown) => {
    // A host of before there was such a socket takes everything on its only one.
    const isOlder = (error as ReinsError).code === 'SESSION_ENDED' && !existsSync(dir);
    if (isOlder) return connectHost(place);
    throw error;
  });
}

async function reach(place: { id: string; dir: string }, dir: string, name: string): Promise<Link> {
  try {
    return await withSocketPath(dir, name, dial);
  } catch (error) {
    if (error instanceof ReinsError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const owner = code === 'EACCES' || code === 'EPERM' ? ownerOf(place) : undefined;
    if (owner !== undefined) throw new ReinsError('NOT_YOURS', { session: place.id, owner: `uid ${owner}` });
    if (code === 'ENOENT' || code === 'ECONNREFUSED') throw new ReinsError('SESSION_ENDED', { session: place.id });
    throw new ReinsError('HOST_LOST', { session: place.id, reason: message }, { cause: error });
  }
}

function dial(path: string): Promise<Link> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socketLink(socket));
    });
  });
}

export interface StartHost extends Omit<BeginHost, 'likely'> {
  /** A host that was begun for this very directory already. */
  begun?: BegunHost | undefined;
}

interface FirstWord {
  ok: boolean;
  reason?: string;
  /** What the system called it. */
  code?: string;
}

/**
 * Starts a host in a session of its own and waits for its first word: one JSON line, `{"ok":true}` or
 * `{"ok":false,"reason":"…","code":"…"}`, and the end of the stream if it died before that. Returns the word by which it
 * knows who began it: nobody else has it, it went through a pipe.
 */
export async function startHost({ begun, ...options }: StartHost): Promise<{ starter: string }> {
  const { lastWords } = options;
  const starter = newSecret();
  const host = begun ?? begin(options);
  const first = await host.go(starter).catch((error: Error) => ({ ok: false, reason: error.message }));
  const said: FirstWord | undefined = typeof first === 'string' ? parse(first) : first;
  if (said?.ok === true) return { starter };
  const reason = said?.reason ?? `it ended before it was ready; its last words are in ${lastWords}`;
  if (DISK_REFUSES.has(said?.code ?? '')) throw new ReinsError('STATE_DIR', { dir: options.dir, reason });
  throw new ReinsError('BUG', { reason: `the host could not start: ${reason}` });
}

/** From the system itself: Node's own randomness takes milliseconds to load. */
function newSecret(): string {
  const bytes = Buffer.alloc(16);
  const fd = openSync('/dev/urandom', 'r');
  try {
    readSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
  return bytes.toString('hex');
}

function begin(options: BeginHost): BegunHost {
  try {
    return beginHost(options);
  } catch (error) {
    const dir = dirname(options.lastWords);
    throw new ReinsError('STATE_DIR', { dir, reason: (error as Error).message }, { cause: error });
  }
}

function parse(line: string): FirstWord | undefined {
  try {
    return (JSON.parse(line) as FirstWord | null) ?? undefined;
  } catch {
    return undefined; // half a line from a host that died while speaking
  }
}
