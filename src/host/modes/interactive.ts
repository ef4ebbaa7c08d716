/**
 * `reins run -i`: the agent's own terminal program, with a person at the keys; its end is the session's end. Only an agent
 * that crashed before it was ever ready is started again, a few times. A continued session takes up the conversation its
 * journal names.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ReinsError } from '../../contract/index.js';
import type { Exit } from '../../terminal/index.js';
import { makeTuiDoor } from '../doors/make-tui.js';
import type { TuiDoor } from '../doors/tui.js';
import { adapterFor } from '../launch.js';
import { AgentRun } from '../run/agent-run.js';
import { BesideTui } from '../run/beside-tui.js';
import { ofSession } from '../run/ports.js';
import { Lives } from './lives.js';
import { CONVERSATION, conversationIn } from './resume.js';
import { type Life, TerminalWork } from './terminal-work.js';
import type { Finish, StopAsk, WorkPorts } from './work.js';

/** Lines of a crashed agent's screen that go into the error. */
const LAST_LINES = 3;

export class InteractiveWork extends TerminalWork {
  readonly #lives: Lives;
  readonly #resumed: string | undefined;
  readonly #forget: () => void;
  #run: AgentRun | undefined;
  #beside: BesideTui | undefined;
  #door: TuiDoor | undefined;
  /** The conversation in which the prompt was dealt with before the agent wanted to be started again. */
  #answered: string | undefined;
  /** The prompt it was started with is still to be submitted: nothing overtakes it. */
  #firstWaits = false;
  #lastLines = '';
  #denied = 0;
  #usage: AgentRun['turn']['usage'] = {};

  constructor(ports: WorkPorts) {
    super(ports, 'pty');
    this.#lives = new Lives(ports.clock);
    this.#resumed = conversationIn(ports.before);
    this.#forget = ports.journal.subscribe((entry) => this.#lives.see(entry));
  }

  get #adapter() {
    return adapterFor(this.ports.spec.agent!.adapter);
  }

  protected async begin(): Promise<Life | Finish> {
    const { spec } = this.ports;
    // What a companion began goes on, also when the terminal program crashed: its prompt was given.
    const begun = this.#beside?.conversation ?? this.#answered;
    const resumed = begun ?? this.#resumed;
    const given = spec.prompt_file !== undefined && begun === undefined;
    const prompt = given ? readFileSync(spec.prompt_file!, 'utf8') : undefined;
    this.#lives.started();
    const run = this.#order(prompt, resumed);
    this.#run = run;
    const error = await run.begin();
    if (error) return failed(error);
    const { submit } = run.planned!.plan;
    this.#firstWaits = submit !== undefined;
    if (submit !== undefined) void this.#submitFirst(this.#door!, submit);
    return {
      process: run.process!,
      over: (gone) => run.over(gone),
      record: (exit, { exitCode, reason }) => run.record(exit, { exit: exitCode === 0 ? 'ok' : 'failed', reason }),
    };
  }

  #order(prompt: string | undefined, resumed: string | undefined): AgentRun {
    const { ports } = this;
    const { spec } = ports;
    const beside = new BesideTui({
      ports,
      label: this.#adapter.label,
      prompted: (text) => {
        this.#lives.prompted();
        this.#door?.recorded(text);
      },
      lost: (reason) => void this.end({ how: 'stop', why: reason }, { outcome: 'failed', exitCode: 1, reason }),
    });
    this.#beside = beside;
    // A new name for every attempt: a crashed one may have used its name up.
    const id = resumed ?? randomUUID();
    const run = new AgentRun(ofSession(ports), {
      adapter: this.#adapter,
      size: spec.seat.size,
      oneTurn: false,
      begins: 'starting',
      choice: {
        mode: 'interactive',
        tui: false,
        promptFile: spec.prompt_file ?? '',
        ...(prompt === undefined ? {} : { prompt }),
        conversation: { id, resume: resumed !== undefined },
        companion: true,
      },
      listeners: {
        conversation: (name) => this.#named(name),
        usage: (usage) => {
          this.#usage = usage;
        },
      },
      beside,
      heard: () => this.heard(),
      door: ({ planned, agent, turn }) => {
        this.#door = makeTuiDoor({
          ...{ ports, planned, agent, turn, output: this.terminal },
          ...(prompt === undefined ? {} : { prompt }),
          wrote: (bytes) => this.typing.wrote(bytes),
          ...beside.doorParts,
        });
        return this.#door;
      },
    });
    const named = resumed !== undefined || this.#adapter.takesName?.(spec.agent?.version) === true;
    run.turn.conversation = named ? id : undefined;
    return run;
  }

  override get takes() {
    return this.#firstWaits ? 'later' : super.takes;
  }

  protected override async stopProcess({ how, why }: StopAsk) {
    return this.#run?.stop(how, why);
  }

  async #submitFirst(door: TuiDoor, prompt: string): Promise<void> {
    await door.ready();
    const receipt = await this.submit(prompt, { by: 'prompt', key: 'first-prompt' });
    this.#firstWaits = false;
    this.ports.free();
    if (receipt.verdict === 'submitted' || receipt.verdict === 'queued') return;
    this.ports.journal.append('notice', {
      level: 'warn',
      text: `The prompt was not submitted: ${receipt.reason ?? receipt.verdict}`,
    });
  }

  protected judge(exit: Exit): Finish {
    const judged = this.#run!.judged(exit);
    if (judged.exit === 'ok') return { outcome: 'completed', exitCode: 0, reason: 'the agent ended' };
    return { outcome: 'failed', exitCode: 1, reason: judged.reason ?? 'the agent failed' };
  }

  protected override async gone(): Promise<void> {
    const shot = await this.terminal.screen?.shot().catch(() => undefined);
    const lines = (shot?.lines ?? []).map((line) => line.trim()).filter((line) => line !== '');
    this.#lastLines = lines.slice(-LAST_LINES).join(' / ').slice(0, 500);
  }

  protected override again(exit: Exit): { waitMs: number } | Finish | undefined {
    const { plan } = this.#run!.planned!;
    if (plan.tui?.blind) return undefined;
    const { label } = this.#adapter;
    const next = this.#lives.ended(exit, { label, restartExit: plan.restartExit, lines: this.#lastLines });
    if (this.#lives.answered) this.#answered = this.#run!.turn.conversation;
    if (!next.again) return next.gaveUp && failed(next.gaveUp);
    this.ports.journal.append('notice', { level: 'warn', code: 'respawn', text: next.text });
    return { waitMs: next.waitMs };
  }

  /** On record at once: a host that dies later must not take the name along. */
  #named(id: string): void {
    const text = `The agent calls this conversation ${id}.`;
    this.ports.journal.append('notice', { level: 'info', code: CONVERSATION, text, facts: { agent_session: id } });
  }

  denied(): void {
    this.#denied += 1;
  }

  override facts() {
    return { denied: this.#denied, ...this.#usage };
  }

  override close(): void {
    this.#forget();
    this.#beside?.close();
    super.close();
  }
}

const failed = (error: ReinsError): Finish => ({
  outcome: 'failed',
  exitCode: error.exit,
  reason: `${error.message}; ${error.hint}`,
});
