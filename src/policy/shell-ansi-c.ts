/** `$'…'` strings, decoded so that a deny rule sees `$'\x72m'` as rm. */
import { HOLE } from './shell-words.js';

const LETTERS: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v' };

/** The text between the quotes, or undefined when it has an escape that is not understood. */
export function decodeAnsiC(inside: string): string | undefined {
  let known = true;
  const text = inside.replace(
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (_, hex?: string, short?: string, long?: string, octal?: string, char?: string) => {
      const digits = hex ?? short ?? long;
      const code = digits !== undefined ? Number.parseInt(digits, 16) : octal && Number.parseInt(octal, 8) & 255;
      if (typeof code === 'number' && code <= 0x10ffff) return code === 0 ? HOLE : String.fromCodePoint(code);
      if (char !== undefined && Object.hasOwn(LETTERS, char)) return LETTERS[char]!;
      if (char !== undefined && /[\\'"?]/.test(char)) return char;
      known = false;
      return HOLE;
    },
  );
  return known ? text : undefined;
}
