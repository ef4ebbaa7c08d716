/**
 * Wishes that were granted: what a face was asked for under a key of the asker's (a start, going on) is kept with the session's
 * start facts. So whoever asks again, because the answer was lost with the connection or with the face itself, gets the same
 * session and not another one.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILES, sessionsDir } from '../disk/index.js';
import { journalOf, ofTypes } from '../journal/read.js';
import { type Place, placeOf, sessionNames } from '../link/index.js';
import { specOf } from './spec-file.js';
import type { Where } from './where.js';

/** Kept with a session; older ones are asked for by nobody any more. */
const MOST_WISHES = 20;
/** Whoever lost an answer asks again within this time. */
const RECENT_MS = 24 * 3600 * 1000;
/** Sessions that are opened for a look, the newest first. */
const MOST_LOOKS = 500;
/** A host that was begun by who is gone may still be on its way. */
const BEGIN_MS = 5_000;
/** Times of files are a little coarser than those of a journal. */
const COARSE_MS = 20;

export const withWish = (before: string[] | undefined, wish: string | undefined): { wishes?: string[] } => {
  const wishes = [...(before ?? []), ...(wish === undefined ? [] : [wish])].slice(-MOST_WISHES);
  return wishes.length === 0 ? {} : { wishes };
};

/** The session that was started for this wish. One that never came to life counts for nothing. */
export async function wishedSession(
  { env }: Pick<Where, 'env'>,
  wish: string,
  beginMs: number = BEGIN_MS,
): Promise<Place | undefined> {
  const since = Date.now() - RECENT_MS;
  const recent = sessionNames(env)
    .map((id) => ({ id, at: writtenAt(join(sessionsDir(env), id)) }))
    .filter(({ at }) => at > since)
    .sort((a, b) => b.at - a.at)
    .slice(0, MOST_LOOKS);
  for (const { id } of recent) if (await isGranted({ env }, placeOf(env, id), wish, beginMs)) return placeOf(env, id);
  return undefined;
}

/** Whether this session was started, or went on, for this wish. */
export async function isGranted(
  { env }: Pick<Where, 'env'>,
  place: Place,
  wish: string,
  beginMs: number = BEGIN_MS,
): Promise<boolean> {
  const { wishes = [] } = specOf(place) ?? {};
  if (!wishes.includes(wish)) return false;
  // What came after it came to life, so it did too.
  if (wishes.at(-1) !== wish) return true;
  for (const end = Date.now() + beginMs; Date.now() < end; await sleep(50))
    if (placeOf(env, place.id).alive || hasBegun(place)) return true;
  return false;
}

/** A host took it up since its start facts were written. */
function hasBegun({ dir }: Place): boolean {
  let last = '';
  for (const { ts } of ofTypes(journalOf(join(dir, FILES.journal)), ['session.started'])) last = ts;
  return last !== '' && Date.parse(last) >= writtenAt(dir) - COARSE_MS;
}

const writtenAt = (dir: string): number => lstatSync(join(dir, FILES.spec), { throwIfNoEntry: false })?.mtimeMs ?? 0;
