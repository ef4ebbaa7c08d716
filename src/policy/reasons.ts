/**
 * The words of a refusal. The agent reads what was refused, why, and what it may do instead; the user reads which line
 * of config would have allowed it. An agent's text goes in bounded and without control characters.
 */
import type { InquiryKind } from '../contract/index.js';
import type { Call } from './tools.js';

/** Characters of a command or path shown: enough to recognise it, too short to fill a screen. */
const LONGEST_SHOWN = 160;

export function shown(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return clean.length > LONGEST_SHOWN ? `${clean.slice(0, LONGEST_SHOWN)}…` : clean;
}

/** `Bash (npm test)`, `Edit (src/a.ts)`: a call in one line. */
export function callText(call: Call): string {
  const commands = [call.command, ...(call.more ?? [])].map((one) => (Array.isArray(one) ? one.join(' ') : one));
  const command = call.command === undefined ? undefined : commands.join(' · ');
  const detail = command ?? call.paths?.join(', ') ?? call.urls?.join(', ') ?? '';
  return detail === '' ? shown(call.name) : `${shown(call.name)} (${shown(detail)})`;
}

const WHAT: Record<InquiryKind, (text: string) => string> = {
  run: (text) => `${text} was not run`,
  deliver: (text) => `The result of ${text} was withheld`,
  question: () => 'The question was not answered',
};

const INSTEAD: Record<InquiryKind, string> = {
  run: 'Do not try to reach the same in another way: go on without it, or finish and say what remains to be done.',
  deliver: 'Go on without it, or finish and say what remains to be done.',
  question: 'Decide yourself where that is safe, or finish and say what has to be decided.',
};

export function refusal(kind: InquiryKind, what: { text: string; why: string }): string {
  return `${WHAT[kind](what.text)}: ${what.why}. ${INSTEAD[kind]}`;
}

/** A line of config for these rules, in YAML's flow style, which takes JSON strings. */
export function allowLine(rules: string[]): string {
  return `rules: {allow: [${rules.map((rule) => JSON.stringify(rule)).join(', ')}]}`;
}
