/**
 * One desk for all inquiries of a session: permissions, results, questions, from whatever door. An inquiry is in the
 * journal before anyone is asked, is settled exactly once (the first valid answer wins), and is closed when the agent
 * has been told, no longer waits, or its deadline passed. Who answers is policy's decision; the desk carries it out.
 */
import {
  type Answer,
  answeredFor,
  type By,
  type Inquiry,
  type InquiryId,
  inquiryId,
  nameOf,
  ReinsError,
  type WaitingInquiry,
} from '../contract/index.js';
import { ClosedInquiries, isForTheUser } from './closed-inquiries.js';
import { Countdown, countdowns } from './countdown.js';
import type { Asked, DeskPorts, Draft, Settlement } from './desk-ports.js';
import type { OpenCase, ViewersAnswer } from './open-case.js';
import type { Stages } from './stages.js';
import { publicAnswer, secretsOf, shownCase, verdictFits } from './verdict-fits.js';

const THERE = 'answered in the agent’s own dialog';

export class Desk {
  readonly #ports: DeskPorts;
  #makeStages: DeskPorts['stages'];
  #walk: Stages | undefined;
  #open = new Map<InquiryId, OpenCase>();
  readonly #closed: ClosedInquiries;
  #count: number;
  readonly #secrets = new Set<string>();
  #held = false;
  #isLosing = false;

  constructor(ports: DeskPorts, opened = 0) {
    this.#ports = ports;
    this.#makeStages = ports.stages;
    this.#closed = new ClosedInquiries(ports.session);
    this.#count = opened;
  }

  /** For a host that judges nothing and has not loaded them: what it asks comes late. */
  walkBy(stages: DeskPorts['stages']): void {
    this.#makeStages = stages;
  }

