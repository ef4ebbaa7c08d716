/**
 * An answer for a person to take (`consult.suggest: true`): while a question or a permission waits for somebody, another agent is asked for
 * a proposal in the background. It answers nothing. What a person takes is exactly what was shown, named by its mark.
 */
import { createHash } from 'node:crypto';
import type { Inquiry, Suggestion, Verdict } from '../contract/index.js';
import type { DeskPorts } from './desk-ports.js';
import type { OpenCase } from './open-case.js';
import { verdictFits } from './verdict-fits.js';

export interface SuggestionPorts extends Pick<DeskPorts, 'changed' | 'clock' | 'consult' | 'consulting' | 'never'> {
  /** It is on record and can be seen. */
  proposed(open: OpenCase): void;
}

export class Suggestions {
  readonly #ports: SuggestionPorts;

  constructor(ports: SuggestionPorts) {
    this.#ports = ports;
  }

  /** Once for each inquiry, however often it changes hands. */
  want(open: OpenCase): void {
    if (!this.#ports.consulting.suggest || open.inquiry.exclusive || open.proposing) return;
    open.proposing = new AbortController();
    void this.#propose(open, open.proposing.signal);
  }

  async #propose(open: OpenCase, signal: AbortSignal): Promise<void> {
    const { inquiry } = open;
    const over = () => signal.aborted || open.stage === 'answered';
    // What cannot be judged is not handed on.
    const never = await this.#ports.never(inquiry).catch(() => ({ text: 'it cannot be judged', source: 'built-in' }));
    if (never || over()) return;
    const ms = Math.min(this.#ports.consulting.ms, open.deadline?.left ?? Number.POSITIVE_INFINITY);
    const how = { for: 'suggestion', signal, deadlineAt: this.#ports.clock.now() + ms } as const;
    const said = await this.#ports.consult(inquiry, how).catch((error: Error) => ({ none: error.message }));
    if ('none' in said || over() || !proposes(inquiry, said.verdict)) return;
    open.suggestion = { ...said, mark: markOf(inquiry.id, said) };
    this.#ports.proposed(open);
    this.#ports.changed();
  }
}

/** A question is proposed an answer, never a refusal; a permission a plain yes or no: nobody else's input. */
const proposes = (inquiry: Inquiry, verdict: Verdict): boolean =>
  verdictFits(inquiry, verdict) === undefined &&
  (inquiry.kind === 'question'
    ? verdict.kind === 'values'
    : verdict.kind === 'deny' || (verdict.kind === 'allow' && verdict.input === undefined));

/** Changes with every word of it. */
const markOf = (inquiry: string, suggestion: Suggestion): string =>
  createHash('sha256')
    .update(JSON.stringify([inquiry, suggestion]))
    .digest('hex')
    .slice(0, 12);
