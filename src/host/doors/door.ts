/**
 * A door at work: what it makes of the agent's bytes, and how it takes text, answers and an interrupt to the agent. The
 * process itself (start, stop, exit) belongs to agent-process.ts.
 */
import type { AgentOutput, AgentState, Inquiry, SendReceipt } from '../../contract/index.js';
import type { Asked } from '../desk.js';

export type Draft = Omit<Inquiry, 'id' | 'session' | 'opened_at' | 'deadline_at'>;

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

export interface DoorAtWork {
  /** Contract: bytes in order, all of them, before `end`. */
  feed(chunk: Uint8Array, stream: 'out' | 'err'): void;
  /** The process is gone. */
  end(): void;
  /** Messages go in one after the other; where one is typed, `first` is done right before. */
  submit(text: string, first?: () => Promise<void>): Promise<SendReceipt>;
  interrupt(): Promise<void>;
}