  /** Made with the first inquiry: a host that asks nobody does not load it. */
  get #stages(): Stages {
    this.#walk ??= this.#makeStages({
      ...this.#ports,
      settle: (open, given) => this.#settle(open, given),
      countdown: (ms, call) => this.#countdown(ms, call),
      cases: () => this.#open.values(),
      again: (open, because) => this.#route(open, because),
    });
    return this.#walk;
  }

  /** What was typed unseen: remembered here alone, so that it can be kept out of what a model is shown. */
  get secrets(): ReadonlySet<string> {
    return this.#secrets;
  }

  /** Inquiries opened in this session so far. */
  get count(): number {
    return this.#count;
  }

  /** Those that wait for somebody's answer; what rules settle at once never shows up here. */
  list(): WaitingInquiry[] {
    return this.#those(waits);
  }

  /** Also those about which policy is still being asked: what a viewer that comes now, or an answer, has to know. */
  unsettled(): WaitingInquiry[] {
    return this.#those((open) => open.stage !== 'answered');
  }

  #those(wanted: (open: OpenCase) => boolean): WaitingInquiry[] {
    return [...this.#open.values()].filter(wanted).map((open) => shownCase(open, this.#walk?.progressOf(open)));
  }

  /** Answered for the user by another agent or from memory, and the agent does not know yet. */
  untold(): WaitingInquiry[] {
    return this.#those((open) => open.tell !== undefined);
  }

  /** What a person may still have a say in. Whoever counts and whoever lists go by it: who counts none is not asked. */
  shown(): WaitingInquiry[] {
    return [...this.list(), ...this.untold()];
  }

  /** One of those; throws what whoever asks for it should be told. */
  find(id: string): Inquiry {
    const open = this.#open.get(id as InquiryId);
    if (!open || open.stage === 'answered') throw this.#notOpen(id);
    return open.inquiry;
  }

  /** Every open inquiry waits for a person who is not here. */
  get parked(): boolean {
    const waiting = [...this.#open.values()].filter((open) => open.stage !== 'answered');
    return waiting.length > 0 && waiting.every((open) => open.stage === 'deferred');
  }

  /**
   * `held`: policy is not asked, because nothing it could say can be carried out; it waits for a person. `stays`: only a
   * refusal cannot be carried out, and it waits where policy would refuse.
   */
  open(draft: Draft, options: { deadlineMs?: number; held?: boolean; stays?: boolean } = {}): Asked {
    const open = this.#begin(draft, options.deadlineMs);
    open.stays = options.stays === true;
    if (!options.held) void this.#route(open);
    else this.#stages.wait(open);
    this.#ports.changed();
    return open;
  }

  /**
   * For an agent that shows its own dialog when we have nothing to say: settles what rules, trust or policy settle at
   * once, with all its entries, and leaves the rest alone.
   */
  async atOnce(draft: Draft): Promise<Settlement | undefined> {
    const presence = await this.#ports.presence();
    const id = inquiryId(this.#ports.session, this.#count + 1);
    const opened_at = new Date(this.#ports.clock.now()).toISOString();
    const inquiry = { ...draft, id, session: this.#ports.session, opened_at };
    const decision = await this.#ports.route(inquiry, presence, this.#stages.yeses.covering(draft));
    const kept = this.#ports.kept?.(draft, decision);
    if (!kept && decision.do !== 'settle') {
      this.#ports.presses.left(draft);
      return undefined;
    }
    // This decision, not another look: by now somebody may have come, and would be asked without the agent's dialog.
    const open = this.#begin(draft);
    if (kept) this.#settle(open, kept);
    else this.#stages.carryOut(open, decision, presence);
    open.delivered();
    return open.settled;
  }

  /** For what was answered before it was asked: on record like any other. */
  settled(draft: Draft, given: Omit<Answer, 'inquiry'>): Asked {
    const open = this.#begin(draft);
    this.#settle(open, given);
    return open;
  }

  /**
   * A viewer's answer. Throws what the viewer should be told. While policy is still being asked the answer is kept: a
   * deny rule beats everyone, and whoever answered sees in the journal who did.
   */
  answer(given: ViewersAnswer): Answer {
    const open = this.#open.get(given.inquiry as InquiryId);
    if (!open || (open.stage === 'answered' && !open.tell) || open.early) throw this.#notOpen(given.inquiry);
    const wrong = verdictFits(open.inquiry, given.verdict);
    if (wrong)
      throw new ReinsError('ANSWER_INVALID', { inquiry: given.inquiry, reason: wrong, fix: 'see `reins inbox`' });
    // A person comes before whoever answered for them, until the agent has been told. Both are on record.
    if (open.tell) return this.#settle(open, { ...given, ...(open.answer ? { overrules: open.answer.by } : {}) });
    if (open.stage !== 'routing') return this.#accept(open, given);
    open.early = given;
    return { ...given, inquiry: open.inquiry.id };
  }

  #accept(open: OpenCase, given: ViewersAnswer): Answer {
    if (given.scope === 'session' && given.verdict.kind === 'allow') void this.#grant(open.inquiry);
    return this.#settle(open, given);
  }

  async #grant(inquiry: Inquiry): Promise<void> {
    try {
      await this.#ports.grant(inquiry);
    } catch (error) {
      const text = `It was allowed once, but not for the session: ${(error as Error).message}`;
      this.#ports.journal.append('notice', { level: 'warn', text });
    }
  }

  /** Viewers came or went: an inquiry may have nobody left to answer it, or somebody at last. */
  viewersChanged(): void {
    this.#walk?.people.changed();
  }

  /** A paused session's deadlines stop too. */
  hold(): void {
    this.#held = true;
    for (const open of this.#open.values()) for (const countdown of countdowns(open)) countdown.hold();
  }

  release(): void {
    this.#held = false;
    for (const open of this.#open.values()) {
      for (const countdown of countdowns(open)) countdown.release();
      open.tell?.();
      // Everything lasts longer by the pause.
      if (open.rung ?? open.deadline) this.#walk?.moved(open);
    }
  }

  /** The host is ended from outside (the machine goes down): what waits is not withdrawn, it stays open on record. */
  lose(): void {
    this.#isLosing = true;
  }

  /** Everything still open is withdrawn: the agent is gone. */
  clear(reason: string): void {
    for (const open of [...this.#open.values()]) this.#withdraw(open, reason);
  }

  #begin(draft: Draft, deadlineMs?: number): OpenCase & Asked {
    const { session, journal, clock } = this.#ports;
    const now = clock.now();
    const id = inquiryId(session, ++this.#count);
    // Decided here, so that everyone who reads the inquiry, not only the routing, knows that it is a person's.
    const exclusive = this.#ports.exclusive(draft);
    const inquiry: Inquiry = { ...draft, exclusive, id, session, opened_at: new Date(now).toISOString() };
    if (deadlineMs !== undefined) inquiry.deadline_at = new Date(now + deadlineMs).toISOString();
    let resolve: OpenCase['resolve'] = () => undefined;
    const settled = new Promise<Settlement | undefined>((done) => {
      resolve = done;
    });
    const open: OpenCase & Asked = {
      inquiry,
      stage: 'routing',
      attended: false,
      consultation: undefined,
      rung: undefined,
      grace: undefined,
      mark: this.#ports.presses.since(draft),
      resolve,
      id,
      settled,
      delivered: () => {
        if (open.answer) this.#close(open, 'delivered');
      },
      withdraw: (reason, there) => (there ? this.#goneThere(open, reason) : this.#withdraw(open, reason)),
    };
    this.#open.set(id, open);
    journal.append('inquiry.opened', { inquiry });
    if (deadlineMs !== undefined) open.deadline = this.#countdown(deadlineMs, () => this.#expire(open));
    return open;
  }

  async #route(open: OpenCase, because?: string): Promise<void> {
    const { people } = this.#stages;
    const look = people.looks;
    try {
      const presence = await this.#ports.presence();
      if (open.stage !== 'routing') return;
      const decision = await this.#ports.route(open.inquiry, presence, this.#stages.yeses.covering(open.inquiry));
      if (open.stage !== 'routing') return;
      open.attended = presence.present;
      const settles = decision.do === 'settle' && !(open.stays && decision.verdict.kind === 'deny');
      if (open.early && !settles) this.#accept(open, open.early);
      else {
        const kept = this.#ports.kept?.(open.inquiry, decision);
        if (kept) this.#settle(open, kept);
        else this.#stages.carryOut(open, decision, presence, because);
      }
    } catch (error) {
      if (open.stage === 'answered') return;
      // Whatever went wrong while deciding, the agent gets a clear no.
      const rule = { text: 'the policy could not be applied', source: 'built-in' };
      this.#settle(open, {
        verdict: { kind: 'deny' },
        by: { kind: 'policy', rule },
        reason: `Reins could not decide: ${(error as Error).message}`,
      });
    }
    // Whoever was there may have left while this was decided, or somebody may have come.
    if (look !== people.looks) people.changed();
  }

  #countdown(ms: number, call: () => void): Countdown {
    const countdown = new Countdown({ ms, clock: this.#ports.clock, call });
    if (this.#held) countdown.hold();
    return countdown;
  }

  #settle(open: OpenCase, given: Omit<Answer, 'inquiry'>): Answer {
    const answer: Answer = { ...given, inquiry: open.inquiry.id };
    open.answer = answer;
    open.stage = 'answered';
    this.#stages.yeses.answered(open.inquiry, answer);
    open.consultation?.abort('it was answered');
    open.proposing?.abort('it was answered');
    for (const countdown of countdowns(open)) countdown.cancel();
    for (const secret of secretsOf(open.inquiry, answer)) this.#secrets.add(secret);
    this.#ports.journal.append('inquiry.answered', { answer: publicAnswer(open.inquiry, answer) });
    const { verdict, reason } = answer;
    const voice = answeredFor(answer);
    const tell = () => {
      open.tell = undefined;
      open.resolve({ verdict, ...(reason === undefined ? {} : { reason }), ...(voice === undefined ? {} : { voice }) });
    };
    // The agent stands still and needs no answer yet: until it goes on, a person may think better of it.
    if (this.#held && isForTheUser(answer.by)) open.tell = tell;
    else tell();
    this.#ports.changed();
    return answer;
  }

  #expire(open: OpenCase): void {
    if (open.stage === 'answered') return;
    if (!open.attended) this.#ports.deniedUnasked(open.inquiry, undefined);
    this.#settle(open, {
      verdict: { kind: 'deny' },
      by: { kind: 'deadline' },
      reason: 'Nobody answered in time. Go on without it, or try another way.',
    });
  }

  #withdraw(open: OpenCase, reason: string): void {
    if (!this.#open.has(open.inquiry.id)) return;
    const unanswered = open.stage !== 'answered' || open.tell !== undefined;
    open.tell = undefined;
    open.stage = 'answered';
    if (unanswered && this.#isLosing) this.#letGo(open);
    else this.#close(open, 'cancelled', reason);
    if (unanswered) open.resolve(undefined);
  }

  #goneThere(open: OpenCase, otherwise: string): void {
    if (!this.#open.has(open.inquiry.id)) return;
    const press = open.stage === 'answered' ? undefined : this.#ports.presses.take(open.mark, open.inquiry.id);
    if (!press) {
      this.#withdraw(open, otherwise);
      return;
    }
    const by: By = press.viewer === undefined ? { kind: 'agent' } : { kind: 'viewer', viewer: press.viewer };
    open.stage = 'answered';
    this.#close(open, 'cancelled', THERE, by);
    open.resolve(undefined);
  }

  #letGo(open: OpenCase): void {
    this.#open.delete(open.inquiry.id);
    open.consultation?.abort('the host ends');
    for (const countdown of countdowns(open)) countdown.cancel();
  }

  #close(open: OpenCase, how: 'delivered' | 'cancelled', reason?: string, by?: By): void {
    if (!this.#open.delete(open.inquiry.id)) return;
    open.consultation?.abort('it is no longer asked');
    open.proposing?.abort('it is no longer asked');
    for (const countdown of countdowns(open)) countdown.cancel();
    const expired = how === 'delivered' && open.answer?.by.kind === 'deadline';
    this.#closed.remember(open.inquiry, { ...open, ...(reason === undefined ? {} : { reason }) });
    this.#ports.journal.append('inquiry.closed', {
      inquiry: open.inquiry.id,
      how: expired ? 'expired' : how,
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
    });
    this.#ports.changed();
  }

  #notOpen(id: string): ReinsError {
    const open = this.#open.get(id as InquiryId);
    const by = open?.answer?.by ?? open?.early?.by;
    const how = by ? `answered by ${nameOf(by)}` : this.#closed.howOf(id, this.#count);
    return how
      ? new ReinsError('ANSWERED_ALREADY', { inquiry: id, how })
      : new ReinsError('NO_SUCH_INQUIRY', { inquiry: id });
  }
}

/** It waits for somebody's answer; what rules settle at once never does. */
const waits = (open: OpenCase): boolean => open.stage !== 'answered' && open.stage !== 'routing';

export type { Asked, DeskPorts, Draft, Settlement } from './desk-ports.js';
export { nameOf };
