/**
 * The effective config in words: as a reins.yml that would load to the same values, as one line per value with its
 * place, and as the policies of one tool. Pure; the commands print.
 */
import {
  type EffectiveTool,
  effectiveTool,
  explain,
  getIn,
  type LoadedConfig,
  parsePath,
  type RuleLine,
  yamlText,
} from '../config/index.js';
import { canonicalTool, isRuleError, parseRule } from '../policy/index.js';
import { duration, harmless, table } from './table.js';

interface ShownRung {
  mode: string;
  secs?: number;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRung = (value: unknown): value is ShownRung => isMap(value) && typeof value.mode === 'string';
const isLadder = (value: unknown): value is ShownRung[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRung);

/** Ladders as a person writes them: `deny`, `[{ask: 300}, auto]`, and one word where all kinds have the same. */
function asWritten(value: unknown): unknown {
  if (isLadder(value)) {
    const rungs = value.map(({ mode, secs }) => (secs === undefined ? mode : { [mode]: secs }));
    return rungs.length === 1 && typeof rungs[0] === 'string' ? rungs[0] : rungs;
  }
  if (Array.isArray(value)) return value.map(asWritten);
  if (!isMap(value)) return value;
  const { run, deliver, question } = value;
  if (Object.keys(value).length === 3 && isLadder(run) && [deliver, question].every((other) => same(run, other))) {
    return asWritten(run);
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asWritten(inner)]));
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const HIDDEN = '(hidden)';

/** What signs a webhook's messages is nobody's to read, whichever way it is asked for. */
function concealed(key: string | undefined, value: unknown): unknown {
  const path = (key === undefined ? [] : parsePath(key)) ?? [];
  const named = path[0] === 'notify' && path.at(-1) === 'secret';
  if (typeof value === 'string') return named ? HIDDEN : value;
  const hide = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(hide);
    if (!isMap(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([name, one]) => [name, name === 'secret' && 'url' in inner ? HIDDEN : hide(one)]),
    );
  };
  return hide(value);
}

/** The value in force at a key, undefined where none is set. Throws CONFIG_INVALID for a key the schema does not know. */
export function valueAt(loaded: LoadedConfig, key?: string): unknown {
  explain(loaded, key);
  return asWritten(concealed(key, key === undefined ? loaded.config : getIn(loaded.config, parsePath(key) ?? [])));
}

/** A whole part as YAML, a single text as it is: what a script wants from `config show cli.backend`. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? `${value}\n` : yamlText(value, { lineWidth: 0 });
}

/** As `explain` has it, fit to be shown. */
export function explained(loaded: LoadedConfig, key?: string): ReturnType<typeof explain> {
  return explain(loaded, key).map((one) => ({
    ...one,
    value: concealed(one.key, one.value),
    overrode: one.overrode.map(({ value, source }) => ({ value: concealed(one.key, value), source })),
  }));
}

/** `cli.backend: kiro  # flag --set cli.backend, over amp (reins.yml:2:12)`; the rules of all files one by one. */
export function explainLines(loaded: LoadedConfig, key?: string): string[] {
  return explained(loaded, key).flatMap((one) => {
    const effect = /^rules\.(\w+)$/.exec(one.key)?.[1];
    const rules = loaded.rules.filter((rule) => rule.effect === effect);
    if (rules.length > 0) return rules.map((rule) => line({ key: one.key, value: rule.text, source: rule.source }));
    const over = one.overrode.map(({ value, source }) => `${inline(asWritten(value))} (${source})`);
    const source = over.length === 0 ? one.source : `${one.source}, over ${over.join(', over ')}`;
    return [line({ key: one.key, value: asWritten(one.value), source })];
  });
}

function line(part: { key: string; value: unknown; source: string }): string {
  return harmless(`${part.key}: ${part.value === undefined ? '–' : inline(part.value)}  # ${part.source}`);
}

function inline(value: unknown): string {
  return typeof value === 'string' && /^[\w./@:()*-][\w ./@:()*-]*$/.test(value) ? value : JSON.stringify(value);
}

export interface Effective extends EffectiveTool {
  trust: { value: string; source: string };
  /** The rules that speak about this tool; they decide before the policies. */
  rules: RuleLine[];
}

/** Named as any agent names it: `shell` finds what is written for `Bash`. */
export function effectiveFor(loaded: LoadedConfig, tool: string): Effective {
  const canonical = canonicalTool(tool);
  const keys = Object.keys(loaded.config.tools);
  const key = keys.includes(tool) ? tool : (keys.find((name) => canonicalTool(name) === canonical) ?? tool);
  const rules = loaded.rules.filter(({ text }) => {
    const rule = parseRule(text);
    if (isRuleError(rule)) return false;
    const pattern = rule.tool.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
    return new RegExp(`^${pattern.join('.*')}$`).test(canonical);
  });
  const source = loaded.origins.get('trust')?.origin.source ?? 'default';
  return { ...effectiveTool(loaded, key), tool, rules, trust: { value: loaded.config.trust, source } };
}

export function effectiveText(effective: Effective): string {
  const rows = (['attached', 'reachable', 'detached'] as const).flatMap((side) =>
    Object.entries(effective[side]).map(([kind, { ladder, via, source }]) => [
      side,
      kind,
      ladderText(ladder),
      via,
      source,
    ]),
  );
  const { value, via, source } = effective.on_no_answer;
  rows.push(['no answer', 'question', value, via, source]);
  const lines = [
    ...effective.rules.map((rule) => `${rule.effect} ${rule.text} (${rule.source})`),
    ...(effective.trust.value === 'full'
      ? [`trust: full (${effective.trust.source}): run and deliver are allowed`]
      : []),
  ];
  const before =
    lines.length === 0 ? '' : `Decides before these policies:\n${lines.map((one) => `  ${harmless(one)}\n`).join('')}`;
  return `${table(['WHEN', 'KIND', 'ANSWER', 'KEY', 'FROM'], rows)}\n${before}`;
}

function ladderText(ladder: readonly ShownRung[]): string {
  return ladder.map(({ mode, secs }) => (secs === undefined ? mode : `${mode} for ${duration(secs)}`)).join(', then ');
}
