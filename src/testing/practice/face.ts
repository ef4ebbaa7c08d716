/**
 * What a door must offer so that a turn can be played through it: `stream`, `control`, `text` and `tui` each bring one.
 */
import type { ToolResult } from './tools.js';

export type PracticeDoor = 'stream' | 'control' | 'text' | 'tui';

export interface PracticeCall {
  id: string;
  tool: string;
  input: Record<string, unknown>;
}

/** The answer to "may I?". A question is allowed with its answers inside `input`. */
export type Permit =
  | { allowed: true; input: Record<string, unknown> }
  | { allowed: false; reason: string; interrupt?: boolean };

export interface PracticeUsage {
  input_tokens: number;
  output_tokens: number;
}

export type TurnEnd =
  | { kind: 'done'; text: string; costUsd: number; turns: number; usage: PracticeUsage; denials: PracticeCall[] }
  | { kind: 'interrupted'; during: 'text' | 'tool' }
  | { kind: 'error'; text: string; status: number; error: string; resetsAt?: number };

export interface Face {
  door: PracticeDoor;
  say(text: string, signal: AbortSignal): Promise<void>;
  think(text: string, signal: AbortSignal): Promise<void>;
  /** The model called a tool; it has not run yet. */
  called(call: PracticeCall): void;
  returned(call: PracticeCall, result: ToolResult): void;
  /** Resolves with a refusal when the signal aborts. */
  permit(call: PracticeCall, signal: AbortSignal): Promise<Permit>;
  /** A page of its own, until a person leaves it; only where there is a screen. */
  page?(signal: AbortSignal): Promise<void>;
  retrying(attempt: { attempt: number; of: number; delayMs: number; status: number }): void;
  /** The bytes with which this door carries a text; for habits that mistreat their own output. */
  encode(text: string): Buffer;
  raw(bytes: Buffer): void;
}

/** Claude's own words for a call that was given up before it ran. */
export const INTERRUPTED = '[Request interrupted by user for tool use]';

export const QUESTION = 'AskUserQuestion';
