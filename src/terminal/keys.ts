/**
 * Key names as tmux has them, to the bytes a terminal sends: `Esc C-c M-x Enter Up F5 S-Tab 'some text'`. Pure. A single
 * character stands for itself, quoted text for its characters; anything else must be a known name, because a mistyped
 * name that silently became letters would be typed into the agent.
 */
import { ReinsError } from '../contract/index.js';

const ESC = '\x1b';

/** Name → bytes. */
const PLAIN: Record<string, string> = {
  Enter: '\r',
  Return: '\r',
  Esc: ESC,
  Escape: ESC,
  Tab: '\t',
  BTab: `${ESC}[Z`,
  Space: ' ',
  BSpace: '\x7f',
  Backspace: '\x7f',
  Newline: '\n',
};

/** Cursor keys: the last byte, after `CSI` or, in application mode, `SS3`. */
const CURSOR: Record<string, string> = { Up: 'A', Down: 'B', Right: 'C', Left: 'D', Home: 'H', End: 'F' };

/** The number before `~`. */
const TILDE: Record<string, number> = {
  IC: 2,
  Insert: 2,
  DC: 3,
  Delete: 3,
  PPage: 5,
  PageUp: 5,
  PgUp: 5,
  NPage: 6,
  PageDown: 6,
  PgDn: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};

const FUNCTION: Record<string, string> = { F1: 'P', F2: 'Q', F3: 'R', F4: 'S' };

/** Every name, for messages and help. */
export const KEY_NAMES: readonly string[] = [PLAIN, CURSOR, TILDE, FUNCTION].flatMap((table) => Object.keys(table));

export interface KeyOptions {
  /** The agent has application cursor keys on (`CSI ? 1 h`): arrows are then `SS3 A`. */
  applicationCursor?: boolean;
}

/** The bytes of each key, in order. Throws `USAGE` naming the key that is unknown and those that are known. */
export function parseKeys(text: string, options: KeyOptions = {}): Uint8Array[] {
  return words(text).map((word) => Buffer.from(word.quoted ? word.text : keyBytes(word.text, options), 'utf8'));
}

/** Text cut at spaces; '…' and "…" keep theirs. */
function words(text: string): { text: string; quoted: boolean }[] {
  const found: { text: string; quoted: boolean }[] = [];
  const pattern = /'([^']*)'(?=\s|$)|"([^"]*)"(?=\s|$)|(\S+)/gy;
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) {
      at++;
      continue;
    }
    pattern.lastIndex = at;
    const match = pattern.exec(text)!;
    const quoted = match[1] ?? match[2];
    found.push(quoted === undefined ? { text: match[3]!, quoted: false } : { text: quoted, quoted: true });
    at = pattern.lastIndex;
  }
  return found;
}

function keyBytes(word: string, options: KeyOptions): string {
  if ([...word].length === 1) return word;
  if (/^\^[@-_a-z?]$/.test(word)) return control(word[1]!, word);
  const match = /^((?:[CMS]-)*)(.+)$/s.exec(word)!;
  const modifiers = new Set(match[1]!.split('-').filter(Boolean));
  const name = match[2]!;
  const named =
    Object.hasOwn(PLAIN, name) ||
    Object.hasOwn(CURSOR, name) ||
    Object.hasOwn(TILDE, name) ||
    Object.hasOwn(FUNCTION, name);
  if (!named && [...name].length !== 1) throw unknown(word);
  const code = 1 + (modifiers.has('S') ? 1 : 0) + (modifiers.has('M') ? 2 : 0) + (modifiers.has('C') ? 4 : 0);
  if (Object.hasOwn(CURSOR, name)) {
    const final = CURSOR[name]!;
    if (code > 1) return `${ESC}[1;${code}${final}`;
    return options.applicationCursor ? `${ESC}O${final}` : `${ESC}[${final}`;
  }
  if (Object.hasOwn(FUNCTION, name)) return code > 1 ? `${ESC}[1;${code}${FUNCTION[name]}` : `${ESC}O${FUNCTION[name]}`;
  if (Object.hasOwn(TILDE, name)) return code > 1 ? `${ESC}[${TILDE[name]};${code}~` : `${ESC}[${TILDE[name]}~`;
  let bytes = Object.hasOwn(PLAIN, name) ? PLAIN[name]! : name;
  if (modifiers.has('S')) bytes = shifted(bytes, word);
  if (modifiers.has('C')) bytes = control(bytes, word);
  return modifiers.has('M') ? ESC + bytes : bytes;
}

function shifted(bytes: string, word: string): string {
  if (bytes === '\t') return `${ESC}[Z`;
  if (/^[a-z]$/.test(bytes)) return bytes.toUpperCase();
  if (/^[\x21-\x7e]$/.test(bytes)) return bytes;
  throw unknown(word);
}

/** The control character: C-a is 01, C-[ is 1B, C-Space and C-@ are 00, C-? is 7F. */
function control(key: string, word: string): string {
  if (key === ' ' || key === '@') return '\x00';
  if (key === '?') return '\x7f';
  if (/^[a-zA-Z[\\\]^_]$/.test(key)) return String.fromCharCode(key.toUpperCase().charCodeAt(0) & 31);
  throw unknown(word);
}

function unknown(word: string): ReinsError {
  return new ReinsError('USAGE', {
    problem: `${JSON.stringify(word.slice(0, 40))} is not a key`,
    fix: `known keys: ${KEY_NAMES.join(' ')}, single characters, 'quoted text', with C- M- S- before them`,
  });
}
