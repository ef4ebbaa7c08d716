/**
 * Inquiries that were lost with their host (killed, or the machine went down): they stay in the inbox, a person's answer to
 * one is kept in its session's journal, and the agent gets it when the session goes on and it asks the very same again. What
 * waits in sessions that are over is read from marks (decision 054): no session is opened to find out that nothing does.
 */
import { readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { inquiryDigest } from '../contract/digest.js';
import {
  type Answer,
  type CommandArgs,
  type CommandResult,
  type Inquiry,
  type LostInquiry,
  nameOf,
  newViewerId,
  ReinsError,
  type SessionId,
  systemClock,
} from '../contract/index.js';
import { FILES, forget, lostDir, lostMark } from '../disk/index.js';
import { lostIn } from '../journal/lost.js';
import { journalOf, ofTypes, readPlainFile } from '../journal/read.js';
import { isSession, type Place, placeOf } from '../link/index.js';
import { withClaim } from './claim.js';
import { type LinkAs, tellAs } from './find.js';
import { refuseInside } from './inside.js';
import { settleLost, writeLostEnd } from './lost-end.js';
import { specOf } from './spec-file.js';
import { leftOf, orphans } from './sweep.js';
import type { Where } from './where.js';

/** Several inquiries in one frame are no larger. */
const MOST_BYTES = 64 * 1024 * 1024;

export const continueLine = (session: string): string => `reins run --continue ${session}`;

/** Of all sessions that can be gone on with. `dead`: those whose host died and whose end nobody has written down yet. */
export async function lostInquiries(where: Pick<Where, 'env'>, dead: Place[]): Promise<LostInquiry[]> {
  for (const place of dead) await settled(where, place);
  const left = dead.filter(({ id }) => placeOf(where.env, id).host !== undefined);
  const marked = marks(where).flatMap((id) => (isSession(where.env, id) ? [placeOf(where.env, id)] : []));
  const over = new Map([...left, ...marked].filter(({ alive }) => !alive).map((place) => [place.id, place]));
  const lists = await Promise.all([...over.values()].map((place) => lostOf(place)));
  return lists.flat();
}

/** Where its agent still runs, nobody ends it for a look: its journal is read again each time. */
async function settled(where: Pick<Where, 'env'>, place: Place): Promise<void> {
  if ((await leftOf(where, place)) === 0) await settleLost(where, place);
}

function marks({ env }: Pick<Where, 'env'>): string[] {
  try {
    return readdirSync(lostDir(env)).filter((id) => !id.endsWith('.new'));
  } catch {
    return []; // nothing was ever lost
  }
}

/** What waits in a session without a host; nothing where nobody could ever be told. */
export async function lostOf(place: Place): Promise<LostInquiry[]> {
  const waiting = markedOf(place) ?? (place.host ? lostIn(journalOf(journalFile(place))).waiting : []);
  if (waiting.length === 0) return [];
  if (await goesOn(place)) {
    const line = continueLine(place.id);
    return waiting.map((inquiry) => ({ ...inquiry, lost: true, continue: line }));
  }
  forget(lostMark(place.dir));
  return [];
}

const journalFile = ({ dir }: Place): string => join(dir, FILES.journal);

/** Undefined where there is no mark, or something else in its place. */
function markedOf(place: Place): Inquiry[] | undefined {
  try {
    const bytes = readPlainFile(lostMark(place.dir), MOST_BYTES);
    if (!bytes) return undefined;
    const read: unknown = JSON.parse(bytes.toString('utf8'));
    return Array.isArray(read) && read.every((one) => isOf(place, one))
      ? read
      : lostIn(journalOf(journalFile(place))).waiting;
  } catch {
    return undefined;
  }
}

const isOf = ({ id }: Place, one: unknown): one is Inquiry =>
  typeof one === 'object' && one !== null && String((one as Inquiry).id).startsWith(`${id}.`);

/** A loop always can; a conversation where its agent takes it up by its name. */
async function goesOn(place: Place): Promise<boolean> {
  const spec = specOf(place);
  if (!spec || spec.mode === 'exec') return false;
  if (spec.mode === 'autonomous') return true;
  const [{ adapterNamed }, { conversationIn }] = await Promise.all([
    import('../adapters/index.js'),
    import('../host/index.js'),
  ]);
  const resumes = adapterNamed(spec.agent?.adapter ?? '')?.resumes === true;
  return resumes && conversationIn(journalOf(journalFile(place))) !== undefined;
}

type KeepAsk = CommandArgs<'answer'>;

/** A person's answer to an inquiry of a session without a host, at a paired device or here. Contract: throws what `reins answer` says of it. */
export async function keepAnswer(
  where: Where,
  found: Place,
  given: KeepAsk,
  as: LinkAs = {},
): Promise<CommandResult<'answer'>> {
  // No host judges the caller here, so it is done where one would.
  refuseInside(where, 'answer inquiries', 'answer from a terminal of your own');
  return withClaim(found, async () => {
    const place = placeOf(where.env, found.id);
    // Another has gone on with it while we waited.
    return place.alive ? tellAs(where, place, as, 'answer', given) : keep(place, given, as.device);
  });
}

async function keep(place: Place, given: KeepAsk, device: string | undefined): Promise<CommandResult<'answer'>> {
  if ((await orphans(place)).length === 0) await writeLostEnd(place);
  const { waiting } = lostIn(journalOf(journalFile(place)));
  const inquiry = waiting.find(({ id }) => id === given.inquiry);
  if (!inquiry || !(await goesOn(place))) throw settledBefore(given.inquiry, place);
  if (given.digest !== undefined && given.digest !== (await inquiryDigest(inquiry)))
    throw new ReinsError('INQUIRY_CHANGED', { inquiry: inquiry.id });
  // Else what was asked would be allowed, instead of what was made of it.
  if (given.input !== undefined || given.suggested !== undefined) {
    throw new ReinsError('ANSWER_INVALID', {
      inquiry: inquiry.id,
      reason: 'no host is there to take anything but words',
      fix: `go on with \`${continueLine(place.id)}\`, and answer when it is asked again`,
    });
  }
  const { markLost, wordsToVerdict } = await import('../host/lost-inquiries.js');
  const verdict = wordsToVerdict(inquiry, given.words ?? [], given.texts ?? []);
  const line = continueLine(place.id);
  if (verdict.kind === 'values' && inquiry.questions?.some(({ secret }) => secret)) {
    throw new ReinsError('ANSWER_INVALID', {
      inquiry: inquiry.id,
      reason: 'it is a secret, and no host is there to type it: a secret is never written down',
      fix: `go on with \`${line}\`, and type it when it is asked again`,
    });
  }
  const { reason, scope } = given;
  const answer: Answer = {
    inquiry: inquiry.id,
    verdict,
    by: {
      kind: 'viewer',
      viewer: newViewerId(),
      name: device ?? '`reins answer`',
      who: device === undefined ? { kind: 'user', name: userName() } : { kind: 'device', name: device },
    },
    ...(reason === undefined ? {} : { reason }),
    ...(scope === undefined ? {} : { scope }),
  };
  await written(place, answer);
  markLost(
    place.dir,
    waiting.filter((one) => one !== inquiry),
  );
  const { kind, ...content } = verdict;
  return {
    inquiry: inquiry.id,
    verdict: kind,
    ...(kind === 'values' ? content : {}),
    kept: true,
    continue: line,
  };
}

async function written(place: Place, answer: Answer): Promise<void> {
  const { Journal } = await import('../journal/journal.js');
  const { journal } = Journal.open({ file: journalFile(place), session: place.id as SessionId, clock: systemClock });
  try {
    journal.append('inquiry.answered', { answer, kept: true });
    const { refusal } = journal;
    if (refusal !== undefined) throw new ReinsError('STATE_DIR', { dir: place.dir, reason: refusal });
  } finally {
    journal.close();
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`; // an account without an entry, as in some containers
  }
}

/** Nothing of the kind waits there: the journal still knows what became of the inquiry. */
export function settledBefore(id: string, place: Place | undefined): ReinsError {
  const story = place ? journalOf(journalFile(place)) : [];
  let how: string | undefined;
  for (const { type, data } of ofTypes(story, ['inquiry.opened', 'inquiry.answered'])) {
    if (type === 'inquiry.opened' && data.inquiry.id === id) how = 'its session ended';
    else if (type === 'inquiry.answered' && data.answer.inquiry === id) how = `answered by ${nameOf(data.answer.by)}`;
  }
  if (how === undefined) return new ReinsError('NO_SUCH_INQUIRY', { inquiry: id });
  return new ReinsError('ANSWERED_ALREADY', { inquiry: id, how });
}
