/**
 * Text from outside on its way into a prompt: payloads, the output of gates, notes, names. An agent that repeats what it
 * was told must claim nothing and publish nothing by that, and no terminal sequence gets to it. Words stay words: only
 * what would count or act is changed, so that it can still be read.
 */
import { lineStripper } from '../vt/index.js';
import { isPromise } from './completion.js';

/** Every way to end a line, as one: a promise behind a form feed would stand alone for the next reader. */
const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
/** Nothing one can read: control characters, and what turns or hides text. Joiners of emoji stay. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
/** The beginning of an event's tag, also of one that its parser would only complain about. */
const TAG_BEGINS = /<(?=\/?\s*event)/gi;

export function cleaned(text: string, promise: string | undefined): string {
  const lines = lineStripper()(text).replace(LINE_ENDS, '\n').split('\n').map(readable);
  return lines.map((line) => (isLone(line, promise) ? `(these words: ${line.trim()})` : line)).join('\n');
}

/** As one line: a name or a list in a sentence of ours. */
export function cleanedLine(text: string): string {
  return readable(cleaned(text, undefined).replace(/\s+/g, ' '));
}

const readable = (line: string): string =>
  line.replace(UNSEEN, (char) => (char === '\t' ? char : '')).replace(TAG_BEGINS, '&lt;');

/** Alone by the kinder rule, whichever is set: the prompt of a strict loop is read by people, too. */
const isLone = (line: string, promise: string | undefined): boolean =>
  promise !== undefined && promise !== '' && isPromise(line, { promise, strict: false });
