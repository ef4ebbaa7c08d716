/**
 * What a session does between its first and last entry: supervise one command, hold an agent's terminal for a person, or
 * run the loop. The host around it is the same for all: journal, desk, viewers, driver.
 */
import type {
  AgentOutput,
  AgentState,
  Clock,
  Entry,
  Log,
  SendReceipt,
  SessionState,
  Size,
  Stopped,
  ViewerId,
} from '../../contract/index.js';
import type { Journal } from '../../journal/journal.js';
import type { Finish } from '../../loop/index.js';
import type { StartAgent } from '../agent-process.js';
import type { Desk } from '../desk.js';
import type { TakesHook } from '../doors/door.js';
import type { InsidePrograms } from '../inside-programs.js';
import type { Output } from '../output.js';
import type { Presses } from '../presses.js';
import type { SessionRule, SessionSpec } from '../spec.js';

export type { Finish, Stopped };

export interface StopAsk {
  how: 'stop' | 'kill';
  why: string;
  /** The signal that asked for it: it decides the exit code. */
  signal?: string;
}

/** What the host lends to the work. */
export interface WorkPorts {
  spec: SessionSpec;
  dir: string;
  env: Record<string, string | undefined>;
  journal: Journal;
  /** What the journal held when the session was continued. */
  before: Iterable<Entry>;
  desk: Desk;
  clock: Clock;
  log: Log;
  /** Keys on their way to the agent's terminal. */
  presses: Presses;
  /** Whatever an agent said, for the tripwire. */
  seen(output: AgentOutput): void;
  /** The rules of the hat that is worn from now on, beyond the session's own. */
  wear(rules: SessionRule[]): void;
  /** Starts a process: a real one, except in tests of what is done with it. */
  start: StartAgent;
  /** Where our hook finds the host. */
  hook: { argv: string[]; socket: string; secret: string };
  /** A directory with our own programs, for the agent's PATH. */
  bin: string;
  /** In a loop: what its agent's shells find beside that. */
  inside?: InsidePrograms;
  state(
    state: SessionState,
    facts?: { agentState?: AgentState; because?: string; detail?: string; until?: number },
  ): void;
  /** It may be able to take a message now, which no state tells. */
  free(): void;
  /** The key of the message that the agent says it was given. */
  keyOf(prompt: string): string | undefined;
  /** A piece of what it says, while it is written. */
  partial(text: string): void;
  /** It has used more: `facts` say what. */
  used(): void;
  /** What state the session shows now. */
  shown(): SessionState;
  /** Bytes of a separate standard error, for viewers. */
  stderr(bytes: Uint8Array): void;
}

export interface Work {
  /** The terminal viewers see, if there is one. */
  readonly terminal: Output | undefined;
  /** The first viewer is on its way: a moment to load what the start needs. */
  warmUp?(): void;
  /** Contract: resolves once, when everything has ended; never rejects. */
  run(): Promise<Finish>;
  stop(ask: StopAsk): Promise<Stopped>;
  /** The agent is being ended by us: what fails now failed because of that. */
  readonly isStopping: boolean;
  input(bytes: Uint8Array, viewer: ViewerId): void;
  endInput(): void;
  /** Resolves when the command has taken enough of its input for more to come. */
  inputRoom?(): Promise<void>;
  resize(size: Size): void;
  /** The agent's output is not read until the promise resolves: back-pressure of the run that started it. */
  holdOutput?(until: Promise<void>): void;
  /** A driver's real terminal is there, and answers the agent's questions to its terminal. */
  driverSees(sees: boolean): void;
  submit(
    text: string,
    options: { key?: string; by: 'human' | 'api' | 'prompt'; viewer?: ViewerId },
  ): Promise<SendReceipt>;
  /**
   * Whether a message would be the agent's next turn now; `later` while one runs, or while it is not known. `blind`: what is
   * submitted is typed without a look. Absent: it is not spoken with, as in a loop.
   */
  readonly takes?: 'now' | 'later' | 'blind' | undefined;
  /** The same after a closer look, right before one is given to it. */
  mayTake?(): Promise<boolean>;
  /** Switches its model; absent: it has no way. */
  model?(name: string): Promise<SendReceipt>;
  /** What is submitted now would be typed without a look at what takes it. */
  readonly blind: boolean;
  keys(keys: Uint8Array[], viewer?: ViewerId): Promise<SendReceipt>;
  interrupt(): Promise<void>;
  pause(): Promise<number[]>;
  resume(): Promise<number[]>;
  /** Who takes a call of our hook now: the door of the agent that runs, if it was given one. */
  readonly hook: TakesHook | undefined;
  /** Loop only. */
  emit?(topic: string, payload: string): { accepted: boolean; reason?: string };
  /** The same key twice is one. */
  guide?(text: string, key?: string): { id: string; iteration: number; kept?: boolean };
  /** The person at the keys went away on purpose: the session lives on without one. */
  untied?(): void;
  /** The desk's open inquiries changed. */
  deskChanged?(): void;
  /** Something was denied for want of a person. */
  denied?(): void;
  /** For the session's row. */
  facts(): {
    iteration?: number;
    /** Worn now. */
    hat?: string;
    costUsd?: number;
    inputTokens?: number;
    outputTokens?: number;
    denied: number;
    detail?: string;
  };
  close(): void;
}
