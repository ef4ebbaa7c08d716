/** How an agent is asked for one answer: what it is given, and what a plan for that has to be. */
import type { Clock } from '../contract/index.js';
import type { CustomSettings, LaunchPlan, Look, Refusal } from './adapter.js';

/** What an agent is asked that is only consulted: one prompt, one answer. */
export interface ConsultAsk {
  /** Holds the whole prompt; private. */
  promptFile: string;
  /** Where it is started: empty, private, and gone afterwards. */
  cwd: string;
  /** For the plan's own files, private as well and not above `cwd`. */
  dir: string;
  model?: string;
  /** The user's own arguments (`consult.args`). */
  args: string[];
  /** What `--version` said, as far as it was asked. */
  version?: string;
  /** The user wrote this agent's name as `consult.backend`. */
  named: boolean;
  /** A folder whose files it may read (`consult.reads`). */
  reads?: string;
  custom: CustomSettings;
  env: Record<string, string | undefined>;
  look: Look;
  clock?: Clock;
}

/** Headless, one way: it has a `decoder`. */
export interface ConsultPlan extends LaunchPlan {
  /** The one that it will use, where that is known. */
  model?: string;
  /** On its standard error: its model called a tool, which it does not have. */
  tried?: RegExp;
}

/**
 * How an agent is started to be consulted: without tools, and without settings, hooks, servers and instructions of the
 * project's. A refusal says why it is no consultant.
 */
export type Consultation = (ask: ConsultAsk) => ConsultPlan | Refusal;
