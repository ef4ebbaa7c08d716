/**
 * Carries out what policy decided about one open inquiry: asks, consults, defers, or goes up a ladder rung by rung. Every
 * stage is told (`inquiry.moved`): until when it lasts, what comes then, why the one before gave no answer.
 */
import type { Answer, Presence, Progress, Suggestion } from '../contract/index.js';
import type { Decision, Rung } from '../policy/index.js';
import { Attendance, type AttendancePorts } from './attendance.js';
import { endRung } from './countdown.js';
import type { DeskPorts } from './desk-ports.js';
import { fitLadder } from './fit-ladder.js';
import type { OpenCase } from './open-case.js';
import { Suggestions } from './suggestions.js';
import { verdictFits } from './verdict-fits.js';
import { Yeses } from './yeses.js';

/** What the desk does for it. */
export interface StagePorts
  extends AttendancePorts,
    Pick<DeskPorts, 'changed' | 'clock' | 'consult' | 'consulting' | 'deniedUnasked' | 'journal' | 'never'> {
  settle(open: OpenCase, given: Omit<Answer, 'inquiry'>): void;
}

/** A consultant is told to be ready a moment before its rung ends: its own word on why it was late comes first. */
const READY_BEFORE = 0.02;

export class Stages {
  readonly #ports: StagePorts;
  readonly yeses = new Yeses();

  readonly people: Attendance;
  readonly #suggestions: Suggestions;

  constructor(ports: StagePorts) {
    this.#ports = ports;
    this.people = new Attendance(ports);
    this.#suggestions = new Suggestions({ ...ports, proposed: (open) => this.moved(open, open.suggestion) });
  }

  /** `because`: why whoever had it before gave no answer. */
  carryOut(open: OpenCase, decision: Decision, presence: Presence, because?: string): void {
    const time = { leftMs: open.deadline?.left, consultMs: this.#ports.consulting.ms };
    const rungs = presence.present ? rungsOf(decision) : goneOn(open, decision, presence);
    this.#climb(open, fitLadder(rungs, time), presence, because);
  }

  /** Nobody decides about it: it waits for a person. */
  wait(open: OpenCase): void {
    open.stage = 'asking';
    this.moved(open);
    this.#suggestions.want(open);
  }

  /** Where it stands now, for whoever asks; undefined while that is being decided, and when it is answered. */
  progressOf(open: OpenCase): Progress | undefined {
    if (open.stage === 'routing' || open.stage === 'answered') return undefined;
    const ends = open.rung ? open.rung.endsAt : open.deadline?.endsAt;
    const next = open.rung ? open.after : open.deadline && 'deny';
    const consults = open.stage === 'consulting' || next === 'consult';
    return {
      stage: open.stage,
      ...(ends === undefined ? {} : { until: new Date(ends).toISOString() }),
      ...(next === undefined ? {} : { next }),
      ...(consults ? { who: this.#ports.consulting.who } : {}),
      ...(open.because === undefined ? {} : { because: open.because }),
    };
  }

  moved(open: OpenCase, suggestion?: Suggestion): void {
    const progress = this.progressOf(open);
    if (!progress) return;
    const news = { inquiry: open.inquiry.id, ...progress, ...(suggestion ? { suggestion } : {}) };
    this.#ports.journal.append('inquiry.moved', news);
  }

  /** Tries each rung for its time, then the next; the last one stays. */
  #climb(open: OpenCase, rungs: Rung[], presence: Presence, because?: string): void {
    const [rung, ...rest] = rungs;
    if (!rung || open.stage === 'answered') return;
    endRung(open);
    open.consultation?.abort('its time is over');
    open.consultation = undefined;
    if (open.away && !presence.present) open.away.rungs = rungs;
    if (open.came) {
      this.people.take(open, because);
      return;
    }
    if (rung.do === 'settle') {
      if (open.stays && rung.verdict.kind === 'deny') this.#stay(open, because ?? rung.reason);
      else this.#settle(open, rung, presence);
      return;
    }
    open.stage = STAGES[rung.do];
    open.because = [because, rung.because].filter((why) => why !== undefined).join('; ') || undefined;
    open.after = rest[0] && wordOf(rest[0]);
    const next = (why: string) => this.#climb(open, rest, presence, why);
    if (rest.length > 0 && rung.forMs !== undefined) {
      open.rung = this.#ports.countdown(rung.forMs, () => next(lateWords(rung, this.#ports.consulting.who)));
    }
    this.moved(open);
    if (rung.do === 'consult') void this.#consult(open, next);
    else this.#suggestions.want(open);
    this.#ports.changed();
  }

  /** A refusal that cannot be told: whoever comes finds it open. */
  #stay(open: OpenCase, because: string): void {
    open.because = because;
    open.after = undefined;
    this.wait(open);
    this.#ports.changed();
  }

  #settle(open: OpenCase, decided: Extract<Rung, { do: 'settle' }>, presence: Presence): void {
    const { verdict, by, reason, fix } = decided;
    if (verdict.kind === 'deny' && by.kind === 'policy' && !presence.present) {
      this.#ports.deniedUnasked(open.inquiry, fix);
    }
    this.#ports.settle(open, { verdict, by, ...(verdict.kind === 'deny' ? { reason } : {}) });
  }

  async #consult(open: OpenCase, next: (why: string) => void): Promise<void> {
    open.proposing?.abort('it is asked for an answer now');
    const mine = new AbortController();
    open.consultation = mine;
    const left = open.rung?.left ?? this.#ports.consulting.ms;
    const deadlineAt = this.#ports.clock.now() + Math.floor(left * (1 - READY_BEFORE));
    const consulted = await this.#ports
      .consult(open.inquiry, { for: 'answer', signal: mine.signal, deadlineAt })
      .catch((error: Error) => ({ none: error.message }));
    if (open.stage !== 'consulting' || open.consultation !== mine) return;
    open.consultation = undefined;
    const why = 'none' in consulted ? consulted.none : verdictFits(open.inquiry, consulted.verdict);
    if (why === undefined && !('none' in consulted)) this.#ports.settle(open, consulted);
    else next(why ?? 'it had no answer');
  }
}

const STAGES = { ask: 'asking', consult: 'consulting', defer: 'deferred' } as const;

/** Behind a consultation that ends a list comes what counts without an answer. */
function rungsOf(decision: Decision): Rung[] {
  const rungs = decision.do === 'ladder' ? decision.rungs : [decision];
  const last = rungs.at(-1);
  return last?.do === 'consult' ? [...rungs, last.onNoAnswer] : rungs;
}

/** Where it stood before somebody came and left, if that is still what is written for nobody there. */
function goneOn(open: OpenCase, decision: Decision, { reachable }: Presence): Rung[] {
  const here = { rule: decision.rule, reachable: reachable !== undefined, rungs: rungsOf(decision) };
  const { away } = open;
  const isSame =
    decision.do !== 'settle' &&
    away?.reachable === here.reachable &&
    away.rule.text === here.rule.text &&
    away.rule.source === here.rule.source;
  if (!isSame) open.away = here;
  return open.away?.rungs ?? here.rungs;
}

function wordOf(rung: Rung): Progress['next'] {
  if (rung.do !== 'settle') return rung.do;
  return rung.verdict.kind === 'values' ? 'default' : rung.verdict.kind;
}

function lateWords(rung: Rung, who: string): string {
  const secs = Math.round((rung.forMs ?? 0) / 1000);
  return rung.do === 'consult' ? `${who} gave no answer within ${secs} s` : `nobody answered within ${secs} s`;
}
