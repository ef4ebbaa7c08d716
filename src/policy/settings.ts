/**
 * What policy is told: plain data with the source of every value, so that each decision can name the line it comes
 * from. Reading files, merging and trusting folders belong to config and host; nothing here knows about YAML.
 */
import type { InquiryKind, RuleRef, Trust } from '../contract/index.js';

/** `file:line`, `flag`, `environment`, `default`, `built-in`: shown as it is. */
export interface Sourced<T> {
  value: T;
  source: string;
}

export const MODES = ['ask', 'auto', 'deny', 'defaults', 'defer'] as const;
export type AnswerMode = (typeof MODES)[number];

/** One rung of a ladder; without a time it is tried until it has an answer. */
export interface LadderRung {
  mode: AnswerMode;
  forMs?: number;
}

export type ModeValue = AnswerMode | LadderRung[];

/** `all` is the scalar (`detached: auto`), the kinds are the struct (`detached: {run: auto}`); one may refine the other. */
export type KindModes = { all?: Sourced<ModeValue> } & { [K in InquiryKind]?: KindMode };

/** `spread`: it was not written for this kind alone, but for all of them at once. */
export type KindMode = Sourced<ModeValue> & { spread?: true };

export interface QuestionSettings {
  exclusive?: Sourced<boolean>;
  /** The user's answer in advance: option ids or labels, or one free text. */
  answer?: Sourced<string[]>;
}

/** What a consultation without a usable answer comes to. */
export type OnNoAnswer = Sourced<'deny' | 'defaults' | 'defer'>;

export interface ToolSettings {
  attached?: KindModes;
  detached?: KindModes;
  reachable?: KindModes;
  onNoAnswer?: OnNoAnswer;
  questions?: Record<string, QuestionSettings>;
}

export type RuleVerdict = 'allow' | 'ask' | 'deny';

export interface RuleSetting {
  effect: RuleVerdict;
  text: string;
  source: string;
}

export interface PolicySettings {
  rules: RuleSetting[];
  /** What a person allowed for the rest of this session; the texts are allow rules. */
  grants: RuleRef[];
  tools: { defaults: ToolSettings; named: Record<string, ToolSettings> };
  trust: Sourced<Trust>;
  /** Absolute; where the agent works. */
  cwd: string;
  /** Absolute; what `~` means. */
  home: string;
  /** For every tool without its own. */
  onNoAnswer: OnNoAnswer;
  /** Words of `consult.never`: a question that speaks of one is a person's. */
  never: Sourced<string[]>;
}
