/** One open inquiry as the desk keeps it: where it stands, what was answered, and every timer that runs for it. Types alone. */
import type { Answer, By, Inquiry, Progress, RuleRef, Suggestion, Verdict } from '../contract/index.js';
import type { Rung } from '../policy/index.js';
import type { CaseTimers } from './countdown.js';
import type { Settlement } from './desk-ports.js';

export interface OpenCase extends CaseTimers {
  inquiry: Inquiry;
  stage: 'routing' | 'asking' | 'consulting' | 'deferred' | 'answered';
  answer?: Answer;
  /** Given while policy was still being asked: it counts as soon as no rule settles the matter. */
  early?: ViewersAnswer;
  /** Somebody was there when it was decided who answers. */
  attended: boolean;
  /** Somebody came while another agent was asked. */
  came?: boolean;
  /** The ladder for nobody there, from its present rung on; while somebody is there, what is left of it. */
  away?: AwayLadder;
  /** Why the stage before gave no answer, and what comes after this one. */
  because?: string | undefined;
  after?: Progress['next'];
  /** A proposal was asked for; and what came of it. */
  proposing?: AbortController;
  suggestion?: Suggestion;
  /** Answered for the user while the session is paused: this tells the agent, and until then it can be replaced. */
  tell?: (() => void) | undefined;
  /** The consultation that is under way: the answer of an earlier one comes too late. */
  consultation: AbortController | undefined;
  resolve(settlement: Settlement | undefined): void;
  /** Which keys were pressed before: they did not answer this. */
  mark: number;
  /** A refusal could not be told: where policy would refuse, it waits for a person. */
  stays?: boolean;
}

/** Known again by what wrote it, and for whom. */
export interface AwayLadder {
  rule: RuleRef;
  reachable: boolean;
  rungs: Rung[];
}

/** What somebody said, and for how long it shall hold. */
export interface ViewersAnswer {
  inquiry: string;
  verdict: Verdict;
  by: By;
  reason?: string;
  scope?: 'once' | 'session';
  /** The suggestion that is taken. */
  proposed?: Suggestion;
}
