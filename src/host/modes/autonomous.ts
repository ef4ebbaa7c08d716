/**
 * The loop at work: turns the world into facts for the loop's reducer, journals what it decides before acting on it,
 * and carries out its effects. It decides nothing itself.
 */
import { type AgentOutput, ReinsError, type SendReceipt, type Size, type ViewerId } from '../../contract/index.js';
import { isEmpty } from '../../journal/journal.js';
import { givenBefore, guidanceId } from '../../journal/read.js';
import {
  cutPayload,
  type Effect,
  EventParser,
  fold,
  initialState,
  LONGEST_PAYLOAD,
  PromiseWatch,
  promiseRule,
  type StopAsked,
  type Told,
  totalUsage,
  type Wait,
} from '../../loop/index.js';
import { Interrupts } from '../../terminal/index.js';
import { isTyped } from '../../vt/index.js';
import { AgentEvents } from '../agent-events.js';
import type { TakesHook } from '../doors/door.js';
import { type Output, terminalOutput } from '../output.js';
import type { AgentRun, RunEnd } from '../run/agent-run.js';
import { Gates } from './gates.js';
import { givePrompt } from './give-prompt.js';
import { HandOver } from './hand-over.js';
import { iteration } from './iteration.js';
import { LoopRules } from './loop-rules.js';
import { loopSettingsOf } from './loop-settings.js';
import { treeHash } from './progress.js';
import { Standstill } from './standstill.js';
import { TreeSince } from './tree-since.js';
import type { Finish, StopAsk, Stopped, Work, WorkPorts } from './work.js';

type StartEffect = Extract<Effect, { do: 'start' }>;

const KNOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export class AutonomousWork implements Work {
  /** `--tui`: one terminal for all iterations. */
  readonly terminal: Output | undefined;
  readonly #interrupts = new Interrupts();
  readonly #ports: WorkPorts;
  readonly #forgetEvents: () => void;
  readonly #gates: Gates;
  readonly #handOver: HandOver;
  readonly #rules: LoopRules;
  readonly #tree: TreeSince;
  #run: AgentRun | undefined;
  #pressed: () => void = () => undefined;
  #parser = new EventParser();
  #promise: PromiseWatch;
  #finish: (finish: Finish) => void = () => undefined;
  #stopping: Promise<Stopped> | undefined;
  #held = false;
  #pause: Standstill | undefined;
  #size: Size;
  #fatalExit: number | undefined;
  #stopFirst: StopAsked | undefined;

  constructor(ports: WorkPorts) {
    const { before } = ports;
    this.#ports = ports;
    this.terminal = ports.spec.tui ? terminalOutput(ports) : undefined;
    this.terminal?.screen?.onReply((bytes) => void this.#run?.process?.agent.proc.write(bytes));
    this.#size = ports.spec.seat.size;
    const settings = loopSettingsOf(ports.spec);
    this.#rules = new LoopRules({
      ports,
      state: isEmpty(before) ? initialState(settings) : fold(before, settings),
      carryOut: (effect) => this.#carryOut(effect),
      isPaused: () => this.#pause !== undefined,
    });
    this.#promise = new PromiseWatch(promiseRule(settings));
    this.#gates = new Gates(ports);
    const { cwd, id: session } = ports.spec;
    this.#handOver = new HandOver({ cwd, session, now: () => ports.clock.now() });
    this.#tree = new TreeSince(ports);
    const events = new AgentEvents({
      cwd: ports.spec.cwd,
      session: ports.spec.id,
      before,
      trouble: (text) => ports.journal.append('notice', { level: 'warn', text }),
    });
    this.#forgetEvents = ports.journal.subscribe((entry) => events.entry(entry));
  }

  warmUp(): void {
    this.#tree.look();
  }

  run(): Promise<Finish> {
    return new Promise((resolve) => {
      this.#finish = (finish) => {
        this.#rules.sleep();
        resolve(finish);
      };
      void this.#begin();
    });
  }

  /** Whoever can reach the host can pause or stop it before its work has begun: then it does not begin. */
  async #begin(): Promise<void> {
    while (this.#pause) await this.#pause.over;
    this.#tell({ kind: 'started', ...(this.#stopFirst ? { stop: this.#stopFirst } : {}) });
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  async stop(ask: StopAsk): Promise<Stopped> {
    const signal = KNOWN_SIGNALS.find((known) => known === ask.signal);
    const why = `stopped (${ask.why})`;
    const asked = { kind: 'stop-asked', how: ask.how, why, ...(signal ? { signal } : {}) } as const;
    if (this.#rules.state.live) this.#tell(asked);
    else this.#stopFirst = asked;
    if (ask.how === 'kill') this.#stopNow('kill', ask.why);
    this.#goOn();
    return (await this.#stopping) ?? { processes: [], left: 0 };
  }

  /** Only with `--tui`: to the agent's terminal, but a second Ctrl-C within a second is the loop's. */
  input(bytes: Uint8Array, viewer?: ViewerId): void {
    const { forward, action } = this.#interrupts.feed(bytes, this.#ports.clock.now());
    if (forward.length > 0) this.#press(forward, viewer);
    if (action === 'stop') void this.stop({ how: 'stop', why: 'Ctrl-C twice', signal: 'SIGINT' });
    if (action === 'kill') void this.stop({ how: 'kill', why: 'Ctrl-\\', signal: 'SIGQUIT' });
  }

  endInput(): void {}

  holdOutput(until: Promise<void>): void {
    this.#run?.process?.holdOutput(until);
  }

  resize(size: Size): void {
    this.#size = size;
    this.#run?.process?.agent.proc.resize(size);
    this.terminal?.resize(size);
  }

  driverSees(): void {}

  get blind(): boolean {
    return this.#run?.door?.blind ?? false;
  }

  async submit(text: string, options: { key?: string; by: 'human' | 'api'; viewer?: ViewerId }): Promise<SendReceipt> {
    if (!this.#run) return { verdict: 'refused', reason: 'no agent is running right now; use `reins guide`' };
    const receipt = await this.#run.submit(text);
    this.#ports.journal.append('input.sent', {
      by: options.by,
      bytes: Buffer.byteLength(text),
      why: 'send',
      text,
      verdict: receipt.verdict,
      ...(options.viewer ? { viewer: options.viewer } : {}),
      ...(options.key ? { key: options.key } : {}),
    });
    return receipt;
  }

  #press(bytes: Uint8Array, viewer?: ViewerId): void {
    this.#ports.presses.pressed(bytes, viewer);
    if (isTyped(bytes)) this.#pressed();
    void this.#run?.process?.agent.proc.write(bytes);
  }

  async keys(keys: Uint8Array[], viewer?: ViewerId): Promise<SendReceipt> {
    if (!this.terminal) return { verdict: 'refused', reason: 'the agent runs headless: there is no terminal for keys' };
    for (const key of keys) this.#press(key, viewer);
    return { verdict: 'submitted', evidence: 'written to the terminal' };
  }

  async interrupt(): Promise<void> {
    await this.#run?.interrupt();
  }

  /** The whole loop stands still: between two iterations as well, where no process shows it. */
  async pause(): Promise<number[]> {
    this.#pause ??= new Standstill();
    this.#stand();
    this.#rules.wakeLater();
    return (await this.#run?.pause()) ?? (await this.#gates.pause());
  }

  async resume(): Promise<number[]> {
    const pids = (await this.#run?.resume()) ?? (await this.#gates.resume());
    this.#goOn();
    return pids;
  }

  #goOn(): void {
    this.#pause?.end();
    this.#pause = undefined;
    this.#stand();
    this.#rules.wakeLater();
  }

  get hook(): TakesHook | undefined {
    return this.#run?.door?.hook;
  }

  emit(topic: string, whole: string): { accepted: boolean; reason?: string } {
    const { payload, truncated } = cutPayload(whole);
    const entries = this.#tell({ kind: 'event', topic: topic.slice(0, LONGEST_PAYLOAD), payload, by: 'emit' });
    const published = entries.find((entry) => entry.type === 'event.published');
    if (published?.type !== 'event.published') return { accepted: false, reason: 'no iteration is running' };
    const { accepted, reason = truncated ? `its payload was cut at ${LONGEST_PAYLOAD} bytes` : undefined } =
      published.data;
    return { accepted, ...(reason === undefined ? {} : { reason }) };
  }

  guide(text: string, key?: string): { id: string; iteration: number; kept?: boolean } {
    const id = guidanceId(key);
    // Whoever sends it again does so soon: the newest entries know.
    const known = key === undefined ? undefined : givenBefore(id, this.#ports.journal.page({ limit: 1000 }).entries);
    if (known) return { id, iteration: known.delivered_in ?? this.#rules.state.iteration + 1 };
    this.#tell({ kind: 'guidance', id, text });
    const { current, iteration, live } = this.#rules.state;
    const ended = live && this.#rules.state.ended !== undefined;
    // The loop hears nothing any more, but its host is still here: it is there for the next leg.
    if (ended) this.#ports.journal.append('guidance.given', { id, text });
    // An interrupted iteration runs again under its own number, and gets it then.
    const again = current?.interrupted === true;
    return { id, iteration: iteration + (again ? 0 : 1), ...(ended ? { kept: true } : {}) };
  }

  denied(): void {
    this.#tell({ kind: 'denied' });
  }

  /** While a person is asked, the agent's time stands still; when all wait for one who is away, the loop is parked. */
  deskChanged(): void {
    const { desk } = this.#ports;
    const waits = desk.list().length > 0;
    if (waits !== this.#held) {
      this.#held = waits;
      if (waits) this.#run?.hold('inquiry');
      else this.#run?.release('inquiry');
    }
    this.#stand();
  }

  /** The loop's own time stands still too, in a pause and while all wait for a person who is away. */
  #stand(): void {
    const waits = this.#run !== undefined && this.#ports.desk.parked;
    const why = this.#pause ? 'paused' : waits ? 'waiting for a person' : undefined;
    if ((why !== undefined) === this.#rules.state.parked) return;
    this.#tell(why === undefined ? { kind: 'resumed' } : { kind: 'parked', why });
  }

  facts() {
    const usage = totalUsage(this.#rules.state);
    const worn = this.#rules.state.current?.hat;
    return {
      iteration: this.#rules.state.iteration,
      ...(worn === undefined ? {} : { hat: worn }),
      denied: this.#rules.state.denied,
      ...(usage.costUsd > 0 ? { costUsd: usage.costUsd } : {}),
      ...(usage.inputTokens > 0 ? { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } : {}),
    };
  }

  close(): void {
    this.terminal?.close();
    this.#forgetEvents();
    this.#handOver.remove();
  }

  #tell(told: Told) {
    return this.#rules.tell(told);
  }

  #carryOut(effect: Effect): void {
    if (effect.do === 'start') void this.#start(effect);
    else if (effect.do === 'run-gates') void this.#runGates(effect);
    else if (effect.do === 'stop') this.#stopNow(effect.how, effect.reason);
    else if (effect.do === 'wait') this.#waits(effect);
    else if (effect.do === 'finish') {
      const { outcome, reason, advice } = effect;
      const exitCode = outcome === 'failed' && this.#fatalExit !== undefined ? this.#fatalExit : effect.exitCode;
      void this.#stopGates().then(async () => {
        const changes = await this.#tree.changes();
        const more = { ...(advice === undefined ? {} : { advice }), ...(changes === undefined ? {} : { changes }) };
        this.#finish({ outcome, exitCode, reason, ...more });
      });
    }
  }

  /** What `ls` and every viewer count down. */
  #waits({ kind, why, until }: Wait): void {
    const because = { limit: 'limited', outage: 'unreachable' } as const;
    const refused = kind === 'limit' || kind === 'outage' ? { agentState: because[kind] } : {};
    this.#ports.state('idle', { ...refused, because: kind, detail: why, until });
  }

  #stopNow(how: 'stop' | 'kill', why: string): void {
    const ending = { exit: 'stopped', reason: why } as const;
    this.#stopping = this.#run?.end(ending, { how, why }) ?? this.#gates.stop(how);
  }

  /** Asked to stop while it was judged: the gates that run end with it, and are in the report. */
  async #stopGates(): Promise<void> {
    const both = Promise.all([this.#stopping, this.#gates.stop('stop')]);
    this.#stopping = both.then(([agent, gates]) => ({
      processes: [...(agent?.processes ?? []), ...gates.processes],
      left: (agent?.left ?? 0) + gates.left,
    }));
    await this.#stopping;
  }

  async #start(effect: StartEffect): Promise<void> {
    const { spec } = this.#ports;
    this.#stopping = undefined; // the one before this was stopped, not this one
    const given = givePrompt({ dir: this.#ports.dir, handOver: this.#handOver }, effect);
    // What an iteration was given is on record before it begins, or it does not begin.
    if (given instanceof ReinsError) {
      const tree = await treeHash(spec.cwd);
      return this.#ended(effect, { exit: 'failed', reason: given.message, fatal: given }, tree);
    }
    this.#parser = new EventParser();
    this.#promise = new PromiseWatch(promiseRule(this.#rules.state.settings));
    const { run, pressed } = iteration({
      ports: this.#ports,
      hat: effect.hat,
      ...given,
      size: this.#size,
      ...(this.terminal ? { output: this.terminal } : {}),
      listeners: {
        text: (text) => this.#text(text),
        output: ({ kind }) => this.#heard(kind),
        usage: (usage) => void this.#tell({ kind: 'usage', ...usage }),
        limit: (limit) => void this.#tell({ kind: 'limit', ...limit }),
      },
    });
    this.#run = run;
    this.#pressed = pressed;
    let looked: ReturnType<typeof treeHash> | undefined;
    // While the agent's leftovers are looked for, git looks at what it did: neither waits for the other.
    const gone = () => {
      looked = treeHash(spec.cwd);
    };
    const end = await run.run({ gone });
    this.#run = undefined;
    for (const event of this.#parser.end()) this.#tell({ kind: 'event', by: 'text', ...event });
    this.#tell({ kind: 'garbled', mistakes: this.#parser.mistakes });
    await this.#ended(effect, end, await (looked ?? treeHash(spec.cwd)));
  }

  async #ended(effect: StartEffect, end: RunEnd, tree?: string): Promise<void> {
    const { fatal, failure, ...rest } = end;
    if (fatal) {
      this.#fatalExit = fatal.exit;
      this.#ports.journal.append('notice', {
        level: 'error',
        code: fatal.code,
        text: `${fatal.message}. ${fatal.hint}`,
      });
    }
    await this.#pause?.over;
    this.#tell({
      kind: 'iteration-ended',
      iteration: effect.iteration,
      attempt: effect.attempt,
      ...rest,
      claim: this.#promise.verdict(),
      ...(tree === undefined ? {} : { tree }),
      ...(fatal ? { fatal: true } : {}),
      ...(failure === 'outage' ? { outage: true, spoke: end.spoke === true } : {}),
    });
  }

  #heard(kind: AgentOutput['kind']): void {
    const reached = kind === 'text' || kind === 'thinking' || kind === 'tool';
    if (reached && this.#rules.state.outage) this.#tell({ kind: 'reached' });
  }

  #text(text: string): void {
    this.#promise.feed(text);
    for (const event of this.#parser.feed(text)) this.#tell({ kind: 'event', by: 'text', ...event });
  }

  async #runGates(effect: Extract<Effect, { do: 'run-gates' }>): Promise<void> {
    const results = await this.#gates.run(effect);
    await this.#pause?.over;
    this.#tell({ kind: 'gates-ran', iteration: effect.iteration, results });
  }
}
