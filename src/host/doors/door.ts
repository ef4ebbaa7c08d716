/**
 * A door at work: what it makes of the agent's bytes, and how it takes text, answers and an interrupt to the agent. The
 * process itself (start, stop, exit) belongs to agent-process.ts.
 */
import type { HookReply } from '../../adapters/index.js';
import type { AgentOutput, AgentState, SendReceipt } from '../../contract/index.js';
import type { Asked, Draft } from '../desk.js';

export type { Draft };

export interface DoorPorts {
  /** Something the agent said. */
  said(output: AgentOutput): void;
  /** The best signal says so; `because` names the signal. */
  state(state: AgentState, because: string, detail?: string): void;
  /** `held`: nothing is decided about it, it waits for a person. */
  ask(draft: Draft, options?: { deadlineMs?: number; held?: boolean }): Asked;
  write(bytes: Uint8Array | string): Promise<'written' | 'gone' | 'full'>;
  endInput(): void;
}

/** One call of our hook; `gone` when the agent no longer waits. Contract: always a reply; anything unclear is a refusal. */
export type TakesHook = (event: string, payload: unknown, gone: Promise<void>) => Promise<HookReply>;

export interface DoorAtWork {
  /** The process runs: the first words to an agent that is spoken to. */
  open?(prompt: string | undefined): void;
  /** Contract: bytes in order, all of them, before `end`. */
  feed(chunk: Uint8Array, stream: 'out' | 'err'): void;
  /** The process is gone. */
  end(): void;
  /** Messages go in one after the other; where one is typed, `first` is done right before. */
  submit(text: string, first?: () => Promise<void>): Promise<SendReceipt>;
  /** Whether a message would begin a turn now, by the last look; absent: it would be typed as it comes. */
  readonly takes?: 'now' | 'later';
  /** The same after a look. */
  mayTake?(): Promise<boolean>;
  /** Absent: the agent has no way to switch its model. */
  model?(name: string): Promise<SendReceipt>;
  /** Text is typed without a look at what takes it: a shell, or a program whose screen nobody can read. */
  readonly blind?: boolean;
  /** `deaf`: it cannot be told; whoever wants the turn to end has to end the agent. */
  interrupt(): Promise<'told' | 'deaf'>;
  /** The last it printed beside its records; empty where everything is on its screen. */
  readonly lastWords: string;
  /** A turn ended and no other is wanted: what is to be done so that the agent leaves. `stay`: nothing, or not yet. */
  turnDone(): 'stay' | 'end-input' | 'stop';
  /** Absent: the agent was given no hook of ours. */
  readonly hook: TakesHook | undefined;
}

export const NO_MODEL = 'this agent’s model cannot be switched while it runs';
