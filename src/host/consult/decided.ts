/** Earlier decisions on like questions, as pieces of a pack: what was asked, what was answered, by whom and why. */
import type { PackDecision } from '../../consult/index.js';
import { type Env, type Inquiry, nameOf } from '../../contract/index.js';
import { answerWords, type Remembered } from '../../decisions/index.js';
import { decisionsAt } from './project.js';

const MOST_DECISIONS = 8;

export function decidedBefore(inquiry: Inquiry, { env, cwd }: { env: Env; cwd: string }): PackDecision[] {
  try {
    const decisions = decisionsAt(cwd, env);
    const like = (inquiry.questions ?? []).flatMap((question) => decisions.like(question));
    // A line that is not ours may bear the name and the mark of one that is: it must not take its place.
    const once = new Map(like.map((one) => [`${one.unverified ?? ''} ${one.mark}`, one]));
    return [...once.values()].slice(0, MOST_DECISIONS).map(piece);
  } catch {
    return []; // what cannot be read is no source
  }
}

function piece({ id, at, question, values, by, reason, correction, unverified }: Remembered): PackDecision {
  const given = correction?.values ?? values;
  const why = correction ? correction.reason : reason;
  const lines = [
    `asked: ${question.text}`,
    `answered: ${answerWords(question, given).join(', ')}`,
    `by: ${correction ? 'a person, as a correction' : nameOf(by)}, ${at.slice(0, 10)}`,
    ...(why ? [`because: ${why}`] : []),
  ];
  return {
    id: `earlier decision ${id}`,
    text: lines.join('\n'),
    // An agent's word for its child is no proof: it may be the asking agent's own.
    ...(unverified === undefined && (correction || by.kind !== 'parent') ? {} : { unverified: true }),
  };
}
