/**
 * Everything the loop remembers, as plain data. It changes only by `evolve` (an entry of the journal in, the next state
 * out), so the state of a running loop and the state folded from its journal cannot differ.
 */
import type { Outcome, TreeChanges } from '../contract/index.js';
import type { LoopSettings } from './settings.js';

export type EventSource = 'text' | 'emit' | 'loop';

export interface LoopEvent {
  /** The how-manieth accepted event of the session, from 1. */
  id: number;
  topic: string;
  payload: string;
  by: EventSource;
}

export interface Guidance {
  id: string;
  text: string;
}

export interface GateResult {
  gate: string;
  ok: boolean;
  exitCode: number | null;
  seconds: number;
  tail?: string;
  /** Where its output is, if the tail is not all of it. */
  outputFile?: string;
}

export interface Usage {
  costUsd: number;
  inputTokens: number;
  outputTokens: number;
}

/** How the session ends, why, and what the user could do next. */
export interface Finish {
  outcome: Outcome;
  exitCode: number;
  reason: string;
  /** What the user could do next. */
  advice?: string;
  /** What became of the working tree: the host looks. */
  changes?: TreeChanges;
}

export interface Wait {
  until: number;
  why: string;
  kind: 'limit' | 'outage' | 'backoff' | 'cooldown';
}

/** The agent's provider refuses work, or cannot be reached: this time is not the loop's, and does not count as runtime. */
export const isNotOurs = ({ kind }: Wait): boolean => kind === 'limit' || kind === 'outage';

/** The model or the network cannot be reached. */
export interface Outage {
  message: string;
  since: number;
  /** How often it was tried in vain. */
  tries: number;
}

/** The iteration that runs, is judged, or was interrupted and will run again under the same number. */
export interface Current {
  iteration: number;
  attempt: number;
  startedAt: number;
  hat?: string;
  /** There are hats, and it wears none: it hands the work to one. */
  coordinator?: true;
  /** What its prompt says beside the user's words. */
  events: LoopEvent[];
  guidance: Guidance[];
  notes: string[];
  failedGates: GateResult[];
  /** Events accepted in any attempt at this iteration. */
  kept: { topic: string; payload: string }[];
  /** Those of earlier attempts that this attempt has not repeated yet: a repetition is not a second event. */
  carried: { topic: string; payload: string }[];
  usage: Usage;
  denied: number;
  gates: GateResult[];
  tree?: string;
  /** How completion was claimed, if it was. */
  claim?: string;
  limit?: { message: string; until?: number };
  /** It ended because the model could not be reached. */
  unreached?: boolean;
  /** How often the model was reached in this iteration and lost again. */
  cuts?: number;
  /** It ended without being done; the next start is another attempt at it. */
  interrupted: boolean;
}

export interface LastIteration {
  iteration: number;
  outcome: Outcome;
  reason?: string;
  hat?: string;
  coordinator?: true;
  events: LoopEvent[];
  /** What is to be published for its hat, which published nothing (`default_publishes`). */
  due?: string;
  /** Completion was claimed and accepted. */
  accepted: boolean;
  claimed: boolean;
  /** It published something that was accepted, so its own work is not repeated after a failure. */
  handedOver: boolean;
  gatesFailed: string[];
  denied: number;
  /** The session has ended since and was continued: this iteration decides nothing any more. */
  settled: boolean;
}

export interface Stall {
  tree?: string;
  /** Iterations in a row with the same tree and no event. */
  count: number;
  /** Hand-overs since the tree last changed, and how often each was repeated since the last new one; see `rounds.ts`. */
  rounds?: Record<string, number>;
}

export type Phase = 'new' | 'between' | 'working' | 'stopping' | 'judging' | 'waiting';

export interface LoopState {
  settings: LoopSettings;
  /** Started in this process. A folded state is not: it wants a `started` fact first. */
  live: boolean;
  phase: Phase;
  /** The number of the latest iteration that was started; 0 before the first. */
  iteration: number;
  current?: Current;
  last?: LastIteration;
  hat?: string;
  activations: Record<string, number>;
  pending: LoopEvent[];
  /** What a hat was given and has not handed on yet, by hat; the coordinator's under the empty name. */
  held: Record<string, LoopEvent[]>;
  /** Which of the required events were published, as they are named in the settings. */
  seen: string[];
  eventCount: number;
  /** The starting event was published. */
  begun: boolean;
  /** Not delivered yet. */
  guidance: Guidance[];
  /** For the agent, in its next prompt. */
  notes: string[];
  failedGates: GateResult[];
  failures: { count: number; timedOut: number };
  stall: Stall;
  /** Iterations in a row in which a person was needed and that brought nothing. */
  deniedInRow: number;
  /** Usage limits in a row. */
  limitsInRow: number;
  /** Until something of the model is heard again. */
  outage?: Outage;
  /** For want of a person, in the whole session. */
  denied: number;
  parked: boolean;
  wait?: Wait;
  /** Why the agent is being stopped: how the session will end. */
  goal?: Finish;
  /** Of attempts that are over; see `totalUsage`. */
  usage: Usage;
  clock: { spentMs: number; since?: number; lastAt: number };
  ended?: Finish;
}

export const noUsage: Usage = { costUsd: 0, inputTokens: 0, outputTokens: 0 };

export function initialState(settings: LoopSettings): LoopState {
  return {
    settings,
    live: false,
    phase: 'new',
    iteration: 0,
    activations: {},
    pending: [],
    held: {},
    seen: [],
    eventCount: 0,
    begun: false,
    guidance: [],
    notes: [],
    failedGates: [],
    failures: { count: 0, timedOut: 0 },
    stall: { count: 0 },
    deniedInRow: 0,
    limitsInRow: 0,
    denied: 0,
    parked: false,
    usage: noUsage,
    clock: { spentMs: 0, lastAt: 0 },
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    costUsd: a.costUsd + b.costUsd,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

/** What the session has cost so far, the running iteration included. */
export function totalUsage(state: LoopState): Usage {
  return state.current ? addUsage(state.usage, state.current.usage) : state.usage;
}

/** Milliseconds of work so far: waiting for a usage limit or for a person is not work. */
export function runtimeMs(state: LoopState, at: number): number {
  const { spentMs, since } = state.clock;
  return since === undefined ? spentMs : spentMs + Math.max(0, at - since);
}
