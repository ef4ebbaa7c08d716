/**
 * One session alive: composes the journal, the desk, the viewers, the driver lease and the work. One way out (the
 * journal, and raw bytes), one way in (commands). Its process may be watched by many and needs none of them.
 */
import { type Inquiry, once, ReinsError, type SessionRow, type SessionState } from '../contract/index.js';
import { countOf, fittingInquiries, isEmpty, type Journal } from '../journal/journal.js';
import type { Link } from '../link/serve.js';
import type { Entrance } from './access.js';
import type { AgentNeeds } from './agent-needs.js';
import { AgentProcess } from './agent-process.js';
import { chapterOf, denialOf, endOf, rowOf, startOf } from './chapters.js';
import { runCommand } from './commands.js';
import type { GatherPorts } from './consult/gather.js';
import type { LazyConsultant } from './consult/lazy.js';
import { Desk, type DeskPorts } from './desk.js';
import type { HostOptions } from './host-options.js';
import type { Messages, MessagesPorts } from './messages.js';
import type { Finish, Work } from './modes/work.js';
import type { Parent } from './parent.js';
import type { SessionPolicy } from './policy.js';
import { presenceNow } from './presence.js';
import { Presses } from './presses.js';
import type { SessionSpec } from './spec.js';
import { type StateFacts, ToldState } from './told-state.js';
import { Viewers, type ViewersPorts } from './viewers.js';
import type { Watch } from './watch-calls.js';

/** For one command: what it asks at its terminal is for people. */
const NOBODY: DeskPorts['consulting'] = { who: 'another agent', ms: 0, suggest: false };
const nobodyConsulted: DeskPorts['consult'] = async () => ({ none: 'one command consults nobody' });
const asksNobody = () => new ReinsError('BUG', { reason: 'one command asks nobody' });

const NEVER_SEEN: Finish = { outcome: 'stopped', exitCode: 129, reason: 'the run that started it was gone at once' };

/** One command is rarely spoken to, and not soon. */
export const loadMessages = once(() => import('./messages.js'));

/** Deferred inquiries wait: the run is over for now, the session is not. */
const PARKED_EXIT = 5;

