/** Carries out what policy decided about one open inquiry: asks, consults, defers, or goes up a ladder rung by rung. */
import type { Answer, Presence } from '../contract/index.js';
import type { Decision, Rung } from '../policy/index.js';
import { verdictFits } from './answer-words.js';
import { type Countdown, endRung } from './countdown.js';
import type { DeskPorts } from './desk-ports.js';
import type { OpenCase } from './open-case.js';

/** What the desk does for it. */
export interface StagePorts extends Pick<DeskPorts, 'changed' | 'consult' | 'deniedUnasked'> {
  settle(open: OpenCase, given: Omit<Answer, 'inquiry'>): void;
  countdown(ms: number, call: () => void): Countdown;
}

export class Stages {
  readonly #ports: StagePorts;

  constructor(ports: StagePorts) {
    this.#ports = ports;
  }

  /** `next` is what follows a consultation without an answer, where a ladder goes on. */
  carryOut(open: OpenCase, decision: Decision, presence: Presence, next?: () => void): void {
    if (isOver(open)) return;
    switch (decision.do) {
      case 'settle': {
        const { verdict, by, reason, fix } = decision;
        if (verdict.kind === 'deny' && by.kind === 'policy' && !presence.present) {
          this.#ports.deniedUnasked(open.inquiry, fix);
        }
        this.#ports.settle(open, { verdict, by, ...(verdict.kind === 'deny' ? { reason } : {}) });
        return;
      }
      case 'ask':
        open.stage = 'asking';
        break;
      case 'defer':
        open.stage = 'deferred';
        break;
      case 'consult':
        open.stage = 'consulting';
        void this.#consult(open, next ?? (() => this.carryOut(open, decision.onNoAnswer, presence)));
        break;
      case 'ladder':
        this.#climb(open, decision.rungs, presence);
        return;
    }
    this.#ports.changed();
  }

  /** Tries each rung for its time, then the next; the last one stays. */
  #climb(open: OpenCase, rungs: Rung[], presence: Presence): void {
    const [first, ...rest] = rungs;
    if (!first || isOver(open)) return;
    endRung(open);
    const next = rest.length > 0 ? () => this.#climb(open, rest, presence) : undefined;
    this.carryOut(open, first, presence, next);
    if (next && first.forMs !== undefined && !isOver(open)) open.rung = this.#ports.countdown(first.forMs, next);
  }

  async #consult(open: OpenCase, withoutAnswer: () => void): Promise<void> {
    const mine = new AbortController();
    open.consultation?.abort('another one has begun');
    open.consultation = mine;
    const { deadline_at } = open.inquiry;
    const deadline = deadline_at ? { deadlineAt: Date.parse(deadline_at) } : {};
    const consulted = await this.#ports
      .consult(open.inquiry, { for: 'answer', signal: mine.signal, ...deadline })
      .catch((error: Error) => ({ none: error.message }));
    if (open.stage !== 'consulting' || open.consultation !== mine) return;
    open.consultation = undefined;
    if (!('none' in consulted) && !verdictFits(open.inquiry, consulted.verdict)) this.#ports.settle(open, consulted);
    else withoutAnswer();
  }
}

const isOver = (open: OpenCase): boolean => open.stage === 'answered';
