/** The addresses in a call's input, under whatever key: nobody knows which one the tool opens. */
import { isRecord, plainKey } from './fields.js';
import type { Call } from './tools.js';

const URL_KEY = /^(url|uri|href|link|address)s?$/;
/** Words for who reads the page; gemini alone has its addresses in there. */
const WORDS = new Set(['prompt', 'description', 'title', 'query', 'reason']);
const isAddress = (text: string) => /^\s*([a-z][a-z0-9+.-]*:)?\/\//i.test(text);
/** Deeper, or more than this, and nobody has looked. */
const DEEPEST = 5;
const MOST = 200;

export function readAddresses(input: unknown): Pick<Call, 'urls' | 'unclear'> {
  const urls: string[] = [];
  let values = 0;
  let whole = true;
  const walk = (value: unknown, key: string, depth: number): void => {
    values += 1;
    if (depth > DEEPEST || values > MOST) whole = false;
    else if (typeof value === 'string') {
      if (URL_KEY.test(key) || (!WORDS.has(key) && isAddress(value))) urls.push(value);
    } else if (Array.isArray(value)) for (const item of value) walk(item, key, depth + 1);
    else if (isRecord(value)) for (const [name, item] of Object.entries(value)) walk(item, plainKey(name), depth + 1);
  };
  if (isRecord(input)) walk(input, '', 0);
  // One that cannot be seen is judged as none that any rule knows.
  if (!whole) return { urls: [], unclear: 'its input is nested too deep to be looked at' };
  return { urls: urls.length > 0 ? urls : inPrompt(input) };
}

/** gemini's web_fetch has no field for the address: it takes every address in the text of its prompt. */
function inPrompt(input: unknown): string[] {
  const prompt = isRecord(input) && typeof input.prompt === 'string' ? input.prompt : '';
  return prompt.match(/\bhttps?:\/\/[^\s<>"'`)\]]+/gi) ?? [];
}
