/** What is never another agent's to answer, whatever mode is set and however sure it is: each with the reason. */
import type { RuleRef } from '../contract/index.js';
import type { InquiryFacts, Judged } from './judge.js';
import { shown } from './reasons.js';
import type { PolicySettings } from './settings.js';
import { disguise, speaksOf } from './words.js';

/** More text than this is not looked through, and what is not looked through is not handed on. */
const MOST_CHARACTERS = 400_000;
const DEEPEST = 40;

const BUILT_IN = 'built-in';

export function neverConsulted(
  asked: InquiryFacts,
  judged: Pick<Judged, 'exclusive' | 'mustAsk'>,
  settings: Pick<PolicySettings, 'never'>,
): RuleRef | undefined {
  if (asked.questions?.some((question) => question.secret === true))
    return { text: 'it is a secret', source: BUILT_IN };
  if (judged.exclusive) return { text: 'only a person may answer it', source: BUILT_IN };
  if (judged.mustAsk) return { text: `the rule ask ${shown(judged.mustAsk.text)}`, source: judged.mustAsk.source };
  const texts = textsOf(asked);
  if (!texts) return { text: 'it is too long to look through', source: BUILT_IN };
  const word = speaksOf(texts, settings.never.value);
  if (word !== undefined)
    return { text: `it speaks of “${shown(word)}” (consult.never)`, source: settings.never.source };
  // Who wrote no list does not mind what is spoken of, nor how it is written.
  const hidden = settings.never.value.length > 0 ? disguise(texts) : undefined;
  return hidden === undefined ? undefined : { text: `it has ${hidden}`, source: BUILT_IN };
}

/** Everything somebody who answers would read: texts, headers, options with their descriptions, the call's own input and its tool's name. */
function textsOf({ questions = [], input, tool }: InquiryFacts): string[] | undefined {
  const texts: string[] = [];
  let left = MOST_CHARACTERS;
  const take = (value: unknown, depth: number): boolean => {
    if (typeof value === 'string') {
      left -= value.length;
      texts.push(value);
      return left >= 0;
    }
    if (typeof value !== 'object' || value === null) return true;
    if (depth > DEEPEST) return false;
    // A name that is no plain name may be a text in the place of one.
    const names = Array.isArray(value) ? [] : Object.keys(value).filter((name) => /[^\w$-]/.test(name));
    return [...names, ...Object.values(value)].every((part) => take(part, depth + 1));
  };
  const whole = questions.every(({ text, header, options, default: preset }) =>
    take([text, header, options.map(({ label, description }) => [label, description]), preset], 0),
  );
  return whole && take(input, 0) && take(tool, 0) ? texts : undefined;
}
