/**
 * The rules' part of a decision: deny rules first, then what a person granted, ask rules, allow rules, the read-only
 * list, trust. An ask rule switches off everything behind it, but not a grant: the person gave that for exactly this.
 * A deny rule that can neither be matched nor ruled out leaves a doubt, and then nothing is allowed unasked.
 */
import type { By, Inquiry, RuleRef } from '../contract/index.js';
import { isExclusive } from './cascade.js';
import type { Settle } from './decision.js';
import type { ListedRule } from './listed.js';
import { allowing, forbids } from './match.js';
import type { ResolvePath } from './paths.js';
import { isReadOnly } from './read-only.js';
import { callText, refusal, shown } from './reasons.js';
import { isRuleError, parseRule } from './rules.js';
import type { PolicySettings } from './settings.js';
import type { Shell } from './shell-words.js';
import { type Subject, subjectOf } from './subject.js';

/** The part of an inquiry that policy looks at. */
export type InquiryFacts = Pick<Inquiry, 'kind' | 'tool' | 'input' | 'questions' | 'exclusive'>;

export interface PolicyTools {
  /** From `loadShell()`; without it no shell command is ever allowed by a rule. */
  shell: Shell | undefined;
  resolvePath: ResolvePath;
  /** Whether something is there. Without it, no folder is followed with `git -C`. */
  exists?(path: string): boolean;
}

export interface Judged {
  subject: Subject;
  exclusive: boolean;
  /** The rules decide alone. */
  settled?: Settle;
  /** A person has to be asked, whatever mode is set for when one is there. */
  mustAsk?: RuleRef;
  /** Nothing may be allowed unasked, not even with nobody there. */
  doubt?: RuleRef;
}

interface Lists {
  deny: ListedRule[];
  ask: ListedRule[];
  allow: ListedRule[];
  grants: ListedRule[];
  /** Rules that forbid something nobody can read. */
  broken: RuleRef[];
}

function listRules(settings: Pick<PolicySettings, 'rules' | 'grants'>): Lists {
  const lists: Lists = { deny: [], ask: [], allow: [], grants: [], broken: [] };
  for (const { effect, text, source } of settings.rules) {
    const rule = parseRule(text);
    const ref = { text, source };
    if (!isRuleError(rule)) lists[effect].push({ rule, ref });
    else if (effect !== 'allow') lists.broken.push({ text: `a rule that cannot be read: ${text}`, source });
  }
  for (const ref of settings.grants) {
    const rule = parseRule(ref.text);
    if (!isRuleError(rule)) lists.grants.push({ rule, ref, grant: true });
  }
  return lists;
}

export function subjectFor(asked: InquiryFacts, settings: PolicySettings, tools: PolicyTools): Subject {
  const { resolvePath, exists } = tools;
  const place = { cwd: settings.cwd, home: settings.home, resolvePath, ...(exists ? { exists } : {}) };
  return subjectOf({ kind: asked.kind, tool: asked.tool ?? '', input: asked.input, place, shell: tools.shell });
}

export function judge(asked: InquiryFacts, settings: PolicySettings, tools: PolicyTools): Judged {
  const subject = subjectFor(asked, settings, tools);
  const lists = listRules(settings);
  const exclusive = isExclusive(settings, asked);
  const judged: Judged = { subject, exclusive };
  const fits = lists.deny.map(({ rule, ref }) => ({ ref, fit: forbids(rule, subject) }));
  const denied = fits.find(({ fit }) => fit === 'yes');
  if (denied) return { ...judged, settled: deny(subject, denied.ref) };
  const doubt = fits.find(({ fit }) => fit === 'maybe')?.ref ?? lists.broken[0];
  if (subject.kind === 'question') {
    // It runs nothing: of the rules, only one that says "ask me" means something for it.
    const asking = lists.ask.find(({ rule }) => forbids(rule, subject) !== 'no');
    return asking ? { ...judged, mustAsk: asking.ref } : judged;
  }
  if (doubt) return { ...judged, doubt, mustAsk: doubt };
  const granted = allowing(lists.grants, subject);
  if (granted?.length) return { ...judged, settled: allow(subject, 'grant', joined(granted)) };
  const asking = lists.ask.find(({ rule }) => forbids(rule, subject) !== 'no');
  if (asking) return { ...judged, mustAsk: asking.ref };
  return { ...judged, ...permitted({ subject, exclusive, lists, settings }) };
}

interface Permission {
  subject: Subject;
  exclusive: boolean;
  lists: Lists;
  settings: PolicySettings;
}

function permitted({ subject, exclusive, lists, settings }: Permission): Partial<Judged> {
  const allowed = allowing([...lists.grants, ...lists.allow], subject);
  if (allowed?.length) return { settled: allow(subject, 'rule', joined(allowed)) };
  if (!exclusive && isReadOnly(subject.call, subject.place)) {
    return { settled: allow(subject, 'rule', { text: 'the read-only list', source: 'built-in' }) };
  }
  const trust = { text: `trust: ${settings.trust.value}`, source: settings.trust.source };
  if (!exclusive && settings.trust.value === 'full') return { settled: allow(subject, 'trust', trust) };
  if (subject.problem === undefined || !subject.seen) return {};
  const what = subject.call.tool === 'Bash' ? 'a command' : 'a call';
  const unread = { text: `${what} that cannot be read (${subject.problem})`, source: 'built-in' };
  // No rule can speak for it and a person who is there is asked; with nobody there, the mode the user chose decides.
  return { mustAsk: unread };
}

/** Several commands may be covered by several rules. */
function joined(rules: ListedRule[]): RuleRef {
  const unique = (texts: string[]) => [...new Set(texts)].join(', ');
  return { text: unique(rules.map(({ ref }) => ref.text)), source: unique(rules.map(({ ref }) => ref.source)) };
}

function allow(subject: Subject, kind: Extract<By, { rule: RuleRef }>['kind'], rule: RuleRef): Settle {
  const reason = `${callText(subject.call)} is allowed by ${shown(rule.text)} (${rule.source})`;
  return { do: 'settle', verdict: { kind: 'allow' }, by: { kind, rule }, reason, rule };
}

function deny(subject: Subject, rule: RuleRef): Settle {
  const why = `the rule ${shown(rule.text)} forbids it`;
  return {
    do: 'settle',
    verdict: { kind: 'deny' },
    by: { kind: 'rule', rule },
    reason: refusal(subject.kind, { text: callText(subject.call), why }),
    fix: `remove or narrow ${JSON.stringify(shown(rule.text))} under rules.deny (${rule.source})`,
    rule,
  };
}
