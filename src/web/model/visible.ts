/**
 * Text from outside, cut into what is seen and what nobody sees. A person is about to allow exactly this text: whatever would
 * steer, reorder or hide characters is drawn as a sign of its own, `⟨U+202E⟩`, and never takes effect.
 */

export interface SeenPiece {
  text: string;
  /** A character nobody sees, in words; `text` is then its sign. */
  hidden?: string;
}

/** `lines`: line breaks and tabs are part of the text; without, they are signs like the others. */
export interface SeenOptions {
  lines?: boolean;
}

const PLAIN = /^[\x20-\x7e]*$/;
const PLAIN_LINES = /^[\x20-\x7e\n\t]*$/;
/** Four marks on one letter climb over the lines above it, and one without a letter sits on ours; real scripts need neither. */
const STRANGE = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}\p{Zs}]|(?<=^|\n)\p{M}+|\p{M}{4,}/gu;
/** Which picture of a sign is meant, text or emoji: changes nothing that is said. */
const PRESENTATION = /^[\ufe0e\ufe0f]$/;
const ENDS_IN_PICTURE = /\p{Extended_Pictographic}$/u;

const NAMES: Record<number, string> = {
  8: 'backspace',
  9: 'tab',
  10: 'line break',
  13: 'carriage return',
  27: 'escape',
  160: 'a space that does not break',
  173: 'soft hyphen',
  8203: 'zero-width space',
  8204: 'zero-width non-joiner',
  8205: 'zero-width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'end of a direction',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8288: 'word joiner',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'end of an isolate',
  65279: 'byte order mark',
};

const nameOfCode = (code: number): string =>
  NAMES[code] ?? (code < 32 || (code >= 127 && code < 160) ? 'a control character' : 'an invisible character');

export const signOf = (code: number): string => `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Contract: the pieces that are not hidden, and the characters of those that are, together are the text. */
export function seen(text: string, { lines = false }: SeenOptions = {}): SeenPiece[] {
  if ((lines ? PLAIN_LINES : PLAIN).test(text)) return text === '' ? [] : [{ text }];
  const pieces: SeenPiece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(STRANGE)) {
    if (found === ' ' || (lines && (found === '\n' || found === '\t'))) continue;
    if (PRESENTATION.test(found) && ENDS_IN_PICTURE.test(text.slice(Math.max(0, index - 2), index))) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    for (const char of found) {
      const code = char.codePointAt(0)!;
      pieces.push({ text: signOf(code), hidden: nameOfCode(code) });
    }
    from = index + found.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** For places that take text alone, such as a label for a screen reader. */
export const seenText = (text: string, options?: SeenOptions): string =>
  seen(text, options)
    .map((piece) => piece.text)
    .join('');
