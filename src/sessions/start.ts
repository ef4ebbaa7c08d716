/**
 * Starts a session: its directory, its start facts on disk, then the host. One path for foreground, detached, `exec`
 * and `run`; what differs is in the spec. A face of this room of its own, for who must start fast: it loads what starts a
 * session and reaches it, nothing else.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newSessionId, ReinsError, type SessionId } from '../contract/index.js';
import { FILES, forget, lastWordsFile, makeDir, writeWhole } from '../disk/index.js';
import type { SessionSpec } from '../host/index.js';
import type { BegunHost } from '../link/begin.js';
import { type Place, placeOf, sessionDir, startHost } from '../link/index.js';
import { DIED } from './find.js';
import type { Where } from './where.js';

export { connectTo, freeName } from './find.js';

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
export type NewSpec = Omit<SessionSpec, 'v' | 'id' | 'created_at' | 'reins' | 'prompt_file'>;

/** A host that was begun before anything was known but the session's name. */
export interface HostAhead {
  id: SessionId;
  host: BegunHost;
}

export interface Given {
  prompt?: string | undefined;
  ahead?: HostAhead | undefined;
}

/** Makes the directory and the host. Contract: returns when the host answers, or throws with the reason. */
export async function openSession(where: Where, spec: NewSpec, given: Given = {}): Promise<Place> {
  const { prompt, ahead } = given;
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
  await startHost({
    program: hostProgram,
    dir,
    env: where.env,
    lastWords: lastWordsFile(where.env, id),
    begun: ahead?.host,
  }).catch((error: unknown) => {
    // It never began: a session that was not, and that nobody could continue.
    if (isNew && (error as ReinsError).code === 'STATE_DIR') forget(dir);
    throw error;
  });
  const place = placeOf(where.env, id);
  if (!place.alive && place.host) throw new ReinsError('HOST_LOST', { session: id, reason: DIED });
  return place;
}
