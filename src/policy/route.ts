/**
 * Who answers an inquiry. Pure and total: rules first (`judge.ts`), then the mode that the cascade finds for a person
 * being there or not. An exclusive inquiry never leaves people: no mode answers it, it is asked, held or refused.
 */
import type { By, Presence, RuleRef } from '../contract/index.js';
import { defaultAnswer, presetAnswer } from './answers.js';
import { type ChosenMode, chooseMode, chooseNoAnswer, isReadable, isWrittenFor, type Side } from './cascade.js';
import type { Decision, DecisionStep, Rung, Settle } from './decision.js';
import { grantFor } from './grant.js';
import { type InquiryFacts, type Judged, judge, type PolicyTools } from './judge.js';
import { neverConsulted } from './never.js';
import { allowLine, callText, refusal } from './reasons.js';
import type { AnswerMode, PolicySettings } from './settings.js';

interface Case {
  asked: InquiryFacts;
  presence: Presence;
  settings: PolicySettings;
  tools: PolicyTools;
  judged: Judged;
  rule: RuleRef;
}

/** `cannot`: why the mode has no answer for this inquiry; a ladder goes on to its next rung. */
type StepTry = { step: DecisionStep; cannot?: string; never?: RuleRef };

const A_YES_COVERS = { text: 'the call was allowed, and a yes covers its result', source: 'built-in' };

/**
 * Contract: never throws, always decides; what is unclear is asked, or refused with nobody there. `covered`: who allowed the
 * very call whose result this is.
 */
export function route(
  inquiry: InquiryFacts,
  presence: Presence,
  settings: PolicySettings,
  tools: PolicyTools,
  covered?: By,
): Decision {
  const asked = tidy(inquiry);
  const judged = judge(asked, settings, tools);
  if (judged.settled) return judged.settled;
  if (asked.kind === 'question' && !judged.exclusive) {
    const answer = presetAnswer(settings, asked);
    if (answer) return settleValues(answer.values, answer.rule);
  }
  const about = { side: sideOf(presence), kind: asked.kind, tool: asked.tool };
  if (covered && asked.kind === 'deliver' && !isWrittenFor(settings, about)) {
    const verdict = { kind: 'allow' } as const;
    return { do: 'settle', verdict, by: covered, reason: A_YES_COVERS.text, rule: A_YES_COVERS };
  }
  const chosen = chooseMode(settings, about);
  const one = { asked, presence, settings, tools, judged, rule: chosen.rule };
  return Array.isArray(chosen.mode) ? ladder(one, chosen) : attempt(one, chosen.mode).step;
}

const sideOf = ({ present, reachable }: Presence): Side =>
  present ? 'attached' : reachable === undefined ? 'detached' : 'reachable';

/** Agents' data may be anything: what is not of the right shape counts as not given. */
function tidy(inquiry: InquiryFacts): InquiryFacts {
  const { kind, tool, input, questions, exclusive } = inquiry;
  const tidied: InquiryFacts = {
    kind: kind === 'deliver' || kind === 'question' ? kind : 'run',
    exclusive: exclusive === true,
    input,
  };
  if (typeof tool === 'string') tidied.tool = tool;
  if (Array.isArray(questions)) {
    if (questions.every(isReadable)) tidied.questions = questions;
    else tidied.exclusive = true;
  }
  return tidied;
}

function attempt(one: Case, mode: AnswerMode): StepTry {
  const { judged, presence, rule } = one;
  const ask: StepTry = { step: { do: 'ask', rule: judged.mustAsk ?? rule } };
  switch (mode) {
    case 'ask':
      return ask;
    case 'defer':
      return { step: { do: 'defer', rule } };
    case 'deny':
      return { step: refuse(one, presence.present ? 'it is switched off' : nobody(one)) };
    case 'auto':
    case 'defaults': {
      if (presence.present && judged.mustAsk) return ask;
      const answer = mode === 'auto' ? automatic(one) : byDefault(one);
      // With a person there, an inquiry the mode cannot answer is theirs.
      if (!presence.present || answer.cannot === undefined) return answer;
      return answer.never ? { step: { ...ask.step, never: answer.never } as DecisionStep } : ask;
    }
  }
}

const nobody = ({ presence }: Case) => `it needs a person’s answer and nobody is there (${presence.reason})`;

const ONLY_PEOPLE = 'only a person may answer it, and nobody is there';

/** No answer for this inquiry, with the reason told. */
const unable = (one: Case, why: string, never?: RuleRef): StepTry => ({
  step: { ...refuse(one, why), ...(never ? { never } : {}) },
  cannot: why,
  ...(never ? { never } : {}),
});

