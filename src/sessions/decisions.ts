/**
 * What was decided, for whoever looks and for whoever changes it. Only a person does that: what runs inside a session may
 * look. A correction stands in the memory first; then it is told to the sessions that were answered otherwise: a loop in its
 * next iteration's prompt, also one that has ended; an agent that is spoken with as the user's message.
 */
import { type Inquiry, type InquiryId, nameOf, ReinsError, type SessionId } from '../contract/index.js';
import { answerWords, type Decisions, openDecisions, projectsKnown, type Remembered } from '../decisions/index.js';
import { stateDir } from '../disk/index.js';
import { decisionsAt, wordsToVerdict } from '../host/index.js';
import { isSession, placeOf } from '../link/index.js';
import { tell } from './find.js';
import { guideSession } from './guide.js';
import { refuseInside } from './inside.js';
import { specOf } from './spec-file.js';
import type { Where } from './where.js';

export { answeredLines } from './answered-before.js';

/** Oldest first. `all`: of every project; the copy of this folder's project is looked at too. */
export function decisionsIn(where: Where, which: { all: boolean }): Remembered[] {
  const here = decisionsAt(where.cwd, where.env).list();
  if (!which.all) return here;
  const stores = everyStore(where).flatMap((store) => store.list());
  // Not by the marks of lines that are not ours: one could hide another project's decision.
  const known = new Set(here.flatMap(({ mark, unverified }) => (unverified === undefined ? mark : [])));
  return [...here, ...stores.filter(({ mark }) => !known.has(mark))].sort((a, b) => a.at.localeCompare(b.at));
}

const everyStore = ({ env }: Where): Decisions[] => {
  const dir = stateDir(env);
  return projectsKnown(dir).map((project) => openDecisions({ stateDir: dir, project }));
};

/** What was decided before on a like question, for whoever is asked it now; a line each, the nearest first. */
export function decidedLines(
  { env }: Pick<Where, 'env'>,
  { session, questions = [] }: Inquiry,
  /** Whether what was decided in that session may be told. */
  isTold: (session: string) => boolean = () => true,
): string[] {
  const cwd = specOf(placeOf(env, session))?.cwd;
  if (cwd === undefined || questions.length === 0) return [];
  const store = decisionsAt(cwd, env);
  const near = questions
    .filter(({ secret }) => !secret)
    .flatMap((question) =>
      store
        .like(question)
        .filter((one) => isTold(one.session))
        .slice(0, MOST_LIKE),
    );
  return near.map((one) => {
    const answer = answerWords(one.question, one.correction?.values ?? one.values).join(', ');
    const who =
      one.unverified !== undefined ? 'unverified' : one.correction ? 'your correction' : `by ${nameOf(one.by)}`;
    return `earlier: ${one.question.text} → ${answer} (${who}, ${one.at.slice(0, 10)}; reins decisions show ${one.id})`;
  });
}

/** Of each question. */
const MOST_LIKE = 2;

interface FoundDecision {
  decision: Remembered;
  store: Decisions;
}

/** Contract: throws NO_SUCH_DECISION. This folder's project first. */
function locate(where: Where, id: string): FoundDecision {
  for (const store of [decisionsAt(where.cwd, where.env), ...everyStore(where)]) {
    const decision = store.find(id);
    if (decision) return { decision, store };
  }
  throw new ReinsError('NO_SUCH_DECISION', { decision: id });
}

export const findDecision = (where: Where, id: string): Remembered => locate(where, id).decision;

/** For whoever changes it. Contract: throws USAGE inside a session, for one that decides nothing, or that was revoked. */
function locateOwn(where: Where, id: string, what: string): FoundDecision {
  refuseInside(where, what, 'do it from a terminal of your own');
  const found = locate(where, id);
  const { unverified, revoked } = found.decision;
  if (unverified !== undefined) {
    throw new ReinsError('USAGE', {
      problem: `${id} is unverified (${unverified}): it decides nothing`,
      fix: 'remove its line from .reins/decisions.jsonl',
    });
  }
  if (revoked)
    throw new ReinsError('USAGE', { problem: `${id} was revoked already`, fix: `reins decisions show ${id}` });
  return found;
}

