/**
 * Rules against a subject. `forbids` (deny and ask rules) errs on the side of yes, `allowing` (allow rules and grants) on
 * the side of no: every simple command, path and address must be covered, and a command that could not be read is never
 * covered.
 */
import { fitsTool } from './about.js';
import { isListed } from './arguments.js';
import { allCommands, bareWords, baseName, type Unfolded } from './commands.js';
import { all, type ListedRule } from './listed.js';
import { allowingCommand } from './match-allow.js';
import { type Fit, forbidsWords, mentions, mentionsAll, surest } from './match-command.js';
import { under } from './moves.js';
import { forbidsNamed } from './named-files.js';
import { onceFor } from './once-for.js';
import { isPatch, readPatch } from './patch.js';
import { fitsPath, mayFitPath, mayReach, type PathBase, seePath } from './paths.js';
import { hostOf, type Rule, type RuleSpec } from './rules.js';
import { HOLE, type Word } from './shell-words.js';
import type { Subject } from './subject.js';
import type { Call } from './tools.js';
import { opensOnly } from './touched-files.js';
import { wrapperOf } from './wrappers.js';
import { coversWrite, goesThroughNewLinks, isDeciding, mentionsCovered, patchCovered, shellCovered } from './writes.js';

/** More different files than this in one command are not looked at one by one: a doubt. */
const MOST_TARGETS = 500;

export function forbids(rule: Rule, subject: Subject): Fit {
  const { call, seen, kind } = subject;
  const { spec } = rule;
  if (!fitsTool(rule, call)) {
    if (spec?.kind !== 'path' || (rule.tool !== 'Edit' && rule.tool !== 'Read')) return 'no';
    return call.tool === 'Bash' ? forbidsShell(rule, spec.pattern, subject) : forbidsMentions(spec.pattern, subject);
  }
  if (!spec) return 'yes';
  const fit = forbidsSpec(spec, subject);
  return fit === 'maybe' && kind === 'deliver' && !seen ? 'no' : fit;
}

function forbidsSpec(spec: RuleSpec, { call, place, commands, problem, hidden }: Subject): Fit {
  switch (spec.kind) {
    case 'path': {
      const { paths = [], searches = [] } = call;
      if (paths.length === 0) return 'maybe';
      const reached = searches.map((search) =>
        mayReach(spec.pattern, { ...search, folder: seePath(search.folder, place) }, place),
      );
      return surest([...paths.map((path) => mayFitPath(spec.pattern, seePath(path, place), place)), ...reached]);
    }
    case 'domain': {
      const urls = call.urls ?? [];
      if (urls.length === 0) return 'maybe';
      return surest(urls.map((url) => forbidsHost(spec.host, hostOf(url))));
    }
    case 'command': {
      const fits = allCommands(commands).map((one) => forbidsCommand(spec, one));
      return surest(problem === undefined && !hidden ? fits : [...fits, 'maybe']);
    }
  }
}

function forbidsHost(forbidden: string, host: string | undefined): Fit {
  if (host === undefined) return 'maybe';
  return host === forbidden || host.endsWith(`.${forbidden}`) ? 'yes' : 'no';
}

function forbidsCommand(spec: Extract<RuleSpec, { kind: 'command' }>, unfolded: Unfolded): Fit {
  const { command, unclear, unjudged } = unfolded;
  const fit = surest([forbidsWords(spec, bareWords(command)), forbidsWords(spec, command.words)]);
  if (fit !== 'no') return fit;
  // Code for another program (`awk 'BEGIN{system("rm x")}'`) that names what is forbidden.
  const inCode = unjudged.length > 0 && command.words.slice(1).some((word) => mentions(spec, word.text));
  return unclear !== undefined || inCode || mayStart(spec, unfolded) ? 'maybe' : 'no';
}

/** A program nobody knows may run what its words name, and one that takes more than data what comes in. */
function mayStart(spec: Extract<RuleSpec, { kind: 'command' }>, { command, data }: Unfolded): boolean {
  const [name, ...args] = bareWords(command);
  if (!name) return false;
  const known = isListed(baseName(name)) || wrapperOf(baseName(name)) !== undefined || opensOnly(baseName(name));
  const texts = [...(known ? [] : args), ...(data ? [] : (command.inputs ?? []))].map(({ text }) => text);
  return texts.length > 0 && mentionsAll(spec, texts.join(' '));
}

