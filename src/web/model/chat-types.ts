/** What a chat is made of, as data: folded out of journal entries by `chat-items.ts`, drawn by `parts/chat.tsx`. */
import type { By, Inquiry, ProcessEnd, Progress, Question, Verdict } from '../../contract/index.js';

interface ChatHead {
  /** Of its first entry: names it for ever, whatever is loaded before it. */
  seq: number;
  at: string;
}

export interface ChatPrompt extends ChatHead {
  kind: 'prompt';
  text: string;
  by?: string;
  key?: string;
  /** `accepted`: the host has it; `recorded`: the agent itself wrote it down. `guidance` waits for its iteration. */
  tick: 'accepted' | 'recorded' | 'dropped';
  cut?: boolean;
  /** Why it was dropped. */
  why?: string;
  guidance?: { id: string; iteration?: number };
}

export interface ChatText extends ChatHead {
  kind: 'text';
  text: string;
}

export interface ChatThinking extends ChatHead {
  kind: 'thinking';
  text: string;
}

export interface ChatTool extends ChatHead {
  kind: 'tool';
  call: string;
  tool: string;
  input: unknown;
  result?: { ok: boolean; text: string; cut: boolean; at: string };
  inquiry?: ChatInquiry;
  /** Whether its result may go to the agent. */
  delivery?: ChatInquiry;
  /** What a sub-agent did inside this call. */
  inside: ChatItem[];
  /** It was started and left to run. `told`: the agent's record says so of each look at it, by itself. */
  background?: { id: string; over: boolean; told?: boolean };
}

export interface ChatTodo extends ChatHead {
  kind: 'todo';
  todos: Todo[];
  /** A newer list has taken its place. */
  old?: boolean;
}

export interface Todo {
  text: string;
  state: 'open' | 'doing' | 'done';
}

export interface ChatInquiry extends ChatHead {
  kind: 'inquiry';
  id: string;
  inquiry: Inquiry;
  progress?: Partial<Progress>;
  answer?: { verdict: Verdict; by: By; reason?: string; at: string; kept?: boolean };
  closed?: { how: 'delivered' | 'cancelled' | 'expired'; reason?: string | undefined; by?: By | undefined; at: string };
  questions?: Question[];
}

export interface ChatLine extends ChatHead {
  kind: 'line';
  level: 'quiet' | 'info' | 'good' | 'warn' | 'error';
  text: string;
  /** Shown when it is opened. */
  more?: string;
  /** A line of the same sort right behind takes its place: a retry, a wait. */
  instead?: string;
}

export interface ChatRule extends ChatHead {
  kind: 'rule';
  text: string;
}

export interface ChatStopped extends ChatHead {
  kind: 'stopped';
  why: string;
  processes: ProcessEnd[];
  left: number;
}

export interface ChatEnd extends ChatHead {
  kind: 'end';
  outcome: string;
  exitCode: number;
  reason: string;
  advice?: string;
  counts: string;
}

export type ChatItem =
  | ChatPrompt
  | ChatText
  | ChatThinking
  | ChatTool
  | ChatTodo
  | ChatInquiry
  | ChatLine
  | ChatRule
  | ChatStopped
  | ChatEnd;

export interface ChatUsage {
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
}
