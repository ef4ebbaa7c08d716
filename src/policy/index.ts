/**
 * Who answers an inquiry: rules, cascade, ladders. Pure, but for the grammar that `loadShell` reads once.
 * @module
 */
export type { Decision, DecisionStep, Rung, Settle } from './decision.js';
export { type ExplainAsk, type Explained, explainPolicy, type PolicyExplanation, type VerdictWord } from './explain.js';
export { type GrantOffer, grantFor } from './grant.js';
export { type InquiryFacts, type Judged, judge, type PolicyTools } from './judge.js';
export { neverConsulted } from './never.js';
export { makeResolver, type ResolvePath } from './paths.js';
export { route } from './route.js';
export { isRuleError, parseRule, type Rule, type RuleError } from './rules.js';
export type {
  AnswerMode,
  KindMode,
  KindModes,
  LadderRung,
  ModeValue,
  OnNoAnswer,
  PolicySettings,
  QuestionSettings,
  RuleSetting,
  RuleVerdict,
  Sourced,
  ToolSettings,
} from './settings.js';
export { holdShell, loadShell, type ShownShell } from './shell.js';
export type { ParsedShell, Shell } from './shell-words.js';
export { canonicalTool } from './tool-names.js';
export { type Unreachable, unreachable } from './unreachable.js';
