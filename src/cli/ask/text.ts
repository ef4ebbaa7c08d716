/**
 * Text from outside, made safe to stand on our screen, and how wide it is there. Nothing invisible stays invisible: what
 * could steer the terminal, reorder or hide characters is shown as a sign of its own, because a person is about to
 * allow exactly this text.
 */

/** More marks than this on one letter climb over the lines above it; real scripts need two or three. */
const MOST_MARKS = 3;

const TAB = '    ';
const PLAIN = /^[\x20-\x7e]*$/;
const IGNORED = /^[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}]$/u;
const MARK = /^\p{M}$/u;
const SPACE = /^\p{Zs}$/u;
const PICTURE = /^\p{Extended_Pictographic}$/u;
/** Which picture of a sign is meant, text or emoji: changes nothing that is said. */
const PRESENTATION = /^[\ufe0e\ufe0f]$/;

/** One line: tabs become spaces, whatever is not plainly visible becomes a sign (`␛`, `␣`, `⟨202e⟩`). */
export function safe(text: string): string {
  if (PLAIN.test(text)) return text;
  let out = '';
  let before = '';
  let marks = 0;
  for (const char of text) {
    marks = MARK.test(char) ? marks + 1 : 0;
    out += shown(char, { before, marks });
    before = char;
  }
  return out;
}

function shown(char: string, { before, marks }: { before: string; marks: number }): string {
  const code = char.codePointAt(0)!;
  if (char === '\t') return TAB;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  if (char === ' ') return char;
  if (SPACE.test(char)) return '␣';
  if (PRESENTATION.test(char) && PICTURE.test(before)) return '';
  if (IGNORED.test(char)) return sign(code);
  // Without a letter of its own before it, a mark would sit on ours.
  if (marks > 0 && (before === '' || marks > MOST_MARKS)) return sign(code);
  return char;
}

const sign = (code: number): string => `⟨${code.toString(16)}⟩`;

/** Several lines, each safe. */
export function safeLines(text: string): string[] {
  return text.split(/\r?\n/).map(safe);
}

const NARROW_MARK = /^[\p{Mn}\p{Me}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** Columns one character takes. */
export function widthOf(char: string): number {
  if (PLAIN.test(char)) return 1;
  if (NARROW_MARK.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/** Columns a safe text takes. */
export function cells(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let sum = 0;
  for (const char of text) sum += widthOf(char);
  return sum;
}

/** At most `width` columns, the last being `…` where something was cut. */
export function cut(text: string, width: number): string {
  if (cells(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const char of text) {
    used += widthOf(char);
    if (used > width - 1) break;
    out += char;
  }
  return `${out}…`;
}
