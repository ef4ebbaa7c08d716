/**
 * Rules against a subject. `forbids` (deny and ask rules) errs on the side of yes, `allowing` (allow rules and grants) on
 * the side of no: every simple command, path and address must be covered, and a command that could not be read is never
 * covered.
 */
import type { RuleRef } from '../contract/index.js';
import { fitsTool } from './about.js';
import { bareWords, everyCommand, type Unfolded } from './commands.js';
import { allowsWords, type Fit, forbidsWords, surest } from './match-command.js';
import { fitsPath, isInCwd, mayFitPath, seePath } from './paths.js';
import { hostOf, type Rule, type RuleSpec } from './rules.js';
import { HOLE, type Redirect } from './shell-words.js';
import type { Subject } from './subject.js';

export interface ListedRule {
  rule: Rule;
  ref: RuleRef;
}

export function forbids(rule: Rule, subject: Subject): Fit {
  const { call, seen, kind } = subject;
  const { spec } = rule;
  if (!fitsTool(rule, call))
    return call.tool === 'Bash' && spec?.kind === 'path' ? forbidsRedirects(rule, subject) : 'no';
  if (!spec) return 'yes';
  const fit = forbidsSpec(spec, subject);
  return fit === 'maybe' && kind === 'deliver' && !seen ? 'no' : fit;
}

function forbidsSpec(spec: RuleSpec, { call, place, commands, problem }: Subject): Fit {
  switch (spec.kind) {
    case 'path': {
      const paths = call.paths ?? [];
      if (paths.length === 0) return 'maybe';
      return paths.some((path) => mayFitPath(spec.pattern, seePath(path, place), place)) ? 'yes' : 'no';
    }
    case 'domain': {
      const urls = call.urls ?? [];
      if (urls.length === 0) return 'maybe';
      return surest(urls.map((url) => forbidsHost(spec.host, hostOf(url))));
    }
    case 'command': {
      const fits = commands.flatMap(everyCommand).map((one) => forbidsCommand(spec, one));
      return surest(problem === undefined ? fits : [...fits, 'maybe']);
    }
  }
}

function forbidsHost(forbidden: string, host: string | undefined): Fit {
  if (host === undefined) return 'maybe';
  return host === forbidden || host.endsWith(`.${forbidden}`) ? 'yes' : 'no';
}

function forbidsCommand(spec: Extract<RuleSpec, { kind: 'command' }>, { command, unclear }: Unfolded): Fit {
  const fit = surest([forbidsWords(spec, bareWords(command)), forbidsWords(spec, command.words)]);
  return fit === 'no' && unclear !== undefined ? 'maybe' : fit;
}

/** `> secrets/x` writes like Edit and `< secrets/x` reads like Read, so rules that forbid those paths count. */
function forbidsRedirects(rule: Rule, { commands, place }: Subject): Fit {
  const { spec, tool } = rule;
  if (spec?.kind !== 'path' || (tool !== 'Edit' && tool !== 'Read')) return 'no';
  const redirects = commands.flatMap(everyCommand).flatMap(({ command }) => command.redirects);
  const targets = redirects.flatMap(({ target, writes }) => (target && writes === (tool === 'Edit') ? [target] : []));
  return surest(
    targets.map(({ text, exact }) => {
      if (mayFitPath(spec.pattern, seePath(text, place), place)) return 'yes';
      return exact && !text.includes(HOLE) ? 'no' : 'maybe';
    }),
  );
}

/** The rules that together allow all of it, or undefined. */
export function allowing(rules: ListedRule[], subject: Subject): ListedRule[] | undefined {
  const { call, place, problem } = subject;
  const fitting = rules.filter(({ rule }) => fitsTool(rule, call));
  if (fitting.length === 0 || (problem !== undefined && subject.seen)) return undefined;
  const whole = fitting.find(({ rule }) => !rule.spec);
  if (whole) return [whole];
  if (call.tool === 'Bash') {
    if (subject.commands.length === 0) return undefined;
    return all(subject.commands, (one) => allowingCommand(fitting, one, subject));
  }
  if (call.paths) {
    return all(call.paths, (path) => {
      const seen = seePath(path, place);
      return one(fitting, ({ spec }) => spec?.kind === 'path' && fitsPath(spec.pattern, seen, place));
    });
  }
  return all(call.urls ?? [], (url) => {
    const host = hostOf(url);
    return one(fitting, ({ spec }) => spec?.kind === 'domain' && host !== undefined && allowsHost(spec, host));
  });
}

function allowsHost(spec: Extract<RuleSpec, { kind: 'domain' }>, host: string): boolean {
  return spec.subdomains ? host.endsWith(`.${spec.host}`) : host === spec.host;
}

function one(rules: ListedRule[], test: (rule: Rule) => boolean): ListedRule[] | undefined {
  const found = rules.find(({ rule }) => test(rule));
  return found && [found];
}

/** Nothing to cover is not covered. */
function all<T>(items: T[], cover: (item: T) => ListedRule[] | undefined): ListedRule[] | undefined {
  const found: ListedRule[] = [];
  for (const item of items) {
    const rules = cover(item);
    if (!rules) return undefined;
    found.push(...rules);
  }
  return items.length > 0 ? [...new Set(found)] : undefined;
}

function allowingCommand(rules: ListedRule[], unfolded: Unfolded, subject: Subject): ListedRule[] | undefined {
  const { command, inner, unclear, opaqueAt } = unfolded;
  if (!command.redirects.every((redirect) => staysInside(redirect, subject))) return undefined;
  if (command.block) return command.words.length === 0 ? [] : undefined;
  for (const listed of rules) {
    const { spec } = listed.rule;
    const allowance = spec?.kind === 'command' ? allowsWords(spec, command.words) : undefined;
    if (!allowance) continue;
    if (allowance.whole) return [listed];
    if (unclear !== undefined || (opaqueAt !== undefined && opaqueAt >= allowance.literal)) continue;
    if (inner.length === 0) return [listed];
    const within = all(inner, (each) => allowingCommand(rules, each, subject));
    if (within) return [listed, ...within];
  }
  return undefined;
}

const HARMLESS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin']);

function staysInside({ target }: Redirect, { place, moves }: Subject): boolean {
  if (!target) return true;
  if (!target.exact || target.text === '' || target.text.startsWith('!')) return false;
  if (HARMLESS.has(target.text)) return true;
  if (moves && !target.text.startsWith('/')) return false;
  // A quoted `~` is a folder of that name; an unquoted one is the home of someone.
  const path = target.tilde || target.text.startsWith('/') ? target.text : `./${target.text}`;
  return isInCwd(path, place);
}
