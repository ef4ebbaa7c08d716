/**
 * A conversation: an agent without a screen that stays, message by message, over its two-way door. One turn at a time: a
 * message that comes while the agent works waits in the session's queue, and is the next turn. An interrupt ends a turn, not
 * the conversation; that ends with the agent, or by a stop.
 */
import { readFileSync } from 'node:fs';
import type { AgentOutput, SendReceipt, ViewerId } from '../../contract/index.js';
import { signalExit } from '../../terminal/index.js';
import { NO_MODEL, type TakesHook } from '../doors/door.js';
import { adapterFor } from '../launch.js';
import { AgentRun } from '../run/agent-run.js';
import { ofSession } from '../run/ports.js';
import { quietOf } from './quiet.js';
import { CONVERSATION, conversationIn } from './resume.js';
import type { Finish, StopAsk, Stopped, Work, WorkPorts } from './work.js';

const NONE = { secs: 0, by: '' };
const NO_TERMINAL = 'the agent runs headless: there is no terminal for keys';

type GivenBy = { by: 'human' | 'api' | 'prompt'; key?: string; viewer?: ViewerId };
type Done = Extract<AgentOutput, { kind: 'done' }>;

export class ConversationWork implements Work {
  readonly terminal = undefined;
  readonly #ports: WorkPorts;
  readonly #run: AgentRun;
  #turn: 'none' | 'runs' | 'interrupted' = 'none';
  #said = 0;
  /** The agent has named the conversation: it has one. */
  #named = false;
  /** It is spoken with: started, and not gone. */
  #open = false;
  #over = false;
  #cause: Finish | undefined;
  #denied = 0;

