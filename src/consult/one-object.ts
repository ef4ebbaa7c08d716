/**
 * One JSON object out of a consultant's answer, or why not. The whole answer has to be that object; a single code fence
 * around it is allowed, because then too there is only one way to read it. A key that stands twice is two answers.
 */
import { hasKeyTwice } from '../contract/index.js';

const LARGEST_ANSWER = 64 * 1024;
const FENCED = /^```(?:json)?[ \t]*\r?\n([\s\S]*)\n[ \t]*```$/;

export type AnswerObject = Record<string, unknown>;

export function oneObject(answer: string | Uint8Array): { object: AnswerObject } | { none: string } {
  if (answer.length > LARGEST_ANSWER) return { none: `its answer is longer than ${LARGEST_ANSWER} bytes` };
  const text = decoded(answer);
  if (text === undefined) return { none: 'its answer is no valid UTF-8' };
  const whole = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (whole === '') return { none: 'it said nothing' };
  const inner = FENCED.exec(whole)?.[1] ?? whole;
  let parsed: unknown;
  try {
    parsed = JSON.parse(inner);
  } catch {
    return { none: 'its answer is not one JSON object' };
  }
  if (!isObject(parsed)) return { none: 'its answer is not one JSON object' };
  return hasKeyTwice(inner) ? { none: 'a key stands twice in its answer' } : { object: parsed };
}

export const isObject = (value: unknown): value is AnswerObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A replacement character stands where somebody before us could not read it. */
function decoded(answer: string | Uint8Array): string | undefined {
  if (typeof answer === 'string') return /[\p{Cs}\ufffd]/u.test(answer) ? undefined : answer;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(answer);
  } catch {
    return undefined;
  }
}
