/**
 * What "allow for this session" would mean, said before it is chosen. A grant is as narrow as the call: a prefix only
 * where the first words name what is done (`npm test`, `git diff`), the exact command or file otherwise. A grant that
 * would not really allow the call is not offered.
 */
import { judgeArguments } from './arguments.js';
import { bareWords, baseName, type Unfolded } from './commands.js';
import { inputName } from './inputs.js';
import { type InquiryFacts, type PolicyTools, subjectFor } from './judge.js';
import { allowing } from './match.js';
import { needsNoRule } from './match-allow.js';
import { hostOf, isRuleError, LONGEST_RULE, parseRule } from './rules.js';
import type { PolicySettings } from './settings.js';
import type { SimpleCommand, Word } from './shell-words.js';
import type { Subject } from './subject.js';
import { HARMLESS } from './writes.js';

export interface GrantOffer {
  /** One rule for each part of the call; usually one. */
  rules: string[];
  /** What the rules cover, for the person who is about to allow it. */
  explain: string;
}

/** More rules than this for one command are no longer something a person agrees to with one key. */
const MOST_RULES = 5;

/** Programs whose first word says what they do, with the first words that do not: those run or destroy anything. */
const SUBCOMMANDS: Record<string, RegExp> = {
  npm: /^(audit|exec|x|publish|unpublish|config|set|install|i|ci|add|link|uninstall|init|create)$/,
  pnpm: /^(exec|dlx|publish|config|install|i|add|link|create)$/,
  yarn: /^(exec|dlx|publish|config|install|add|link|create|node)$/,
  bun: /^(x|publish|install|add|link|create)$/,
  git: /^(push|reset|clean|config|checkout|restore|rebase|filter-branch|update-ref|gc|rm|submodule|worktree|remote|bisect|stash|branch|tag|pull|merge|clone|fetch|cherry-pick|revert|mv|init|switch)$/,
  cargo: /^(install|publish|run|login|yank)$/,
  go: /^(run|install|generate|env|get|tool)$/,
  gh: /^(api|auth|secret|repo|release|workflow|extension|alias|ssh-key|gpg-key)$/,
  dotnet: /^(run|tool|nuget|publish)$/,
  mvn: /^(exec.*|deploy.*|release.*)$/,
  gradle: /^(publish.*)$/,
  poetry: /^(run|publish|config|add|install)$/,
  uv: /^(run|publish|tool|pip|add)$/,
  mix: /^(run|hex.*|eval)$/,
  bundle: /^(exec|config|install)$/,
};
/** The third word says what is done; these of them may go on. Others of the same kind change or delete something. */
const THIRD: Record<string, Record<string, RegExp>> = {
  gh: { pr: /^(view|list|status|diff|checks)$/, issue: /^(view|list|status)$/ },
  git: { stash: /^(list|show)$/ },
  go: { mod: /^(tidy|download|verify|graph|why)$/ },
};
/** `npm run lint`: here the third word names what is done. */
const SCRIPT_RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const RUNS_SCRIPT = /^(run|run-script)$/;

const isName = (word: Word | undefined) => word?.exact === true && /^[a-z][a-z0-9:._-]*$/i.test(word.text);

function ruleWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) && !text.endsWith(':') ? text : `'${text}'`;
}

function commandRule({ command, inner, unclear, unjudged }: Unfolded): string | undefined {
  const words = command.words;
  const behind = inputAndRedirects(command);
  if (behind === undefined) return undefined;
  if (behind !== '') return exactRule(words, behind);
  const [name, second, third] = bareWords(command);
  // A variable set on its own changes what later commands do: nothing to agree to in advance.
  if (!name) return undefined;
  if (command.assignments > 0) return exactRule(words);
  const risky = Object.hasOwn(SUBCOMMANDS, name.text) ? SUBCOMMANDS[name.text]! : undefined;
  const simple = inner.length === 0 && unclear === undefined && unjudged.length === 0 && risky !== undefined;
  if (!simple || baseName(name) !== name.text || !isName(second)) return exactRule(words);
  if (RUNS_SCRIPT.test(second!.text) && SCRIPT_RUNNERS.has(name.text) && isName(third)) {
    return `Bash(${name.text} ${second!.text} ${third!.text}:*)`;
  }
  const nested = THIRD[name.text]?.[second!.text];
  if (nested)
    return isName(third) && nested.test(third!.text)
      ? `Bash(${name.text} ${second!.text} ${third!.text}:*)`
      : exactRule(words);
  if (risky.test(second!.text) || RUNS_SCRIPT.test(second!.text)) return exactRule(words);
  return `Bash(${name.text} ${second!.text}:*)`;
}

