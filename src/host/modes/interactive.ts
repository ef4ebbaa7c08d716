/** `reins run -i`: the agent's own terminal program, with a person at the keys; its end is the session's end. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { successOf } from '../../adapters/index.js';
import { adapterSettings } from '../../config/index.js';
import { asReinsError } from '../../contract/index.js';
import { AgentTurn } from '../agent-turn.js';
import { makeTuiDoor } from '../doors/make-tui.js';
import type { TuiDoor } from '../doors/tui.js';
import { adapterFor, launch, type Planned, planLaunch } from '../launch.js';
import { startError } from './iteration.js';
import { TerminalWork } from './terminal-work.js';
import type { Finish, WorkPorts } from './work.js';

export class InteractiveWork extends TerminalWork {
  readonly #turn: AgentTurn;
  #door: TuiDoor | undefined;
  #planned: Planned | undefined;
  readonly #conversation: string = randomUUID();
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
    if (!started.ok) {
      const error = startError(adapter, started, spec.cwd);
      return failed(error.exit, `${error.message}; ${error.hint}`);
    }
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
    const door = makeTuiDoor({
      ports: this.ports,
      planned: this.#planned,
      agent,
      output: this.terminal,
      turn: this.#turn,
      wrote: (bytes) => this.wrote(bytes),
    });
    this.#door = door;
    if (plan.submit !== undefined) void this.#submitFirst(door, plan.submit);
    return { agent, door };
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
