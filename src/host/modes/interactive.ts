/** `reins run -i`: the agent's own terminal program, with a person at the keys; its end is the session's end. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { successOf } from '../../adapters/index.js';
import { adapterSettings } from '../../config/index.js';
import { asReinsError, type SendReceipt } from '../../contract/index.js';
import { submit } from '../../terminal/index.js';
import { AgentTurn } from '../agent-turn.js';
import { TuiDoor } from '../doors/tui.js';
import { adapterFor, HOOK_TIMEOUT_SECS, launch, type Planned, planLaunch } from '../launch.js';
import { TerminalWork } from './terminal-work.js';
import type { Finish, WorkPorts } from './work.js';

export class InteractiveWork extends TerminalWork {
  readonly #turn: AgentTurn;
  #door: TuiDoor | undefined;
  #planned: Planned | undefined;
  #conversation: string = randomUUID();
  #denied = 0;

  constructor(ports: WorkPorts) {
    super(ports, 'pty');
    this.#turn = new AgentTurn(ports, {});
  }

  protected async begin() {
    const { spec, journal, dir, env, hook } = this.ports;
    const adapter = adapterFor(spec.agent!.adapter);
    const prompt = spec.prompt_file ? readFileSync(spec.prompt_file, 'utf8') : undefined;
    const settings = adapterSettings(spec.config, adapter.id);
    try {
      this.#planned = planLaunch(
        { spec, dir, env, hook, settings },
        {
          adapter,
          mode: 'interactive',
          tui: false,
          promptFile: spec.prompt_file ?? '',
          ...(prompt === undefined ? {} : { prompt }),
          conversation: { id: this.#conversation, resume: false },
        },
      );
    } catch (thrown) {
      const error = asReinsError(thrown);
      return failed(error.exit, `${error.message}; ${error.hint}`);
    }
    const { plan } = this.#planned;
    for (const note of plan.notes) journal.append('notice', { level: 'info', text: note });
    const started = await launch(this.ports, this.#planned, spec.size);
    if (!started.ok) return failed(started.code === 'CWD_INACCESSIBLE' ? 21 : 20, started.reason);
    const { agent } = started;
    journal.append('agent.started', {
      agent: adapter.id,
      ...(spec.agent?.version ? { version: spec.agent.version } : {}),
      door: 'tui',
      io: agent.proc.io,
      pid: agent.proc.pid,
      argv: [plan.command, ...plan.args],
      cwd: spec.cwd,
      agent_session: this.#conversation,
    });
    this.ports.state('starting', { agentState: 'starting', because: 'started' });
    const door = this.#makeDoor(agent.proc);
    if (plan.submit !== undefined) void this.#submitFirst(door, plan.submit);
    return { agent, door };
  }

  #makeDoor(proc: {
    write(bytes: Uint8Array | string): Promise<'written' | 'gone' | 'full'>;
    endInput(): void;
  }): TuiDoor {
    const { desk } = this.ports;
    const tui = this.#planned!.plan.tui!;
    const door = new TuiDoor({
      tui,
      screen: this.terminal.screen!,
      hookTimeoutMs: HOOK_TIMEOUT_SECS * 1000,
      ports: {
        show: (chunk) => this.terminal.write(chunk),
        said: (output) => this.#turn.said(output),
        state: (state, because, detail) => this.#turn.state(state, because, detail),
        ask: (draft, options) => desk.open(draft, options),
        byRules: (draft) => desk.atOnce(draft),
        write: (bytes) => proc.write(bytes),
        endInput: () => proc.endInput(),
        type: (text, evidence) => this.#type(text, evidence),
        conversation: (id) => {
          this.#conversation = id;
        },
        transcript: () => undefined,
      },
    });
    this.#door = door;
    return door;
  }

  async #submitFirst(door: TuiDoor, prompt: string): Promise<void> {
    await door.ready();
    const receipt = await this.submit(prompt, { by: 'api', key: 'first-prompt' });
    if (receipt.verdict === 'submitted' || receipt.verdict === 'queued') return;
    this.ports.journal.append('notice', {
      level: 'warn',
      text: `The prompt was not submitted: ${receipt.reason ?? receipt.verdict}`,
    });
  }

  #type(text: string, evidence: Promise<string>): Promise<SendReceipt> {
    const rules = this.#planned!.plan.tui!.submit;
    const door = this.#door!;
    const slash = /^\/[a-z]/.test(text) && !text.includes('\n') ? rules.slash : 'no';
    return submit({
      text,
      write: (bytes) => this.agent!.proc.write(bytes),
      screenModes: async () => (await this.terminal.screen?.modes()) ?? { bracketedPaste: false },
      evidence: () => evidence,
      ready: () => door.readiness,
      whenBusy: 'queue',
      dialogOpen: () => door.dialogOpen,
      settleMs: rules.pasteSettleMs,
      defuse: rules.defuse,
      slash,
      clock: this.ports.clock,
    });
  }

  override hook(event: string, payload: unknown, gone: Promise<void>) {
    return this.#door ? this.#door.hook(event, payload, gone) : super.hook(event, payload, gone);
  }

  protected judge(exit: { code: number | null; signal: NodeJS.Signals | null }): Finish {
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

  denied(): void {
    this.#denied += 1;
  }

  override facts() {
    return { denied: this.#denied, ...this.#turn.usage };
  }
}

function failed(exitCode: number, reason: string): Finish {
  return { outcome: 'failed', exitCode, reason };
}
