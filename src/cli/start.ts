/**
 * Starts a session: its directory, its start facts on disk, then the host. One path for foreground, detached, `exec`
 * and `run`; what differs is in the spec.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newSessionId, type Presence, ReinsError, type SessionId, type Size } from '../contract/index.js';
import { FILES, forget, lastWordsFile, makeDir, writeWhole } from '../disk/index.js';
import type { SessionSpec } from '../host/index.js';
import { type Place, placeOf, sessionDir, startHost } from '../link/index.js';
import { ttyPresence } from './channels.js';
import { type Context, hostProgram } from './context.js';
import { takeAhead } from './host-ahead.js';
import { DIED } from './sessions.js';
import { windowSize } from './window.js';

/** A terminal nobody looks at: wide enough for what agents draw, as seeds and fixtures have it. */
const UNSEEN: Size = { cols: 120, rows: 40 };

export function currentSize(): Size {
  return windowSize() ?? UNSEEN;
}

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

/** Why nobody can answer whatever is attached, or null. */
export function nonInteractive(context: Context, flags: { nonInteractive?: boolean }): string | null {
  if (flags.nonInteractive) return 'flag';
  return context.env.REINS_FRONTEND === 'noninteractive' ? 'env' : null;
}

export function presenceOf(reason: string | null): Presence {
  return reason === null ? ttyPresence() : { present: false, reason };
}

/** Makes the directory and the host. Contract: returns when the host answers, or throws with the reason. */
export async function startSession(
  context: Context,
  spec: Omit<SessionSpec, 'v' | 'id' | 'created_at' | 'reins' | 'prompt_file'> & { id?: SessionId },
  prompt?: string,
): Promise<Place> {
  const ahead = spec.id === undefined ? takeAhead(context.env) : undefined;
  const id = spec.id ?? ahead?.id ?? newSessionId();
  const dir = sessionDir(context.env, id);
  const isNew = !existsSync(dir);
  try {
    makeDir(join(dir, FILES.prompts));
    if (prompt !== undefined) writeWhole(join(dir, FILES.prompts, 'prompt.md'), prompt);
    const whole: SessionSpec = {
      v: 1,
      created_at: new Date().toISOString(),
      reins: context.version,
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
    env: context.env,
    lastWords: lastWordsFile(context.env, id),
    begun: ahead?.host,
  }).catch((error: unknown) => {
    // It never began: a session that was not, and that nobody could continue.
    if (isNew && (error as ReinsError).code === 'STATE_DIR') forget(dir);
    throw error;
  });
  const place = placeOf(context.env, id);
  if (!place.alive && place.host) throw new ReinsError('HOST_LOST', { session: id, reason: DIED });
  return place;
}
