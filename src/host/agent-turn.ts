/**
 * What one launch of an agent said, gathered: journaled as entries, counted as usage, kept for the verdict about its
 * success. Text goes to whoever looks for events and the promise; nothing else does.
 */
import type { AgentOutput, AgentState } from '../contract/index.js';
import type { RunPorts } from './run/ports.js';

/** What a tool returned, as the journal keeps it; the agent's own transcript has the whole. */
const LONGEST_RESULT = 16 * 1024;
const LONGEST_INPUT = 256 * 1024;

const MOST_VERDICTS = 1000;

/** Signs that the model was reached. */
const SPEECH = new Set<AgentOutput['kind']>(['text', 'partial', 'thinking', 'tool', 'tool-result']);

/** Unknown records are counted one by one, told of once in a while. */
const UNKNOWN_NOTICE_EVERY = 1000;

export interface TurnListeners {
  text?(text: string): void;
  usage?(usage: { costUsd?: number; inputTokens?: number; outputTokens?: number }): void;
  limit?(limit: { message: string; until?: number }): void;
  conversation?(id: string): void;
  done?(done: Extract<AgentOutput, { kind: 'done' }>): void;
  output?(output: AgentOutput): void;
  state?(state: AgentState): void;
}

type TurnPorts = Pick<RunPorts, 'journal' | 'seen' | 'state' | 'keyOf' | 'partial' | 'used'>;

export class AgentTurn {
  readonly #ports: TurnPorts;
  readonly #listeners: TurnListeners;
  /** Enough of what was said to judge success. */
  readonly verdicts: AgentOutput[] = [];
  conversation: string | undefined;
  usage: { costUsd?: number; inputTokens?: number; outputTokens?: number } = {};
  /** It only tries again to reach its model: with what it failed last. */
  retrying: string | undefined;
  /** It said or did something. */
  spoke = false;
  #unknown = 0;

  constructor(ports: TurnPorts, listeners: TurnListeners) {
    this.#ports = ports;
    this.#listeners = listeners;
  }

  said(output: AgentOutput): void {
    this.#tell(output);
    // Behind its own entry: a call that nobody allowed is on record before what follows from it.
    this.#ports.seen(output);
  }

  #tell(output: AgentOutput): void {
    const { journal } = this.#ports;
    this.#listeners.output?.(output);
    if (SPEECH.has(output.kind)) {
      this.spoke = true;
      this.retrying = undefined;
    } else if (output.kind === 'retry') this.retrying = output.error;
    switch (output.kind) {
      case 'text':
        journal.append('agent.text', { text: output.text, ...parent(output), ...before(output) });
        if (output.parent === undefined) this.#listeners.text?.(output.text);
        break;
      case 'partial':
        this.#ports.partial?.(output.text);
        break;
      case 'prompt':
        journal.append('prompt.given', {
          ...bounded(output.text, LONGEST_INPUT),
          ...this.#keyOf(output.text),
          ...before(output),
        });
        break;
      case 'thinking':
        journal.append('agent.thinking', { text: bounded(output.text, LONGEST_RESULT).text, ...before(output) });
        break;
      case 'tool':
        journal.append('tool.called', {
          call: output.call,
          tool: output.tool,
          input: boundedInput(output.input),
          ...parent(output),
          ...before(output),
        });
        break;
      case 'tool-result':
        journal.append('tool.returned', {
          call: output.call,
          ok: output.ok,
          ...bounded(output.text, LONGEST_RESULT),
          ...(output.running === undefined ? {} : { running: output.running }),
          ...parent(output),
        });
        break;
      case 'conversation':
        this.named(output.id);
        break;
      case 'usage':
        this.#used(output);
        break;
      case 'retry': {
        const wait = output.inMs === undefined ? '' : `, next in ${Math.round(output.inMs / 1000)} s`;
        const detail = `retrying ${output.attempt}${output.of ? `/${output.of}` : ''}${wait}: ${output.error}`;
        this.#ports.state('working', { agentState: 'retrying', because: 'protocol', detail });
        break;
      }
      case 'limit':
        this.#keep(output);
        this.#ports.state('working', {
          agentState: 'limited',
          because: 'protocol',
          detail: output.message,
          ...(output.until === undefined ? {} : { until: output.until }),
        });
        this.#listeners.limit?.({
          message: output.message,
          ...(output.until === undefined ? {} : { until: output.until }),
        });
        break;
      case 'error':
        this.#keep(output);
        journal.append('notice', { level: output.fatal ? 'error' : 'warn', text: output.message });
        break;
      case 'state':
        this.state(output.state, 'protocol');
        break;
      case 'done':
        this.#keep(output);
        if (output.costUsd !== undefined) this.#used({ costUsd: output.costUsd });
        this.#listeners.done?.(output);
        break;
      case 'unknown':
        this.#notUnderstood();
        break;
    }
  }

  #keyOf(prompt: string): { key?: string } {
    const key = this.#ports.keyOf?.(prompt);
    return key === undefined ? {} : { key };
  }

  /** The agent's own name for its conversation. */
  named(id: string): void {
    if (this.conversation === id) return;
    this.conversation = id;
    this.#listeners.conversation?.(id);
  }

  state(state: AgentState, because: string, detail?: string): void {
    this.#listeners.state?.(state);
    const idle = state === 'idle' || state === 'ready';
    const shown = state === 'starting' ? 'starting' : idle ? 'idle' : state === 'ended' ? 'ended' : 'working';
    if (shown !== 'ended') this.#ports.state(shown, { agentState: state, because, ...(detail ? { detail } : {}) });
  }

  /** Totals of this launch; a later record replaces an earlier one, agents report sums. */
  #used(usage: { costUsd?: number; inputTokens?: number; outputTokens?: number }): void {
    // Less than nothing would pay for what comes after it.
    const { costUsd, inputTokens, outputTokens } = usage;
    const amounts = Object.entries({ costUsd, inputTokens, outputTokens }).filter(
      ([, amount]) => amount !== undefined && amount >= 0,
    );
    this.usage = { ...this.usage, ...Object.fromEntries(amounts) };
    this.#listeners.usage?.(this.usage);
    this.#ports.used?.();
  }

  /** The last ones decide; an agent that complains all night must not fill our memory. */
  #keep(output: AgentOutput): void {
    this.verdicts.push(output);
    if (this.verdicts.length > MOST_VERDICTS) this.verdicts.shift();
  }

  #notUnderstood(): void {
    this.#unknown += 1;
    if (this.#unknown % UNKNOWN_NOTICE_EVERY !== 1) return;
    this.#ports.journal.append('notice', {
      level: 'info',
      code: 'unknown-output',
      text: `The agent printed something Reins does not understand (${this.#unknown} so far); it is ignored.`,
    });
  }
}

const parent = (output: { parent?: string }) => (output.parent === undefined ? {} : { parent: output.parent });

const before = (output: { before?: string }) => (output.before === undefined ? {} : { before: output.before });

function bounded(text: string, most: number): { text: string; truncated?: boolean } {
  return text.length <= most ? { text } : { text: text.slice(0, most), truncated: true };
}

function boundedInput(input: unknown): unknown {
  const text = JSON.stringify(input) ?? '';
  return text.length <= LONGEST_INPUT ? input : { truncated: text.slice(0, LONGEST_INPUT) };
}
