/**
 * One desk for all inquiries of a session: permissions, results, questions, from whatever door. An inquiry is in the
 * journal before anyone is asked, is settled exactly once (the first valid answer wins), and is closed when the agent
 * has been told, no longer waits, or its deadline passed. Who answers is policy's decision; the desk carries it out.
 */
import {
  type Answer,
  type By,
  type Clock,
  type Inquiry,
  type InquiryId,
  inquiryId,
  type Presence,
  ReinsError,
  type SessionId,
  type Verdict,
} from '../contract/index.js';
import type { Journal } from '../journal/index.js';
import type { Decision, Rung } from '../policy/index.js';
import { publicAnswer, verdictFits } from './answer-words.js';
import { Countdown } from './countdown.js';

export type Draft = Omit<Inquiry, 'id' | 'session' | 'opened_at' | 'deadline_at'>;

/** How an inquiry came out, for the door that raised it. */
export interface Settlement {
  verdict: Verdict;
  reason?: string;
}

export interface DeskPorts {
  session: SessionId;
  journal: Journal;
  clock: Clock;
  /** After the last viewer left, how long an open inquiry still waits for one to come back. */
  graceMs: number;
  presence(): Promise<Presence>;
  route(inquiry: Inquiry, presence: Presence): Promise<Decision>;
  /** Contract: resolves with an answer or undefined, never rejects. */
  consult(inquiry: Inquiry): Promise<{ verdict: Verdict; by: By } | undefined>;
  /** `allow for this session` was said. */
  grant(inquiry: Inquiry): Promise<unknown>;
  /** Something about the open inquiries changed: opened, deferred, settled, closed. */
  changed(): void;
  /** Denied because nobody was there to ask. */
  deniedUnasked(inquiry: Inquiry, fix: string | undefined): void;
}

interface Open {
  inquiry: Inquiry;
  stage: 'routing' | 'asking' | 'consulting' | 'deferred' | 'answered';
  answer?: Answer;
  resolve(settlement: Settlement | undefined): void;
  countdowns: Countdown[];
}

export interface Asked {
  id: InquiryId;
  /** Resolves once: settled, or undefined when it was withdrawn. Never rejects. */
  settled: Promise<Settlement | undefined>;
  /** The agent has been told. */
  delivered(): void;
  /** The agent no longer waits. May be called at any time, also after it was settled. */
  withdraw(reason: string): void;
}

/** How many closed inquiries can still be told "answered already, by …" from memory. */
const MOST_REMEMBERED = 1000;

export class Desk {
  readonly #ports: DeskPorts;
  #open = new Map<InquiryId, Open>();
  #closed = new Map<string, string>();
  #count: number;
  #held = false;

  constructor(ports: DeskPorts, opened = 0) {
    this.#ports = ports;
    this.#count = opened;
  }

  /** Inquiries opened in this session so far. */
  get count(): number {
    return this.#count;
  }

