/**
 * Guidance for a loop, whether it runs or not. A host takes it while one lives; for a loop that has ended it is put into the
 * journal itself, under the session's claim, where the next leg finds it as guidance that was never delivered.
 */
import { join } from 'node:path';
import { type CommandResult, ReinsError, type SessionId, systemClock } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { givenBefore, guidanceId, journalOf } from '../journal/read.js';
import { type Place, placeOf } from '../link/index.js';
import { withClaim } from './claim.js';
import { tell } from './find.js';
import { refuseInside } from './inside.js';
import { writeLostEnd } from './lost-end.js';
import { specOf } from './spec-file.js';
import { orphans } from './sweep.js';
import type { Where } from './where.js';

/** As a host takes it (`message` in the contract's commands). */
const LONGEST_TEXT = 1024 * 1024;

export type Guided = CommandResult<'guide'>;

/** Contract: throws SESSION_ENDED for one without a loop, USAGE where it cannot be kept, and what a host says. */
export async function guideSession(where: Where, found: Place, text: string, key?: string): Promise<Guided> {
  const told = { text, ...(key === undefined ? {} : { key }) };
  if (found.alive) return tell(where, found, 'guide', told);
  return withClaim(found, async () => {
    const place = placeOf(where.env, found.id);
    // Another has gone on with it while we waited.
    return place.alive ? tell(where, place, 'guide', told) : keep(where, place, told);
  });
}

async function keep(where: Where, place: Place, { text, key }: { text: string; key?: string }): Promise<Guided> {
  const spec = specOf(place);
  if (spec?.mode !== 'autonomous') throw new ReinsError('SESSION_ENDED', { session: place.id });
  // No host judges the caller here, so it is done where one would: what runs inside a session may look, and nothing else.
  refuseInside(where, 'guide a session', 'run it from a terminal of your own');
  if (text.length > LONGEST_TEXT) {
    throw new ReinsError('USAGE', {
      problem: 'the guidance is longer than 1 MB',
      fix: 'put it into a file and name that',
    });
  }
  const left = (await orphans(place)).length;
  if (left > 0) {
    throw new ReinsError('USAGE', {
      problem: `the host of ${place.id} died, and ${left === 1 ? '1 process' : `${left} processes`} of it still run`,
      fix: `end them first: reins stop ${place.id}`,
    });
  }
  // Or the time until now would count as time it worked.
  await writeLostEnd(place);
  const [{ fold, loopSettingsFrom }, { Journal }] = await Promise.all([
    import('../loop/index.js'),
    import('../journal/journal.js'),
  ]);
  const file = join(place.dir, FILES.journal);
  const { iteration, current } = fold(journalOf(file), loopSettingsFrom(spec.config));
  const id = guidanceId(key);
  const guided = { id, iteration: iteration + (current ? 0 : 1), kept: true };
  if (key !== undefined && givenBefore(id, journalOf(file).since(0))) return guided;
  const { journal } = Journal.open({ file, session: place.id as SessionId, clock: systemClock });
  try {
    journal.append('guidance.given', { id, text });
    const { refusal } = journal;
    if (refusal !== undefined) throw new ReinsError('STATE_DIR', { dir: place.dir, reason: refusal });
  } finally {
    journal.close();
  }
  return guided;
}