export function revokeDecision(where: Where, id: string, reason?: string): Remembered {
  const { store } = locateOwn(where, id, 'revoke decisions');
  store.revoke(id, { at: Date.now(), ...(reason === undefined ? {} : { reason }) });
  return store.find(id)!;
}

/** The line of config that answers the question from now on, whoever is there. */
export function ruleOf(where: Where, id: string): { key: string; values: string[]; decision: Remembered } {
  const { decision } = locateOwn(where, id, 'turn decisions into rules');
  const { tool, question, correction, values } = decision;
  const key = ['tools', tool ?? 'defaults', 'questions', question.id, 'answer'].map(keyPart).join('.');
  return { key, values: answerWords(question, correction?.values ?? values), decision };
}

/** As the config reads a path: what is more than a name stands in quotes. */
const keyPart = (part: string): string => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part));

/** Who heard of a correction, and how; or why not. */
export interface ToldOf {
  session: string;
  how: 'guidance' | 'message' | 'none';
  iteration?: number;
  reason?: string;
}

export interface Corrected {
  decision: Remembered;
  told: ToldOf[];
}

/** Contract: throws ANSWER_INVALID for what is no answer to the question. */
export async function correctDecision(
  where: Where,
  id: string,
  given: { words: string[]; texts: string[]; reason?: string },
): Promise<Corrected> {
  const { decision, store } = locateOwn(where, id, 'correct decisions');
  const { question, inquiry, session } = decision;
  const verdict = wordsToVerdict(
    {
      ...{
        id: inquiry as InquiryId,
        session: session as SessionId,
        kind: 'question',
        exclusive: true,
        opened_at: decision.at,
      },
      questions: [question],
    },
    given.words,
    given.texts,
  );
  if (verdict.kind !== 'values') {
    throw new ReinsError('USAGE', {
      problem: 'a correction is another answer',
      fix: `to take it back: reins decisions revoke ${id}`,
    });
  }
  const values = verdict.values[question.id] ?? [];
  store.correct(id, { at: Date.now(), values, ...(given.reason === undefined ? {} : { reason: given.reason }) });
  const corrected = store.find(id)!;
  const told: ToldOf[] = [];
  for (const one of new Set([session, ...(decision.used?.sessions ?? [])]))
    told.push(
      await tellOf(where, one, corrected).catch((error: Error) => ({
        session: one,
        how: 'none' as const,
        reason: error.message,
      })),
    );
  return { decision: corrected, told };
}

function words({ question, values, by, correction }: Remembered): string {
  const now = answerWords(question, correction?.values ?? values).join(', ');
  const before = answerWords(question, values).join(', ');
  return [
    `The user corrects an earlier answer. Question: ${question.text}`,
    `The answer is: ${now}`,
    ...(correction?.reason === undefined ? [] : [`Because: ${correction.reason}`]),
    `Before it was: ${before} (given by ${nameOf(by)}). Change what rests on that.`,
  ].join('\n');
}

async function tellOf(where: Where, session: string, decision: Remembered): Promise<ToldOf> {
  if (!isSession(where.env, session)) return { session, how: 'none', reason: 'its record was removed' };
  const place = placeOf(where.env, session);
  const mode = specOf(place)?.mode;
  if (mode === 'autonomous') {
    const { iteration } = await guideSession(where, place, words(decision));
    return { session, how: 'guidance', iteration };
  }
  if (!place.alive) return { session, how: 'none', reason: 'it has ended' };
  const { verdict, reason } = await tell(where, place, 'submit', { text: words(decision) });
  const isHeard = verdict === 'submitted' || verdict === 'queued';
  return isHeard ? { session, how: 'message' } : { session, how: 'none', reason: reason ?? verdict };
}
