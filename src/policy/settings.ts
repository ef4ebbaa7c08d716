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

/** `all` is the scalar (`detached: auto`), the kinds are the struct (`detached: {run: auto}`); both may be set by two files. */
export type KindModes = { all?: Sourced<ModeValue> } & { [K in InquiryKind]?: Sourced<ModeValue> };

export interface QuestionSettings {
  exclusive?: Sourced<boolean>;
  /** The user's answer in advance: option ids or labels, or one free text. */
  answer?: Sourced<string[]>;
}

export interface ToolSettings {
  attached?: KindModes;
  detached?: KindModes;
  questions?: Record<string, QuestionSettings>;
}

export type Effect = 'allow' | 'ask' | 'deny';

export interface RuleSetting {
  effect: Effect;
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
  /** What a consultation without a usable answer comes to. */
  onNoAnswer: Sourced<'deny' | 'defaults' | 'defer'>;
}

/** What applies when no file says anything: ask the person, refuse when there is none. */
export function defaultSettings(place: { cwd: string; home: string }): PolicySettings {
  return {
    rules: [],
    grants: [],
    tools: { defaults: {}, named: {} },
    trust: { value: 'guarded', source: 'default' },
    onNoAnswer: { value: 'deny', source: 'default' },
    ...place,
  };
}

const UNITS_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `5m`, `90s`, `1h`, `500ms`, or a number of seconds. */
export function readDuration(text: unknown): number | undefined {
  if (typeof text === 'number') return Number.isFinite(text) && text >= 0 ? Math.round(text * 1000) : undefined;
  const match = typeof text === 'string' ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim()) : null;
  return match ? Math.round(Number(match[1]) * UNITS_MS[match[2] ?? 's']!) : undefined;
}

const isMode = (value: unknown): value is AnswerMode => MODES.some((mode) => mode === value);

function readRung(raw: unknown): LadderRung | undefined {
  if (isMode(raw)) return { mode: raw };
  if (typeof raw !== 'object' || raw === null) return undefined;
  const pairs = Object.entries(raw);
  const [mode, time] = pairs[0] ?? [];
  const forMs = readDuration(time);
  return pairs.length === 1 && isMode(mode) && forMs !== undefined ? { mode, forMs } : undefined;
}

/** A mode, or a list of them with times (`[{ask: 5m}, auto, defer]`); undefined when it is neither. */
export function readMode(raw: unknown): ModeValue | undefined {
  if (!Array.isArray(raw)) return isMode(raw) ? raw : undefined;
  const rungs = raw.map(readRung);
  return rungs.length > 0 && rungs.every((rung) => rung !== undefined) ? rungs : undefined;
}

/** The seed's word for a question was `tool`. */
const KIND_KEYS: Record<string, InquiryKind> = {
  run: 'run',
  deliver: 'deliver',
  question: 'question',
  tool: 'question',
};

/**
 * The scalar-or-struct value of an `attached` or `detached` key. `sourceOf` is asked for the whole value (no key) or for
 * one kind's. Problems name the key at fault, and that part is left out.
 */
export function readModes(raw: unknown, sourceOf: (key?: string) => string): { modes: KindModes; problems: string[] } {
  const modes: KindModes = {};
  const problems: string[] = [];
  const scalar = readMode(raw);
  if (scalar !== undefined) return { modes: { all: { value: scalar, source: sourceOf() } }, problems };
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { modes, problems: [`expected one of ${MODES.join(', ')}, a list of them, or run/deliver/question`] };
  }
  for (const [key, value] of Object.entries(raw)) {
    const kind = Object.hasOwn(KIND_KEYS, key) ? KIND_KEYS[key] : undefined;
    const mode = readMode(value);
    if (!kind) problems.push(`${key}: not a kind of inquiry (run, deliver, question)`);
    else if (mode === undefined) problems.push(`${key}: expected one of ${MODES.join(', ')}, or a list of them`);
    else modes[kind] = { value: mode, source: sourceOf(key) };
  }
  return { modes, problems };
}