  constructor(ports: WorkPorts) {
    const { spec, journal, before } = ports;
    this.#ports = ports;
    const resumed = conversationIn(before);
    const adapter = adapterFor(spec.agent!.adapter);
    this.#run = new AgentRun(ofSession(ports), {
      adapter,
      size: spec.seat.size,
      oneTurn: false,
      begins: 'idle',
      choice: {
        mode: 'conversation',
        tui: false,
        promptFile: spec.prompt_file ?? '',
        ...(resumed === undefined ? {} : { conversation: { id: resumed, resume: true } }),
      },
      limits: { whole: { secs: spec.timeout_secs, by: '--timeout' }, firstOutput: NONE, quiet: quietOf(spec, adapter) },
      listeners: {
        output: (output) => this.#heard(output),
        done: (done) => this.#turnEnded(done),
        // On record at once: a host that dies later must not take the name along.
        conversation: (id) => {
          const text = `The agent calls this conversation ${id}.`;
          journal.append('notice', { level: 'info', code: CONVERSATION, text, facts: { agent_session: id } });
        },
      },
    });
    this.#run.rest(true);
  }

  async run(): Promise<Finish> {
    // Whoever it was tied to may be gone before it began.
    if (this.#cause) return this.#notBegun(this.#cause);
    const first = this.#firstMessage();
    if (first instanceof Error) return this.#notBegun({ outcome: 'failed', exitCode: 1, reason: first.message });
    const error = await this.#run.begin();
    if (error) {
      const reason = `${error.message}; ${error.hint}`;
      return this.#notBegun(this.#cause ?? { outcome: 'failed', exitCode: error.exit, reason });
    }
    this.#open = true;
    if (first !== undefined) void this.submit(first, { by: 'prompt', key: 'first-prompt' });
    else this.#ports.free();
    const exit = await this.#run.over(() => {
      this.#open = false;
      this.#over = true;
    });
    const judged = this.#run.judged(exit);
    const finish = this.#cause ?? finishOf(judged);
    this.#run.record(exit, { exit: finish.exitCode === 0 ? 'ok' : judged.exit, reason: finish.reason });
    return finish;
  }

  #notBegun(finish: Finish): Finish {
    this.#over = true;
    return finish;
  }

  /** Read before anything is started for it. */
  #firstMessage(): string | undefined | Error {
    const file = this.#ports.spec.prompt_file;
    try {
      return file === undefined ? undefined : readFileSync(file, 'utf8');
    } catch (error) {
      return new Error(`the first message could not be read: ${(error as Error).message}`);
    }
  }

  get isStopping(): boolean {
    return this.#cause !== undefined;
  }

  stop(ask: StopAsk): Promise<Stopped> {
    const exitCode = ask.signal ? signalExit(ask.signal) : ask.how === 'kill' ? 137 : 143;
    this.#cause ??= { outcome: 'stopped', exitCode, reason: `stopped (${ask.why})` };
    return this.#run.stop(ask.how, ask.why);
  }

  readonly blind = false;

  get takes(): 'now' | 'later' {
    return this.#open && !this.#over && this.#turn === 'none' ? 'now' : 'later';
  }

  async submit(text: string, options: GivenBy): Promise<SendReceipt> {
    if (this.#over || this.#cause) return { verdict: 'refused', reason: 'the agent has ended' };
    if (this.takes !== 'now') return { verdict: 'refused', reason: 'the agent is not ready for a message' };
    const verdict = 'submitted';
    // First on record, then said: whatever happens to us, it is known what was asked for.
    this.#ports.journal.append('input.sent', {
      ...options,
      bytes: Buffer.byteLength(text),
      why: 'send',
      text,
      verdict,
    });
    if (!(await this.#say(text))) return { verdict: 'refused', reason: 'the agent takes no more messages' };
    return { verdict, evidence: 'protocol' };
  }

  async model(name: string): Promise<SendReceipt> {
    return (await this.#run.door?.model?.(name)) ?? { verdict: 'refused', reason: NO_MODEL };
  }

  async #say(text: string): Promise<boolean> {
    const { journal, state } = this.#ports;
    this.#turn = 'runs';
    this.#said += 1;
    this.#run.rest(false);
    const mine = this.#said;
    const key = this.#ports.keyOf(text);
    journal.append('prompt.given', { text, ...(key === undefined ? {} : { key }) });
    state('working', { agentState: 'working', because: 'protocol' });
    const { verdict } = await this.#run.submit(text);
    if (verdict !== 'refused') return true;
    journal.append('notice', { level: 'warn', text: 'The message did not reach the agent: it takes no more.' });
    // No turn will end for what was not heard.
    if (mine === this.#said) this.#free();
    return false;
  }

  /** No turn runs: it waits for a message. */
  #free(): void {
    this.#turn = 'none';
    this.#run.rest(true);
    if (!this.#over) this.#ports.state('idle', { agentState: 'idle', because: 'protocol' });
  }

  /** An agent that cannot open the conversation (not logged in, say) would take messages for ever and answer none. */
  #heard(output: AgentOutput): void {
    if (output.kind === 'conversation') this.#named = true;
    if (output.kind !== 'error' || !output.fatal || this.#named) return;
    this.#over = true;
    void this.#run.end({ exit: 'failed', reason: output.message }, { how: 'stop', why: 'no conversation was opened' });
  }

  #turnEnded({ ok, reason }: Done): void {
    const { journal } = this.#ports;
    const interrupted = this.#turn === 'interrupted';
    const { costUsd } = this.#run.turn.usage;
    journal.append('turn.ended', {
      ok,
      ...(interrupted ? { interrupted } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    });
    this.#free();
  }

  /** What waits is said after it: whoever interrupts may just have said what to do instead. */
  async interrupt(): Promise<void> {
    if (this.#turn === 'none' || !this.#open) return;
    this.#turn = 'interrupted';
    this.#ports.journal.append('input.sent', { by: 'api', bytes: 0, why: 'interrupt' });
    await this.#run.interrupt();
  }

  pause(): Promise<number[]> {
    return this.#run.pause();
  }

  resume(): Promise<number[]> {
    return this.#run.resume();
  }

  keys(): Promise<SendReceipt> {
    return Promise.resolve({ verdict: 'refused', reason: NO_TERMINAL });
  }

  deskChanged(): void {
    if (this.#ports.desk.list().length > 0) this.#run.hold('inquiry');
    else this.#run.release('inquiry');
  }

  holdOutput(until: Promise<void>): void {
    this.#run.process?.holdOutput(until);
  }

  get hook(): TakesHook | undefined {
    return this.#run.door?.hook;
  }

  denied(): void {
    this.#denied += 1;
  }

  facts() {
    return { denied: this.#denied, ...this.#run.turn.usage };
  }

  input(): void {}
  endInput(): void {}
  resize(): void {}
  driverSees(): void {}
  close(): void {}
}

function finishOf({ exit, reason }: ReturnType<AgentRun['judged']>): Finish {
  if (exit === 'ok') return { outcome: 'completed', exitCode: 0, reason: 'the agent ended' };
  if (exit === 'timed-out') return { outcome: 'timed-out', exitCode: 124, reason: reason ?? 'out of time' };
  return { outcome: 'failed', exitCode: 1, reason: reason ?? 'the agent failed' };
}