function automatic(one: Case): StepTry {
  const { asked, judged, rule, settings } = one;
  if (asked.kind === 'question') {
    const never = neverConsulted(asked, judged, settings);
    if (never) return unable(one, `no other agent may answer it (${never.text}), and nobody is there`, never);
    return { step: { do: 'consult', rule, onNoAnswer: withoutAnswer(one) } };
  }
  if (judged.exclusive) return unable(one, ONLY_PEOPLE);
  if (judged.doubt) return unable(one, doubtful(judged.doubt));
  return { step: settleAllow(one) };
}

const doubtful = (doubt: RuleRef) => `it cannot be allowed unasked, because of ${doubt.text}, and nobody is there`;

function byDefault(one: Case): StepTry {
  const { asked, judged, settings } = one;
  if (judged.exclusive) return unable(one, ONLY_PEOPLE);
  if (asked.kind === 'deliver' && !judged.doubt) return { step: settleAllow(one) };
  if (asked.kind !== 'question') return unable(one, `${nobody(one)}, and there is no default for this`);
  const values = defaultAnswer(settings, asked);
  if (values) return { step: settleValues(values) };
  return unable(one, `${nobody(one)}, and it has no default`);
}

function withoutAnswer(one: Case): Settle | { do: 'defer'; rule: RuleRef } {
  const { value, source } = chooseNoAnswer(one.settings, one.asked.tool);
  const rule = { text: `on_no_answer: ${value}`, source };
  if (value === 'defer') return { do: 'defer', rule };
  const values = value === 'defaults' ? defaultAnswer(one.settings, one.asked) : undefined;
  if (values) return settleValues(values);
  return refuse({ ...one, rule }, 'the agent that was asked instead had no usable answer');
}

/** Rungs that cannot answer are left out while others follow, and the next one says why; the last always ends the matter. */
function ladder(one: Case, chosen: ChosenMode): Decision {
  const rungs: Rung[] = [];
  let left: string[] = [];
  let never: RuleRef | undefined;
  const put = (step: DecisionStep, forMs?: number) => {
    const because = left.length === 0 ? {} : { because: left.join('; ') };
    rungs.push({ ...step, ...(forMs === undefined ? {} : { forMs }), ...because });
    left = [];
  };
  const made = (): Decision => ({ do: 'ladder', rungs, rule: chosen.rule, ...(never ? { never } : {}) });
  for (const { mode, forMs } of Array.isArray(chosen.mode) ? chosen.mode : []) {
    const { step, cannot, never: against } = attempt(one, mode);
    never ??= against;
    if (cannot !== undefined) {
      left.push(cannot);
      continue;
    }
    const timed = step.do !== 'settle' && forMs !== undefined;
    put(step, timed ? forMs : undefined);
    if (step.do === 'settle' || ((step.do === 'ask' || step.do === 'defer') && !timed)) return made();
  }
  put(refuse(one, `${one.presence.present ? 'nobody answered' : nobody(one)}, and nothing else was left to try`));
  return made();
}

function settleAllow({ judged, rule }: Case): Settle {
  const reason = `${callText(judged.subject.call)} is allowed by ${rule.text} (${rule.source})`;
  return { do: 'settle', verdict: { kind: 'allow' }, by: { kind: 'policy', rule }, reason, rule };
}

function settleValues(values: Record<string, string[]>, rule?: RuleRef): Settle {
  const verdict = { kind: 'values', values } as const;
  if (rule)
    return { do: 'settle', verdict, by: { kind: 'policy', rule }, reason: 'the user answered in advance', rule };
  const own = { text: 'the question’s default', source: 'default' };
  return { do: 'settle', verdict, by: { kind: 'default' }, reason: 'the question’s own default was taken', rule: own };
}

function refuse(one: Case, why: string): Settle {
  const { asked, judged, rule } = one;
  return {
    do: 'settle',
    verdict: { kind: 'deny' },
    by: { kind: 'policy', rule },
    reason: refusal(asked.kind, { text: callText(judged.subject.call), why }),
    fix: fixFor(one),
    rule,
  };
}

function fixFor({ asked, judged, rule, settings, tools, presence }: Case): string {
  // Where nothing is written for who can be fetched, the detached policy has the last word.
  const side = presence.present ? 'attached' : rule.text.includes('.reachable') ? 'reachable' : 'detached';
  const name = JSON.stringify(asked.tool ?? 'defaults');
  if (asked.kind === 'question') {
    if (judged.exclusive) return 'answer it yourself: attach to the session, or set detached: defer to hold it open';
    // Another agent was asked already.
    if (rule.text.startsWith('on_no_answer')) return `tools: {${name}: {on_no_answer: defer}} to hold it for you`;
    return `tools: {${name}: {${side}: {question: auto}}}, or default answers with defaults (now ${rule.text}, ${rule.source})`;
  }
  if (judged.doubt) return `allow it yourself when asked: a rule cannot (${judged.doubt.text}, ${judged.doubt.source})`;
  const grant = grantFor(asked, settings, tools);
  return grant ? allowLine(grant.rules) : `tools: {${name}: {${side}: {${asked.kind}: auto}}}`;
}
