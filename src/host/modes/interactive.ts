/**
 * `reins run -i`: the agent's own terminal program, with a person at the keys; its end is the session's end. Only an agent
 * that crashed before it was ever ready is started again, a few times. A continued session takes up the conversation its
 * journal names.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CompanionPlan } from '../../adapters/index.js';
import { successOf } from '../../adapters/loaded.js';
import { adapterSettings } from '../../config/quick.js';
import { asReinsError, type Entry, ReinsError } from '../../contract/index.js';
import type { AgentProcess } from '../agent-process.js';
import { AgentTurn } from '../agent-turn.js';
import { Companion } from '../doors/companion.js';
import { makeTuiDoor } from '../doors/make-tui.js';
import { type Recorded, recordConversation } from '../doors/recorded.js';
import type { TuiDoor } from '../doors/tui.js';
import { adapterFor, launch, launchCompanion, type Planned, planLaunch, tellNotes } from '../launch.js';
import { startError } from './iteration.js';
import { Respawn } from './respawn.js';
import { CONVERSATION, conversationIn } from './resume.js';
import { type ProcessExit, TerminalWork } from './terminal-work.js';
import type { Finish, StopAsk, Stopped, WorkPorts } from './work.js';

/** Lines of a crashed agent's screen that go into the error. */
const LAST_LINES = 3;

export class InteractiveWork extends TerminalWork {
  readonly #turn: AgentTurn;
  readonly #respawn: Respawn;
  readonly #resumed: string | undefined;
  readonly #forget: () => void;
  #door: TuiDoor | undefined;
  #recorded: Recorded | undefined;
  #planned: Planned | undefined;
  #companion: Companion | undefined;
  /** The companion's process, from its very start. */
  #server: AgentProcess | undefined;
  /** What this launch came to before it ended. */
  #life = { ready: false, touched: false, lines: '', prompted: false, atWork: false };
  /** The conversation in which the prompt was dealt with before the agent wanted to be started again. */
  #answered: string | undefined;
  #denied = 0;

  constructor(ports: WorkPorts) {
    super(ports, 'pty');
    this.#turn = new AgentTurn(ports, { conversation: (id) => this.#named(id) });
    this.#respawn = new Respawn(ports.clock);
    this.#resumed = conversationIn(ports.before);
    this.#forget = ports.journal.subscribe((entry) => this.#watch(entry));
  }

