/** What was answered in a person's place, told while it happens: who was asked, what came of it, and why. */
import { type EntryPayload, nameOf, type Question } from '../contract/index.js';

/** Questions that are open, for their options' names; more than these wait nowhere. */
const MOST_OPEN = 100;

export class AnswersTold {
  readonly #open = new Map<string, Question[]>();

  opened({ inquiry }: EntryPayload<'inquiry.opened'>): void {
    if (inquiry.questions && this.#open.size < MOST_OPEN) this.#open.set(inquiry.id, inquiry.questions);
  }

  closed({ inquiry }: EntryPayload<'inquiry.closed'>): void {
    this.#open.delete(inquiry);
  }

  /** Undefined for what a person said, and for permissions: those have lines of their own. */
  answered({ answer }: EntryPayload<'inquiry.answered'>): string | undefined {
    const { verdict, by, reason } = answer;
    if (verdict.kind !== 'values' || by.kind === 'viewer') return undefined;
    const questions = this.#open.get(answer.inquiry) ?? [];
    const words = Object.entries(verdict.values).map(([id, values]) => {
      const options = questions.find((question) => question.id === id)?.options ?? [];
      return values.map((value) => options.find((option) => option.id === value)?.label ?? value).join(', ');
    });
    return `answered by ${nameOf(by)}: ${words.join('; ')}${reason ? `, because: ${reason}` : ''}`;
  }
}

export const asksAnother = ({ adapter, model }: EntryPayload<'consultation.started'>): string =>
  `asks ${adapter}${model ? ` (${model})` : ''} …`;

/** Undefined where its answer is told anyway. */
export function noAnswer(ended: EntryPayload<'consultation.ended'>): string | undefined {
  const { how, adapter, reason } = ended;
  if (how === 'answered' || how === 'suggested' || how === 'cancelled') return undefined;
  return `no answer from ${adapter}: ${reason ?? how}`;
}