/** Every word outright; impossible when a word is only known while it runs or cannot be written in a rule. */
function exactRule(words: Word[], behind = ''): string | undefined {
  if (words.length === 0 || !words.every((word) => word.exact && !/['\0]/.test(word.text))) return undefined;
  return `Bash(${words.map((word) => ruleWord(word.text)).join(' ')}${behind})`;
}

/** Where its output goes and which here-document comes in are part of the call; undefined when that cannot be named. */
function inputAndRedirects(command: SimpleCommand): string | undefined {
  const files = command.redirects.filter(({ target }) => target && !HARMLESS.has(target.text));
  if (!files.every(({ target }) => target!.exact && !target!.tilde && !/['\0]/.test(target!.text))) return undefined;
  const redirects = files.map(({ op, target }) => ` ${op} ${ruleWord(target!.text)}`).join('');
  const fed = command.fed === true && !files.some(({ op }) => op === '<');
  if (fed) return isDataFor(command) ? redirects : undefined;
  if (!command.inputs) return redirects;
  const name = inputName(command);
  return name === undefined ? undefined : `${redirects} <<${name}`;
}

/** A pipe into a program that only reads it (`| head`) is not seen and need not be. */
function isDataFor(command: SimpleCommand): boolean {
  const [name] = bareWords(command);
  return name !== undefined && judgeArguments(baseName(name), bareWords(command)).data;
}

function pathRule(tool: string, path: string, subject: Subject): string | undefined {
  const { place } = subject;
  // Characters that a rule reads as wildcards would grant more than this one file.
  if (/[*?[\]{}\\()!\0-\x1f]/.test(path) || /(^|\/)\.\.(\/|$)/.test(path)) return undefined;
  const absolute = path.startsWith('/') ? path : undefined;
  const inside = absolute?.startsWith(`${place.cwd}/`) ? absolute.slice(place.cwd.length + 1) : undefined;
  if (inside !== undefined) return `${tool}(./${inside})`;
  if (absolute !== undefined) return `${tool}(/${absolute})`;
  return path.startsWith('~') ? `${tool}(${path})` : `${tool}(./${path.replace(/^\.\//, '')})`;
}

/** Blocks, tests and the like need no rule. */
const isAsked = (one: Unfolded) => !one.command.block && !one.command.known && !needsNoRule(one);

function rulesFor(subject: Subject): (string | undefined)[] {
  const { call } = subject;
  if (call.tool === 'Bash') return subject.commands.filter(isAsked).map(commandRule);
  if (call.paths) return call.paths.map((path) => pathRule(call.tool, path, subject));
  if (call.urls) return call.urls.map((url) => hostOf(url)).map((host) => host && `WebFetch(domain:${host})`);
  return [/^[A-Za-z0-9_.:/-]+$/.test(call.name) ? call.name : undefined];
}

/** The rules a person would be agreeing to, or undefined when only this one call can be allowed. */
export function grantFor(asked: InquiryFacts, settings: PolicySettings, tools: PolicyTools): GrantOffer | undefined {
  if (asked.kind === 'question' || typeof asked.tool !== 'string') return undefined;
  const subject = subjectFor(asked, settings, tools);
  if (subject.problem !== undefined || subject.unclear !== undefined) return undefined;
  const found = rulesFor(subject);
  const rules = [...new Set(found.filter((rule) => rule !== undefined))];
  if (rules.length === 0 || rules.length > MOST_RULES || found.includes(undefined)) return undefined;
  const listed = rules.map((text) => ({ rule: parseRule(text), ref: { text, source: 'offer' }, grant: true }));
  const readable = listed.flatMap(({ rule, ...more }) => (isRuleError(rule) ? [] : [{ rule, ...more }]));
  if (rules.some((rule) => rule.length > LONGEST_RULE) || !allowing(readable, subject)?.length) return undefined;
  return { rules, explain: rules.map(explainRule).join('; ') };
}

function explainRule(rule: string): string {
  const inside = rule.slice(rule.indexOf('(') + 1, -1);
  if (!rule.endsWith(')')) return `every use of ${rule}`;
  if (rule.endsWith(':*)')) return `${inside.slice(0, -2)}, alone or with anything behind it`;
  if (rule.startsWith('Bash(')) return `exactly ${inside}`;
  if (rule.startsWith('WebFetch(')) return `every page of ${inside.slice('domain:'.length)}`;
  return `${rule.startsWith('Edit') ? 'changes to' : 'reading'} ${inside}`;
}