  protected async begin() {
    const { spec, journal, dir, env, hook, clock } = this.ports;
    const adapter = adapterFor(spec.agent!.adapter);
    const settings = adapterSettings(spec.config, adapter.id);
    // What a companion began goes on, also when the terminal program crashed: its prompt was given.
    const begun = this.#companion?.conversation ?? this.#answered;
    const resumed = begun ?? this.#resumed;
    const given = spec.prompt_file !== undefined && begun === undefined;
    const prompt = given ? readFileSync(spec.prompt_file!, 'utf8') : undefined;
    // A new name for every attempt: a crashed one may have used its name up.
    const id = resumed ?? randomUUID();
    try {
      this.#planned = planLaunch(
        { spec, dir, env, hook, settings },
        {
          adapter,
          mode: 'interactive',
          tui: false,
          promptFile: spec.prompt_file ?? '',
          ...(prompt === undefined ? {} : { prompt }),
          conversation: { id, resume: resumed !== undefined },
          companion: true,
        },
      );
    } catch (thrown) {
      const error = asReinsError(thrown);
      return failed(error.exit, `${error.message}; ${error.hint}`);
    }
    tellNotes(journal, this.#planned.plan);
    this.#life = { ready: false, touched: false, lines: '', prompted: false, atWork: false };
    this.#respawn.started();
    const named = resumed !== undefined || adapter.takesName?.(spec.agent?.version) === true;
    this.#turn.conversation = named ? id : undefined;
    let agent: AgentProcess | undefined;
    // From before the start: what the agent records at once is of this launch.
    const recorded = recordConversation({
      ports: this.ports,
      planned: this.#planned,
      turn: this.#turn,
      since: clock.now(),
      pids: () => (agent ?? this.#server)?.pids() ?? [],
      prompted: (text) => {
        this.#life.prompted = true;
        this.#door?.recorded(text);
      },
    });
    this.#recorded = recorded;
    const { companion } = this.#planned.plan;
    const unopened = companion && (await this.#openCompanion(companion));
    if (unopened) {
      await recorded.end();
      return unopened;
    }
    const { plan } = this.#planned;
    const started = await launch(this.ports, this.#planned, spec.seat.size);
    if (!started.ok) {
      await this.#server?.stop('kill', 'its terminal program did not start');
      await recorded.end();
      const error = startError(adapter, started, spec.cwd);
      return failed(error.exit, `${error.message}; ${error.hint}`);
    }
    agent = started.agent;
    // Before the rest hears of its end: the sweep that follows must not wait for a turn.
    void agent.exited.then(() => this.#companion?.leave());
    journal.append('agent.started', {
      agent: adapter.id,
      ...(spec.agent?.version ? { version: spec.agent.version } : {}),
      door: 'tui',
      io: agent.proc.io,
      pid: agent.proc.pid,
      argv: [plan.command, ...plan.args],
      cwd: spec.cwd,
      ...(this.#turn.conversation === undefined ? {} : { agent_session: this.#turn.conversation }),
    });
    this.ports.state('starting', { agentState: 'starting', because: 'started' });
    const door = this.#openDoor(agent, recorded, prompt);
    if (plan.submit !== undefined) void this.#submitFirst(door, plan.submit);
    return { agent, door };
  }

  /** Server first: the terminal program joins what it holds. Its end is the session's, for nobody would ask any more. */
  async #openCompanion(plan: CompanionPlan): Promise<Finish | undefined> {
    const { clock, desk, journal, spec } = this.ports;
    const { label } = adapterFor(spec.agent!.adapter);
    const planned = this.#planned!;
    const opened = await Companion.open({
      plan,
      clock,
      start: async (socket) => {
        const started = await launchCompanion(this.ports, planned, socket);
        this.#server = started.ok ? started.agent : undefined;
        return started;
      },
      ask: desk.open.bind(desk),
      said: (output) => this.#turn.said(output),
    });
    if (!opened.ok) {
      const error = new ReinsError('AGENT_UNSTARTABLE', {
        agent: label,
        reason: opened.reason,
        fix: 'see `reins doctor`',
      });
      return failed(error.exit, `${error.message}; ${error.hint}`);
    }
    const { companion } = opened;
    this.#companion = companion;
    this.#planned = { ...planned, plan: { ...planned.plan, args: companion.args } };
    const text = `${label}’s server (process ${companion.agent.proc.pid}) runs beside its terminal program and asks about every tool call.`;
    journal.append('notice', { level: 'info', text });
    void companion.lost.then((reason) => this.end({ how: 'stop', why: reason }, failed(1, reason)));
    return undefined;
  }

  override async stop(ask: StopAsk): Promise<Stopped> {
    const stopped = await super.stop(ask);
    // Its terminal program has not started yet.
    return this.agent || !this.#server ? stopped : this.#server.stop(ask.how, ask.why);
  }

  #openDoor(agent: AgentProcess, recorded: Recorded, prompt: string | undefined): TuiDoor {
    const door = makeTuiDoor({
      ports: this.ports,
      planned: this.#planned!,
      agent,
      turn: this.#turn,
      ...(prompt === undefined ? {} : { prompt }),
      output: this.terminal,
      wrote: (bytes) => this.wrote(bytes),
      said: (output) => recorded.said(output),
      ...(this.#companion ? { elsewhere: () => this.#companion?.asking } : {}),
      transcript: (path) => recorded.transcript(path),
    });
    this.#door = door;
    return door;
  }

  async #submitFirst(door: TuiDoor, prompt: string): Promise<void> {
    await door.ready();
    const receipt = await this.submit(prompt, { by: 'prompt', key: 'first-prompt' });
    if (receipt.verdict === 'submitted' || receipt.verdict === 'queued') return;
    this.ports.journal.append('notice', {
      level: 'warn',
      text: `The prompt was not submitted: ${receipt.reason ?? receipt.verdict}`,
    });
  }

  override hook(event: string, payload: unknown, gone: Promise<void>) {
    return this.#door ? this.#door.hook(event, payload, gone) : super.hook(event, payload, gone);
  }

  protected judge(exit: ProcessExit): Finish {
    const adapter = adapterFor(this.ports.spec.agent!.adapter);
    const { ok, reason } = successOf(adapter, {
      door: 'tui',
      exit: exit.code,
      signal: exit.signal,
      outputs: this.#turn.verdicts,
    });
    return ok
      ? { outcome: 'completed', exitCode: 0, reason: 'the agent ended' }
      : failed(1, reason ?? 'the agent failed');
  }

  protected override async lastWords() {
    await this.#recorded?.end();
    this.#companion?.close();
    const shot = await this.terminal.screen?.shot().catch(() => undefined);
    const lines = (shot?.lines ?? []).map((line) => line.trim()).filter((line) => line !== '');
    this.#life.lines = lines.slice(-LAST_LINES).join(' / ').slice(0, 500);
    const { conversation } = this.#turn;
    return conversation === undefined ? {} : { agent_session: conversation };
  }

  protected override again(exit: ProcessExit): { waitMs: number } | Finish | undefined {
    const { plan } = this.#planned!;
    if (plan.tui?.blind) return undefined;
    const next = this.#respawn.ended({
      ...this.#life,
      failed: exit.signal !== null || exit.code !== 0,
      wantsRestart: plan.restartExit !== undefined && exit.code === plan.restartExit,
    });
    // A turn that was cut by the restart is begun anew; one that had come to its end is not.
    if (this.#life.prompted && !this.#life.atWork) this.#answered = this.#turn.conversation;
    const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
    const words = this.#life.lines === '' ? '' : `: ${this.#life.lines}`;
    const { label } = adapterFor(this.ports.spec.agent!.adapter);
    if (!next.again) {
      if (!next.gaveUp) return undefined;
      const reason = `it ${how} before it was ready, ${this.#respawn.attempts || 3} times${words}`;
      const error = new ReinsError('AGENT_UNSTARTABLE', { agent: label, reason, fix: 'see `reins doctor`' });
      return failed(error.exit, `${error.message}; ${error.hint}`);
    }
    const text = `${label} ${how} before it was ready${words}; attempt ${next.attempt} follows.`;
    this.ports.journal.append('notice', { level: 'warn', code: 'respawn', text });
    return { waitMs: next.waitMs };
  }

  /** On record at once: a host that dies later must not take the name along. */
  #named(id: string): void {
    const text = `The agent calls this conversation ${id}.`;
    this.ports.journal.append('notice', { level: 'info', code: CONVERSATION, text, facts: { agent_session: id } });
  }

  #watch(entry: Entry): void {
    if (entry.type === 'input.sent' || entry.type === 'inquiry.answered') this.#life.touched = true;
    if (entry.type !== 'state.changed') return;
    const { agent_state: state } = entry.data;
    if (state && state !== 'ended') this.#life.atWork = state === 'working' || state === 'retrying';
    if (state && !['starting', 'ended', 'asking-question', 'asking-permission'].includes(state))
      this.#life.ready = true;
  }

  denied(): void {
    this.#denied += 1;
  }

  override facts() {
    return { denied: this.#denied, ...this.#turn.usage };
  }

  override close(): void {
    this.#forget();
    this.#companion?.close();
    super.close();
  }
}

function failed(exitCode: number, reason: string): Finish {
  return { outcome: 'failed', exitCode, reason };
}