export class Host {
  readonly desk: Desk;
  readonly viewers: Viewers;
  readonly work: Work;
  readonly #options: HostOptions;
  readonly #needs: AgentNeeds | undefined;
  readonly #state: ToldState;
  #paused = false;
  #messages: Messages | undefined;
  #finished: Finish | undefined;
  #isLost = false;
  readonly #tripwire: Watch | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
    const { spec, journal, clock, before } = options;
    this.#state = new ToldState({
      ...{ journal, clock },
      isPaused: () => this.#paused,
      waiting: () => this.desk.list().map((inquiry) => inquiry.id),
    });
    const presses = new Presses(clock);
    const { answers, needs } = options.judging ?? {};
    this.viewers = new Viewers(this.#viewersPorts());
    this.#needs = needs?.({
      spec,
      viewers: this.viewers,
      messages: this.#messagesPorts(),
      consulting: {
        ...options,
        start: options.start ?? AgentProcess.start,
        recall: async (inquiry) => answers?.recall(inquiry),
        secrets: () => this.#secrets(),
      },
    });
    this.#messages = this.#needs?.messages;
    const consultant = this.#needs?.consultant;
    this.desk = new Desk(
      {
        session: spec.id,
        journal,
        clock,
        graceMs: spec.config.presence.grace_secs * 1000,
        presses,
        presence: () =>
          presenceNow({
            nonInteractive: spec.seat.non_interactive,
            viewers: this.viewers,
            reachable: () => this.#judging.reachable(),
          }),
        route: (inquiry, presence, covered) => this.policy.route(inquiry, presence, covered),
        kept: (draft, decision) => options.lost?.instead(draft, decision),
        exclusive: (draft) => (options.judging ? this.policy.exclusive(draft) : draft.exclusive),
        consult: consultant?.consult ?? nobodyConsulted,
        stages: (ports) => this.#judging.stages(ports),
        consulting: consultant?.consulting ?? NOBODY,
        never: (inquiry) => this.policy.never(inquiry),
        grant: (inquiry) => this.policy.grant(inquiry),
        changed: () => this.#deskChanged(),
        deniedUnasked: (inquiry, fix) => this.#deniedUnasked(inquiry, fix),
      },
      countOf(before, 'inquiry.opened'),
    );
    const { dir, env, log, hook, bin, inside, judging } = options;
    this.#tripwire = judging?.watch({
      spec,
      journal,
      policy: judging.policy,
      presses,
      over: () => this.#finished !== undefined,
      isStopping: () => this.work.isStopping,
      stop: () => void this.work.stop({ how: 'kill', why: 'ungated' }),
    });
    this.work = options.work({
      spec,
      dir,
      env,
      journal,
      before,
      desk: this.desk,
      clock,
      log,
      hook,
      bin,
      ...(inside ? { inside } : {}),
      presses,
      start: options.start ?? AgentProcess.start,
      seen: (output) => this.#tripwire?.said(output),
      wear: (rules) => this.policy.wear(rules),
      state: (state, facts) => this.#stateIs(state, facts ?? {}),
      shown: () => this.#state.now,
      free: () => this.#messages?.look(),
      keyOf: (prompt) => this.#messages?.keyOf(prompt),
      partial: (text) => this.#needs?.partial.add(text),
      used: () => this.#needs?.used.tell(),
      stderr: (bytes) => {
        this.viewers.each((viewer) => viewer.stderr(bytes));
        this.#holdForTied();
      },
    });
    journal.subscribe((entry) => {
      const chapter = chapterOf(entry);
      if (chapter !== undefined) this.work.terminal?.recording?.marker(chapter);
      if (entry.type === 'agent.text') this.#holdForTied();
      if (entry.type === 'inquiry.answered' && entry.data.answer.earlier !== undefined)
        options.lost?.given(entry.data.answer.earlier);
    });
    this.work.terminal?.subscribe((offset, bytes) => {
      this.viewers.show(offset, bytes);
      this.#holdForTied();
    });
  }

  /** The run that started the session may slow its agent down, so that it misses nothing; no other viewer can. */
  #holdForTied(): void {
    const outbox = this.viewers.tied?.outbox;
    if (outbox?.crowded) this.work.holdOutput?.(outbox.room());
  }

  get spec(): SessionSpec {
    return this.#options.spec;
  }

  get parent(): Parent | undefined {
    return this.#options.parent;
  }

  get journal(): Journal {
    return this.#options.journal;
  }

  get policy(): SessionPolicy {
    return this.#judging.policy;
  }

  get #judging(): NonNullable<HostOptions['judging']> {
    const { judging } = this.#options;
    if (!judging) throw asksNobody();
    return judging;
  }

  /** What a consultant's pack is made of. */
  get gathering(): GatherPorts {
    const { spec, dir, env, journal } = this.#options;
    return { spec, dir, env, journal, secrets: () => this.#secrets() };
  }

  /** Who would be consulted, and what stands in the way. */
  get standing(): LazyConsultant['standing'] {
    if (!this.#needs) throw asksNobody();
    return this.#needs.consultant.standing;
  }

  /** What is said to its agent, or to its one command. */
  async messages(): Promise<Messages> {
    if (this.#messages) return this.#messages;
    const { Messages: Said } = await loadMessages();
    this.#messages ??= new Said(this.#messagesPorts());
    return this.#messages;
  }

  #messagesPorts(): MessagesPorts {
    const { spec, journal, clock, before } = this.#options;
    return {
      session: () => spec.id,
      paused: () => this.#paused,
      work: () => this.work,
      state: () => this.#state.now,
      ...{ journal, clock, before },
    };
  }

  get hookSecret(): string {
    return this.#options.hook.secret;
  }

  #secrets(): string[] {
    return [this.hookSecret, ...this.desk.secrets];
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** The one way in: what comes over this link is heard as far as who is at its other end has the right. */
  accept(link: Link, entrance: Entrance): void {
    this.viewers.accept(link, entrance);
  }

  /** Runs the session to its end. Contract: resolves when nothing of it runs any more; never rejects. */
  async run(): Promise<Finish> {
    const { spec, journal, before } = this.#options;
    journal.append('session.started', startOf(spec, { continues: !isEmpty(before) }));
    this.#options.lost?.begun();
    this.#messages?.begin();
    this.work.warmUp?.();
    const ended = (await this.viewers.first()) ? await this.work.run() : NEVER_SEEN;
    // The last of what it did may still be judged.
    const finish = (await this.#tripwire?.quiet()) ?? ended;
    this.desk.clear('the session ended');
    // Whoever was consulted ends with the session, and is on record before its last entry.
    await this.#needs?.consultant.close();
    if (!this.#isLost) {
      this.#options.lost?.ended();
      await this.#messages?.end(finish.reason);
    }
    this.#stateIs('ended', { because: 'exit' });
    this.#finished = finish;
    this.#journalEnd(finish);
    return finish;
  }

  /** Ended from outside, as when the machine goes down: what waits now, waits for the next host. Returns that. */
  lose(): Inquiry[] {
    this.#isLost = true;
    this.desk.lose();
    return this.desk.unsettled();
  }

  #journalEnd(finish: Finish): void {
    this.journal.append('session.ended', endOf(finish, { ...this.work.facts(), inquiries: this.desk.count }));
  }

  /** Our own bug: the agent is ended, the journal closed with the reason, everyone told. Once. */
  async crash(error: unknown): Promise<void> {
    if (this.#finished) return;
    const reason = `Reins failed: ${(error as Error)?.message ?? String(error)}`;
    this.#finished = { outcome: 'failed', exitCode: 70, reason };
    await Promise.allSettled([this.work.stop({ how: 'kill', why: reason }), this.#needs?.consultant.close()]);
    this.#journalEnd(this.#finished);
    await this.viewers.farewell(this.#finished);
  }

  row(): SessionRow {
    const { iteration, hat, detail } = this.work.facts();
    const { costUsd } = this.#needs?.used.now ?? {};
    const { refusal } = this.journal;
    const words = (refusal && `its journal cannot be written: ${refusal}`) ?? detail ?? this.#state.detail;
    return {
      ...rowOf(this.spec),
      ...this.#needs?.words.now,
      ...this.#state.row,
      pid: process.pid,
      inquiries: this.desk.shown().length,
      viewers: this.viewers.attached,
      ...(iteration === undefined ? {} : { iteration }),
      ...(hat === undefined || this.#finished ? {} : { hat }),
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
      ...(words === undefined ? {} : { detail: words }),
      ...(this.#finished ? { outcome: this.#finished.outcome, exit_code: this.#finished.exitCode } : {}),
    };
  }

  async pause(): Promise<number[]> {
    this.#paused = true;
    this.desk.hold();
    const pids = await this.work.pause();
    this.#state.tell();
    this.viewers.tellPaused(true);
    return pids;
  }

  async resume(): Promise<number[]> {
    const pids = await this.work.resume();
    this.#paused = false;
    this.desk.release();
    this.#messages?.look();
    this.#state.tell();
    this.viewers.tellPaused(false);
    return pids;
  }

  #viewersPorts(): ViewersPorts {
    const { spec, journal, clock, log } = this.#options;
    return {
      spec,
      journal,
      clock,
      log,
      work: () => this.work,
      row: () => this.row(),
      inquiries: () => fittingInquiries(this.desk.unsettled()),
      command: (viewer, name, args) => runCommand(this, viewer, { name, args }),
      changed: () => this.desk.viewersChanged(),
      tieLost: (why) => this.#tieLost(why),
      over: () => this.#finished !== undefined,
    };
  }

  #stateIs(state: SessionState, facts: StateFacts): void {
    this.#state.is(state, facts);
    this.#messages?.look();
  }

  #deskChanged(): void {
    this.#state.tell('desk');
    this.#messages?.look();
    this.work?.deskChanged?.();
    // Parked: whoever waits in the foreground is let go, the session waits on for its answer.
    const { tied } = this.viewers;
    if (!this.desk?.parked || !tied) return;
    this.viewers.untie();
    const words = this.desk.list().map((inquiry) => inquiry.id);
    void tied.end(`parked: ${words.join(', ')} waits for an answer (reins inbox)`, PARKED_EXIT);
  }

  #deniedUnasked(inquiry: Inquiry, fix: string | undefined): void {
    this.journal.append('notice', denialOf(inquiry, fix));
    this.work.denied?.();
  }

  #tieLost(why: string): void {
    const text = `The run that started this session is gone (${why}); it ends.`;
    this.journal.append('notice', { level: 'warn', text });
    void this.work.stop({ how: 'stop', why, signal: 'SIGHUP' });
  }
}
