/**
 * Rules that can never decide anything, for `config check`: said twice, or behind a rule that decides first for all they
 * cover. Deny decides before ask, ask before allow; among equals the broader rule makes the narrower one idle.
 */
import { fitsParts } from './about.js';
import type { CommandSpec } from './match-command.js';
import { isRuleError, parseRule, type Rule, type RuleSpec, type RuleWord } from './rules.js';
import type { RuleSetting, RuleVerdict } from './settings.js';

export interface Unreachable {
  rule: RuleSetting;
  by: RuleSetting;
  why: string;
}

const RANK: Record<RuleVerdict, number> = { deny: 0, ask: 1, allow: 2 };
const READERS = new Set(['Read', 'Glob', 'Grep', 'LS']);

export function unreachable(rules: RuleSetting[]): Unreachable[] {
  const read = rules.flatMap((setting, index) => {
    const rule = parseRule(setting.text);
    return isRuleError(rule) ? [] : [{ setting, rule, index }];
  });
  return read.flatMap((one) => {
    const over = read.find((other) => {
      if (other === one || RANK[other.setting.effect] > RANK[one.setting.effect]) return false;
      if (!covers(other.rule, one.rule)) return false;
      // Two that cover each other are the same: the later one is idle.
      return other.setting.effect !== one.setting.effect || !covers(one.rule, other.rule) || other.index < one.index;
    });
    return over ? [{ rule: one.setting, by: over.setting, why: whyText(one.setting, over.setting) }] : [];
  });
}

function whyText(rule: RuleSetting, by: RuleSetting): string {
  if (rule.effect === by.effect && rule.text === by.text) return `the same rule is already at ${by.source}`;
  const verb = rule.effect === by.effect ? 'already covers it' : 'decides first';
  return `${by.effect} ${by.text} (${by.source}) ${verb}`;
}

/** Whether every call that `narrow` fits is certainly one that `wide` fits; false when that is not plain. */
function covers(wide: Rule, narrow: Rule): boolean {
  if (!coversTool(wide.tool, narrow.tool)) return false;
  if (!wide.spec) return true;
  if (!narrow.spec || wide.tool.includes('*') || narrow.tool.includes('*')) return false;
  return coversSpec(wide.spec, narrow.spec);
}

function coversTool(wide: string, narrow: string): boolean {
  if (wide === narrow || (wide === 'Read' && READERS.has(narrow))) return true;
  if (wide.includes('*')) return fitsParts(wide.split('*'), narrow);
  return /^mcp__[^_]/.test(wide) && !wide.slice(5).includes('__') && narrow.startsWith(`${wide}__`);
}

function coversSpec(wide: RuleSpec, narrow: RuleSpec): boolean {
  if (wide.kind === 'command' && narrow.kind === 'command') return coversCommand(wide, narrow);
  if (wide.kind === 'domain' && narrow.kind === 'domain') {
    if (wide.subdomains)
      return narrow.host.endsWith(`.${wide.host}`) || (narrow.subdomains && narrow.host === wide.host);
    return !narrow.subdomains && wide.host === narrow.host;
  }
  if (wide.kind === 'path' && narrow.kind === 'path') return coversPath(wide.pattern, narrow.pattern);
  return false;
}

const sameWord = (a: RuleWord, b: RuleWord | undefined) => JSON.stringify(a) === JSON.stringify(b);

function coversCommand(wide: CommandSpec, narrow: CommandSpec): boolean {
  const named = ({ input, redirects }: CommandSpec) => JSON.stringify([input, redirects]);
  if (named(wide) !== named(narrow)) return false;
  if (!wide.words.every((word, index) => sameWord(word, narrow.words[index]))) return false;
  if (wide.rest) return !narrow.glued || narrow.words.length > wide.words.length;
  return wide.words.length === narrow.words.length && wide.rest === narrow.rest && wide.glued === narrow.glued;
}

function coversPath(wide: string, narrow: string): boolean {
  const plain = (pattern: string) => pattern.replace(/^\.\//, '').replace(/\/(\*\*)?$/, '');
  const isRelative = !/^(\/|~)/.test(narrow);
  if (wide === narrow) return true;
  if (wide === '**' || wide === './**') return isRelative;
  const folder = plain(wide);
  if (/[*?[{\\]/.test(folder) || !wide.includes('/')) return false;
  return plain(narrow) === folder ? narrow.includes('/') : plain(narrow).startsWith(`${folder}/`);
}
