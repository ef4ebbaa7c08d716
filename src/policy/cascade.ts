/**
 * Which mode applies to a tool and a kind of inquiry, and where it was written. First match wins: the tool's own kind,
 * the tool, the defaults' kind, the defaults, and then what is built in.
 */
import type { Inquiry, InquiryKind, Question, RuleRef } from '../contract/index.js';
import type {
  AnswerMode,
  KindMode,
  LadderRung,
  ModeValue,
  OnNoAnswer,
  PolicySettings,
  QuestionSettings,
  ToolSettings,
} from './settings.js';
import { canonicalTool } from './tool-names.js';

/** `reachable`: nobody is there, but somebody can be fetched. */
export type Side = 'attached' | 'reachable' | 'detached';

/** How long somebody who can be fetched is waited for, if nothing else is written. */
const FETCHED_WITHIN_MS = 15 * 60 * 1000;

export interface ChosenMode {
  mode: ModeValue;
  rule: RuleRef;
}

/** The settings of a tool: by the agent's own name for it first, then by any name for the same tool. */
export function toolSettings(settings: PolicySettings, tool: string): { name: string; of: ToolSettings } | undefined {
  const { named } = settings.tools;
  if (Object.hasOwn(named, tool)) return { name: tool, of: named[tool]! };
  const canonical = canonicalTool(tool);
  const name = Object.keys(named).find((key) => canonicalTool(key) === canonical);
  return name === undefined ? undefined : { name, of: named[name]! };
}

function builtIn(side: Side, kind: InquiryKind): AnswerMode {
  if (side === 'detached') return 'deny';
  return kind === 'deliver' ? 'auto' : 'ask';
}

interface ModeAsk {
  side: Side;
  kind: InquiryKind;
  tool: string | undefined;
}

/** The first level that was written; `own`: for exactly this kind of inquiry. */
function writtenLevel(settings: PolicySettings, { side, kind, tool }: ModeAsk) {
  const own = tool === undefined ? undefined : toolSettings(settings, tool);
  const { defaults } = settings.tools;
  const levels = [
    { key: `tools.${own?.name}.${side}.${kind}`, set: own?.of[side]?.[kind], own: true },
    { key: `tools.${own?.name}.${side}`, set: own?.of[side]?.all, own: false },
    { key: `tools.defaults.${side}.${kind}`, set: defaults[side]?.[kind], own: true },
    { key: `tools.defaults.${side}`, set: defaults[side]?.all, own: false },
  ];
  return levels.find(({ set }) => set !== undefined);
}

export function chooseMode(settings: PolicySettings, ask: ModeAsk): ChosenMode {
  const { side, kind } = ask;
  const level = writtenLevel(settings, ask);
  if (level) return { mode: level.set!.value, rule: { text: level.key, source: level.set!.source } };
  if (side === 'reachable') {
    // Somebody is fetched, and if nobody comes it is as if nobody could be.
    const { mode, rule } = chooseMode(settings, { ...ask, side: 'detached' });
    const after: LadderRung[] = Array.isArray(mode) ? mode : [{ mode }];
    return { mode: [{ mode: 'ask', forMs: FETCHED_WITHIN_MS }, ...after], rule };
  }
  return { mode: builtIn(side, kind), rule: { text: `tools.defaults.${side}`, source: 'default' } };
}

/** A policy was written for exactly this kind of inquiry, not one mode for all of them. */
export function isWrittenFor(settings: PolicySettings, ask: ModeAsk): boolean {
  const level = writtenLevel(settings, ask);
  if (!level) return ask.side === 'reachable' && isWrittenFor(settings, { ...ask, side: 'detached' });
  const set: KindMode | undefined = level.set;
  return level.own && set?.spread !== true;
}

/** The tool's own word first, then the one for all. */
export function chooseNoAnswer(settings: PolicySettings, tool: string | undefined): OnNoAnswer {
  const own = tool === undefined ? undefined : toolSettings(settings, tool);
  return own?.of.onNoAnswer ?? settings.onNoAnswer;
}

/** What the user says about one question of a tool; the tool's own words win over those in the defaults. */
export function questionSettings(settings: PolicySettings, tool: string | undefined, id: string): QuestionSettings {
  const own = tool === undefined ? undefined : toolSettings(settings, tool)?.of.questions;
  const common = settings.tools.defaults.questions;
  const at = (all: Record<string, QuestionSettings> | undefined) => (all && Object.hasOwn(all, id) ? all[id]! : {});
  return { ...at(common), ...at(own) };
}

/** Agents' data may be anything. */
export const isReadable = (question: Question): boolean =>
  typeof question?.id === 'string' && Array.isArray(question.options);

/**
 * Only a person may answer: the user's word for each question, else the asker's flag. A secret is always exclusive, and
 * one exclusive question makes the whole inquiry so, because it is answered as one. So does one that cannot be read: it
 * could be anything, also a secret.
 */
export function isExclusive(
  settings: PolicySettings,
  inquiry: Pick<Inquiry, 'tool' | 'questions' | 'exclusive'>,
): boolean {
  const questions = Array.isArray(inquiry.questions) ? inquiry.questions : [];
  if (questions.length === 0) return inquiry.exclusive === true;
  if (!questions.every(isReadable)) return true;
  return questions.some((question) => {
    const set = questionSettings(settings, inquiry.tool, question.id).exclusive;
    return question.secret === true || (set?.value ?? inquiry.exclusive === true);
  });
}