  /** Those that wait for somebody's answer; what rules settle at once never shows up here. */
  list(): Inquiry[] {
    return [...this.#open.values()].filter(waits).map((open) => open.inquiry);
  }

  /** Every open inquiry waits for a person who is not here. */
  get parked(): boolean {
    const waiting = [...this.#open.values()].filter((open) => open.stage !== 'answered');
    return waiting.length > 0 && waiting.every((open) => open.stage === 'deferred');
  }

  open(draft: Draft, options: { deadlineMs?: number } = {}): Asked {
    const { session, journal, clock } = this.#ports;
    const now = clock.now();
    const id = inquiryId(session, ++this.#count);
    const inquiry: Inquiry = { ...draft, id, session, opened_at: new Date(now).toISOString() };
    if (options.deadlineMs !== undefined) inquiry.deadline_at = new Date(now + options.deadlineMs).toISOString();
    let resolve: Open['resolve'] = () => undefined;
    const settled = new Promise<Settlement | undefined>((done) => {
      resolve = done;
    });
    const open: Open = { inquiry, stage: 'routing', resolve, countdowns: [] };
    this.#open.set(id, open);
    journal.append('inquiry.opened', { inquiry });
    if (options.deadlineMs !== undefined) this.#countdown(open, options.deadlineMs, () => this.#expire(open));
    this.#ports.changed();
    void this.#route(open);
    return {
      id,
      settled,
      delivered: () => this.#close(open, 'delivered'),
      withdraw: (reason) => this.#withdraw(open, reason),
    };
  }

  /**
   * For an agent that shows its own dialog when we have nothing to say: settles what rules, trust or policy settle at
   * once, with all its entries, and leaves the rest alone.
   */
  async atOnce(draft: Draft): Promise<Settlement | undefined> {
    const presence = await this.#ports.presence();
    const id = inquiryId(this.#ports.session, this.#count + 1);
    const opened_at = new Date(this.#ports.clock.now()).toISOString();
    const decision = await this.#ports.route({ ...draft, id, session: this.#ports.session, opened_at }, presence);
    if (decision.do !== 'settle') return undefined;
    const asked = this.open(draft);
    const settled = await asked.settled;
    asked.delivered();
    return settled;
  }

  /** A viewer's answer. Throws what the viewer should be told. */
  answer(given: { inquiry: string; verdict: Verdict; by: By; reason?: string; scope?: 'once' | 'session' }): Answer {
    const open = this.#open.get(given.inquiry as InquiryId);
    if (!open || open.stage === 'answered') throw this.#notOpen(given.inquiry);
    const wrong = verdictFits(open.inquiry, given.verdict);
    if (wrong)
      throw new ReinsError('ANSWER_INVALID', { inquiry: given.inquiry, reason: wrong, fix: 'see `reins inbox`' });
    if (given.scope === 'session' && given.verdict.kind === 'allow') void this.#ports.grant(open.inquiry);
    return this.#settle(open, given);
  }

  /** Viewers came or went: an inquiry that was being asked may have nobody left to answer it. */
  viewersChanged(): void {
    for (const open of this.#open.values()) {
      if (open.stage === 'asking') this.#countdown(open, this.#ports.graceMs, () => void this.#recheck(open));
    }
  }

  /** A paused session's deadlines stop too. */
  hold(): void {
    this.#held = true;
    for (const open of this.#open.values()) for (const countdown of open.countdowns) countdown.hold();
  }

  release(): void {
    this.#held = false;
    for (const open of this.#open.values()) for (const countdown of open.countdowns) countdown.release();
  }

  /** Everything still open is withdrawn: the agent is gone. */
  clear(reason: string): void {
    for (const open of [...this.#open.values()]) this.#withdraw(open, reason);
  }

  async #route(open: Open): Promise<void> {
    try {
      const presence = await this.#ports.presence();
      if (open.stage !== 'routing') return;
      const decision = await this.#ports.route(open.inquiry, presence);
      if (open.stage === 'routing') this.#carryOut(open, decision, presence);
    } catch (error) {
      // Whatever went wrong while deciding, the agent gets a clear no.
      const rule = { text: 'the policy could not be applied', source: 'built-in' };
      this.#settle(open, {
        verdict: { kind: 'deny' },
        by: { kind: 'policy', rule },
        reason: `Reins could not decide: ${(error as Error).message}`,
      });
    }
  }

  #carryOut(open: Open, decision: Decision, presence: Presence): void {
    if (open.stage === 'answered') return;
    switch (decision.do) {
      case 'settle': {
        const { verdict, by, reason, fix } = decision;
        if (verdict.kind === 'deny' && by.kind === 'policy' && !presence.present) {
          this.#ports.deniedUnasked(open.inquiry, fix);
        }
        this.#settle(open, { verdict, by, ...(verdict.kind === 'deny' ? { reason } : {}) });
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
        void this.#consult(open, decision, presence);
        break;
      case 'ladder':
        this.#climb(open, decision.rungs, presence);
        return;
    }
    this.#ports.changed();
  }

  /** Tries each rung for its time, then the next; the last one stays. */
  #climb(open: Open, rungs: Rung[], presence: Presence): void {
    const [first, ...rest] = rungs;
    if (!first || open.stage === 'answered') return;
    this.#carryOut(open, first, presence);
    if (rest.length > 0 && first.forMs !== undefined) {
      this.#countdown(open, first.forMs, () => this.#climb(open, rest, presence));
    }
  }

  async #consult(open: Open, decision: Extract<Decision, { do: 'consult' }>, presence: Presence): Promise<void> {
    const answer = await this.#ports.consult(open.inquiry);
    if (open.stage !== 'consulting') return;
    if (answer && !verdictFits(open.inquiry, answer.verdict)) this.#settle(open, answer);
    else this.#carryOut(open, decision.onNoAnswer, presence);
  }

  async #recheck(open: Open): Promise<void> {
    if (open.stage !== 'asking') return;
    const presence = await this.#ports.presence();
    if (presence.present || open.stage !== 'asking') return;
    open.stage = 'routing';
    await this.#route(open);
  }

  #countdown(open: Open, ms: number, call: () => void): void {
    const countdown = new Countdown({ ms, clock: this.#ports.clock, call });
    if (this.#held) countdown.hold();
    open.countdowns.push(countdown);
  }

  #settle(open: Open, given: Omit<Answer, 'inquiry'>): Answer {
    const answer: Answer = { inquiry: open.inquiry.id, ...given };
    open.answer = answer;
    open.stage = 'answered';
    this.#ports.journal.append('inquiry.answered', { answer: publicAnswer(open.inquiry, answer) });
    open.resolve({ verdict: answer.verdict, ...(answer.reason === undefined ? {} : { reason: answer.reason }) });
    this.#ports.changed();
    return answer;
  }

  #expire(open: Open): void {
    if (open.stage === 'answered') return;
    this.#settle(open, {
      verdict: { kind: 'deny' },
      by: { kind: 'deadline' },
      reason: 'Nobody answered in time. Go on without it, or try another way.',
    });
  }

  #withdraw(open: Open, reason: string): void {
    if (!this.#open.has(open.inquiry.id)) return;
    const unanswered = open.stage !== 'answered';
    open.stage = 'answered';
    this.#close(open, 'cancelled', reason);
    if (unanswered) open.resolve(undefined);
  }

  #close(open: Open, how: 'delivered' | 'cancelled', reason?: string): void {
    if (!this.#open.delete(open.inquiry.id)) return;
    for (const countdown of open.countdowns) countdown.cancel();
    const expired = how === 'delivered' && open.answer?.by.kind === 'deadline';
    this.#remember(open, reason);
    this.#ports.journal.append('inquiry.closed', {
      inquiry: open.inquiry.id,
      how: expired ? 'expired' : how,
      ...(reason === undefined ? {} : { reason }),
    });
    this.#ports.changed();
  }

  #remember(open: Open, reason: string | undefined): void {
    this.#closed.set(open.inquiry.id, open.answer ? `answered by ${nameOf(open.answer.by)}` : (reason ?? 'withdrawn'));
    if (this.#closed.size > MOST_REMEMBERED) this.#closed.delete(this.#closed.keys().next().value!);
  }

  #notOpen(id: string): ReinsError {
    const open = this.#open.get(id as InquiryId);
    const how = open?.answer ? `answered by ${nameOf(open.answer.by)}` : this.#closed.get(id);
    return how
      ? new ReinsError('ANSWERED_ALREADY', { inquiry: id, how })
      : new ReinsError('NO_SUCH_INQUIRY', { inquiry: id });
  }
}

const waits = (open: Open): boolean => open.stage !== 'answered' && open.stage !== 'routing';

/** Who answered, in words for a person. */
export function nameOf(by: By): string {
  switch (by.kind) {
    case 'viewer':
      return by.name ?? by.viewer;
    case 'rule':
    case 'grant':
    case 'policy':
    case 'trust':
      return `${by.rule.text} (${by.rule.source})`;
    case 'consultant':
      return `the consultant ${by.adapter}`;
    case 'default':
      return 'the default';
    case 'deadline':
      return 'the deadline';
    case 'agent':
      return 'the agent’s own dialog';
  }
}