/** `> secrets/x` and `cp a secrets/x` write like Edit, `< secrets/x` and `cat secrets/x` read like Read: those rules count. */
function forbidsShell(rule: Rule, pattern: string, subject: Subject): Fit {
  const { place, moves, call } = subject;
  const writes = rule.tool === 'Edit';
  const targets = targetsIn(subject).filter((target) => target.writes === writes);
  if (targets.length > MOST_TARGETS) return 'maybe';
  const fits = targets.map(({ target }): Fit => {
    const { text, exact } = target;
    const paths = [text, ...under(target, moves.folders, place)];
    const fit = surest(paths.map((path) => mayFitPath(pattern, seePath(path, place), place)));
    const known = exact && !text.includes(HOLE) && (!moves.unknown || text.startsWith('/'));
    return fit === 'no' && !known ? 'maybe' : fit;
  });
  const does = writes ? 'write' : 'read';
  // Codex takes a patch from the shell too. The text may be something else, so it is a doubt and no more.
  const named = (writes ? patchedBy(call) : []).some(
    (path) => mayFitPath(pattern, seePath(path, place), place) !== 'no',
  );
  return surest([...fits, forbidsNamed({ does, pattern }, subject), named ? 'maybe' : 'no']);
}

/** What is redirected to or from, each file once. */
const targetsIn = onceFor(({ commands }: Subject) => {
  const found = new Map<string, { target: Word; writes: boolean }>();
  for (const { command, writes: written } of allCommands(commands)) {
    for (const { target, writes } of [...command.redirects, ...written]) {
      if (target) found.set(JSON.stringify([target, writes]), { target, writes });
    }
  }
  return [...found.values()];
});

const patchedBy = onceFor(({ command, more = [] }: Call) =>
  [command, ...more].flat().flatMap((text) => (text !== undefined && isPatch(text) ? readPatch(text).paths : [])),
);

/** A tool nobody knows may do with a path what the rule forbids: a doubt. */
function forbidsMentions(pattern: string, { call, place }: Subject): Fit {
  const named = (call.mentions ?? []).some((path) => mayFitPath(pattern, seePath(path, place), place) === 'yes');
  return named ? 'maybe' : 'no';
}

/** The rules that together allow all of it, or undefined. */
export function allowing(rules: ListedRule[], subject: Subject): ListedRule[] | undefined {
  const { call, place, problem } = subject;
  const fitting = rules.filter(({ rule }) => fitsTool(rule, call));
  if (fitting.length === 0 || (problem !== undefined && subject.seen)) return undefined;
  const whole = fitting.find(({ rule }) => !rule.spec);
  if (call.tool === 'Bash') {
    if (!patchCovered(patchedBy(call), rules, place)) return undefined;
    if (whole && shellCovered(rules, subject)) return [whole];
    if (subject.commands.length === 0 || subject.away || goesThroughNewLinks(subject) || subject.unclear !== undefined)
      return undefined;
    return all(subject.commands, (one) => allowingCommand(fitting, one, { subject, rules }));
  }
  if (whole && !subject.seen) return [whole];
  if (call.tool === 'Edit') return all(call.paths ?? [], (path) => allowingWrite(rules, path, { whole, place }));
  if (whole) return call.paths || mentionsCovered(call.mentions ?? [], rules, place) ? [whole] : undefined;
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

function allowingWrite(
  rules: ListedRule[],
  path: string,
  { whole, place }: { whole: ListedRule | undefined; place: PathBase },
): ListedRule[] | undefined {
  const write = { path: seePath(path, place), place, how: 'edit' } as const;
  if (whole && !isDeciding(write.path, 'edit', write.place)) return [whole];
  const found = rules.find((rule) => coversWrite(rule, write));
  return found && [found];
}

function allowsHost(spec: Extract<RuleSpec, { kind: 'domain' }>, host: string): boolean {
  return spec.subdomains ? host.endsWith(`.${spec.host}`) : host === spec.host;
}

function one(rules: ListedRule[], test: (rule: Rule) => boolean): ListedRule[] | undefined {
  const found = rules.find(({ rule }) => test(rule));
  return found && [found];
}
