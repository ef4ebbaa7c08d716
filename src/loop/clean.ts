/**
 * Text from outside on its way into a prompt: payloads, the output of gates, notes, names. An agent that repeats what it
 * was told must claim nothing and publish nothing by that, and no terminal sequence gets to it. Words stay words: only
 * what would count or act is changed, so that it can still be read.
 */
import { plainLines } from '../vt/plain.js';
import { isPromise } from './completion.js';

/** The beginning of an event's tag, also of one that its parser would only complain about. */
const TAG_BEGINS = /<(?=\/?\s*event)/gi;

export function cleaned(text: string, promise: string | undefined): string {
  const lines = plainLines(text).map(readable);
  return lines.map((line) => (isLone(line, promise) ? `(these words: ${line.trim()})` : line)).join('\n');
}

/** As one line: a name or a list in a sentence of ours. */
export function cleanedLine(text: string): string {
  return readable(cleaned(text, undefined).replace(/\s+/g, ' '));
}

const readable = (line: string): string => line.replace(TAG_BEGINS, '&lt;');

/** Alone by the kinder rule, whichever is set: the prompt of a strict loop is read by people, too. */
const isLone = (line: string, promise: string | undefined): boolean =>
  promise !== undefined && promise !== '' && isPromise(line, { promise, strict: false });
