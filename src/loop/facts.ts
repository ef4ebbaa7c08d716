/**
 * What the loop is told (facts) and what it wants done (effects). The host turns the world into facts and effects into
 * the world; every fact carries its time, because the loop has no clock. Numbers of usage are totals of the running
 * iteration so far, not differences.
 */
import type { PromptParts } from './prompt-parts.js';
import type { EventSource, Finish, GateResult, Wait } from './state.js';

export interface UsageFigures {
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';

export interface Claim {
  claimed: boolean;
  /** Always there: where it was seen, or why it does not count. */
  reason: string;
}

/** `park`: the deferred inquiries stay, the process goes (exit 5). */
export type StopAsked = { kind: 'stop-asked'; how: 'stop' | 'kill' | 'park'; signal?: StopSignal; why?: string };

/** A fact before it has its time. */
export type Told =
  /** The session begins, or goes on from a folded state; or ends at once, because a stop was asked for before. */
  | { kind: 'started'; stop?: StopAsked }
  | { kind: 'event'; topic: string; payload: string; by: Exclude<EventSource, 'loop'> }
  /** The agent meant to publish something, and it cannot count. */
  | { kind: 'garbled'; mistakes: string[] }
  | ({ kind: 'usage' } & UsageFigures)
  /** The agent's provider refuses more work, until a time if it says so. */
  | { kind: 'limit'; message: string; until?: number }
  /** Something of the model was heard: an outage, if there was one, is over. */
  | { kind: 'reached' }
  /** For want of a person; what a rule denies is no concern of the loop's. */
  | { kind: 'denied' }
  | { kind: 'guidance'; id: string; text: string }
  /** Time passed; see `nextWake` for when one is wanted. */
  | { kind: 'tick' }
  /** An inquiry waits for a person, the agent with it. */
  | { kind: 'parked'; why: string }
  | { kind: 'resumed' }
  /**
   * The agent is gone. `exit` comes from its result record or exit code; `timed-out` from a timer, which can fail an
   * iteration but never complete one.
   */
  | ({
      kind: 'iteration-ended';
      iteration: number;
      /** Absent: whichever attempt runs. */
      attempt?: number;
      exit: 'ok' | 'failed' | 'timed-out' | 'stopped';
      reason?: string;
      claim?: Claim;
      tree?: string;
      /** The model or the network could not be reached: nobody's failure, and waited out. */
      outage?: boolean;
      /** Something of the model was heard in this attempt. */
      spoke?: boolean;
      /** Trying again cannot help (no such agent, no such directory): a failure ends the session at once. */
      fatal?: boolean;
    } & UsageFigures)
  | { kind: 'gates-ran'; iteration: number; results: GateResult[] }
  | StopAsked;

/** One thing that happened; `at` in milliseconds since the epoch. */
export type Fact = Told & { at: number };
export type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

export type Effect =
  | {
      do: 'start';
      iteration: number;
      attempt: number;
      hat?: string;
      coordinator?: true;
      backend: string;
      prompt: PromptParts;
    }
  | { do: 'run-gates'; iteration: number; gates: string[] }
  /** Tell a `tick` at `until`. */
  | ({ do: 'wait' } & Wait)
  | { do: 'stop'; how: 'stop' | 'kill'; reason: string }
  /** The last effect ever: end what still runs (gates too), then write `session.ended` with these words. */
  | ({ do: 'finish' } & Finish);
