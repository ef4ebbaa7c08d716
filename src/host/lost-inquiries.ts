/**
 * What waited when the session's host was lost, for the host that goes on with it. The agent asks again what it still needs;
 * where that is the very same thing, a person's answer from meanwhile counts, once. Loaded by a session that is continued.
 */
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Entry, Inquiry } from '../contract/index.js';
import { forget, lostMark, makeDir, writeWhole } from '../disk/index.js';
import { fittingInquiries, type Sink } from '../journal/journal.js';
import { type KeptAnswer, lostIn } from '../journal/lost.js';
import type { Decision } from '../policy/index.js';
import type { Draft } from './desk-ports.js';
import { verdictFits } from './verdict-fits.js';

export { wordsToVerdict } from './answer-words.js';

const ASKED_ANEW = 'it was lost with its host; the agent asks again if it still needs it';
const NOT_ASKED = 'the agent did not ask it again';

/** What is compared: everything a person answered to. Who asks names its calls anew each time, and may word its reason so. */
const SAME = ['kind', 'tool', 'input', 'result', 'questions'] as const;

export function isSameAsked(one: Draft, other: Draft): boolean {
  // Of a result there is only a preview: what was cut may be anything.
  if (one.result?.truncated || other.result?.truncated) return false;
  // What is on record of a secret is not the secret.
  if (other.questions?.some(({ secret }) => secret)) return false;
  if ((one.parent === undefined) !== (other.parent === undefined)) return false;
  return SAME.every((key) => isDeepStrictEqual(plain(one[key]), plain(other[key])));
}

/** As it would stand in a journal, where the earlier one comes from. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

export class FoundAgain {
  readonly #journal: Sink;
  readonly #dir: string;
  readonly #waiting: Inquiry[];
  #kept: KeptAnswer[];

  constructor(before: Iterable<Entry>, { journal, dir }: { journal: Sink; dir: string }) {
    const { waiting, kept } = lostIn(before);
    this.#waiting = waiting;
    this.#kept = kept;
    this.#journal = journal;
    this.#dir = dir;
  }

  /** The session goes on: from here its own desk says what waits. */
  begun(): void {
    for (const { id } of this.#waiting) this.#close(id, ASKED_ANEW);
    forget(lostMark(this.#dir));
  }

  /**
   * The answer that counts instead of what policy decided, taken with that. Rules stand above people here as everywhere, but for
   * a no: that one holds whatever permits it by now.
   */
  instead(draft: Draft, decision: Decision): Omit<Answer, 'inquiry'> | undefined {
    const found = this.#kept.find(({ inquiry }) => isSameAsked(inquiry, draft));
    if (!found) return undefined;
    this.#kept = this.#kept.filter((one) => one !== found);
    const { answer } = found;
    if (isByRule(decision) && (decision.verdict.kind === 'deny' || answer.verdict.kind !== 'deny'))
      return this.#close(found.inquiry.id, `a rule settles it now: ${decision.rule.text}`);
    const { id } = found.inquiry;
    const wrong = verdictFits({ ...found.inquiry, ...draft }, answer.verdict);
    if (wrong) return this.#close(id, wrong);
    const { verdict, by, reason } = answer;
    return { verdict, by, ...(reason === undefined ? {} : { reason }), earlier: id };
  }

  /** An answer has found its new inquiry: on record, so that it counts once also if this host is lost. */
  given(inquiry: string): void {
    this.#journal.append('inquiry.closed', { inquiry, how: 'delivered', reason: 'the agent asked the same again' });
  }

  /** The session has come to its end, in order. */
  ended(): void {
    for (const { inquiry } of this.#kept.splice(0)) this.#close(inquiry.id, NOT_ASKED);
  }

  #close(inquiry: string, reason: string): undefined {
    this.#journal.append('inquiry.closed', { inquiry, how: 'cancelled', reason });
  }
}

function isByRule(decision: Decision): decision is Extract<Decision, { do: 'settle' }> {
  return decision.do === 'settle' && ['rule', 'grant', 'trust'].includes(decision.by.kind);
}

/** So that `inbox` need not look into sessions that are over (decision 054). None where nothing waits. */
export function markLost(dir: string, waiting: Inquiry[]): void {
  const file = lostMark(dir);
  if (waiting.length === 0) {
    forget(file);
    return;
  }
  makeDir(dirname(file));
  writeWhole(file, JSON.stringify(fittingInquiries(waiting)));
}
