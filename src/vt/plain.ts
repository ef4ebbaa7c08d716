/**
 * Text from outside as plain lines: no terminal sequence, one kind of line end, nothing that nobody can see. Words stay
 * words. For whoever puts such text before a model or a person; what else must not act there is their own matter.
 */
import { lineStripper } from './strip.js';

/** Every way to end a line, as one: a line behind a form feed would stand alone for the next reader. */
const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
/**
 * Nothing one can read: control characters, what turns or hides text, fillers, and the tags and selectors in which whole
 * sentences can be hidden from people and not from models. Joiners and shapes of emoji and scripts stay.
 */
const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const KEPT = new Set(['\t', '\u200c', '\u200d', '\ufe0e', '\ufe0f']);

export function plainLines(text: string): string[] {
  return lineStripper()(text).replace(LINE_ENDS, '\n').split('\n').map(seen);
}

/** As one line. */
export const plainLine = (text: string): string => plainLines(text).join(' ').replace(/\s+/g, ' ').trim();

const seen = (line: string): string => line.replace(UNSEEN, (char) => (KEPT.has(char) ? char : ''));

/** JSON in which everything is visible and on one line; read again, it is exactly what it was. */
export const visibleJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(ODD_IN_JSON, (char) =>
    char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

const ODD_IN_JSON = new RegExp(`${UNSEEN.source}|[\\u2028\\u2029]`, 'gu');
