/**
 * What a terminal sends, cut into tokens: characters, control sequences, function keys, answers. The one reader of it for who
 * may wait for a whole token (`control-keys.ts` must not: no key is ever late there). Every character is in exactly one token, as
 * it came; what is not whole yet is not cut. Works on text whose characters are bytes (latin1) as well as on decoded text.
 */

export interface Token {
  /** `escape`: Esc alone, or Alt with a character. `string`: an answer in words, with its end. */
  kind: 'char' | 'control' | 'escape' | 'csi' | 'ss3' | 'string' | 'cut';
  text: string;
  /** Of a control sequence, with its private prefix. */
  params: string;
  final: string;
}

/** An unfinished sequence longer than this is none. */
const LONGEST_UNFINISHED = 4096;

const ESC = '\x1b';
/** The old mouse report has three characters behind its final one. */
const SEQUENCE =
  /\x1b(?:(\[M[\s\S]{3})|\[([0-?]*)[ -/]*([@-~])|O([ -~])|([\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\))|([^\x1b])?)/uy;
const UNFINISHED = /\x1b(?:\[M[\s\S]{0,2}|\[[0-?]*[ -/]*|O|[\]P_^X][^\x07\x1b]*\x1b?)?$/uy;

/** The token that begins at this place; undefined when it is not whole. */
export function tokenAt(text: string, at = 0): Token | undefined {
  const char = String.fromCodePoint(text.codePointAt(at)!);
  if (char !== ESC) return { kind: /^\p{Cc}$/u.test(char) ? 'control' : 'char', text: char, params: '', final: '' };
  UNFINISHED.lastIndex = at;
  if (text.length - at < LONGEST_UNFINISHED && UNFINISHED.test(text)) return undefined;
  SEQUENCE.lastIndex = at;
  const [whole, mouse, params = '', csi, ss3, string] = SEQUENCE.exec(text)!;
  if (mouse !== undefined) return { kind: 'csi', text: whole, params: '', final: 'M' };
  if (csi !== undefined) return { kind: 'csi', text: whole, params, final: csi };
  if (ss3 !== undefined) return { kind: 'ss3', text: whole, params: '', final: ss3 };
  return { kind: string === undefined ? 'escape' : 'string', text: whole, params: '', final: '' };
}

/** One after the other; what is not whole at the end comes as `cut`. */
export function* tokensOf(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at) ?? { kind: 'cut', text: text.slice(at), params: '', final: '' };
    yield token;
    at += token.text.length;
  }
}

/**
 * Did a person press a key, or did their terminal speak by itself? A terminal that shows an agent's output answers the
 * agent's questions, and reports the mouse and its focus: none of that is a wish to drive.
 */
export const isTyped = (bytes: Uint8Array): boolean =>
  // Nearly every key: a terminal says nothing by itself without this byte.
  bytes.includes(0x1b) ? spoken(bytes).next().done !== true : bytes.length > 0;

/** These bytes without all that a terminal says by itself. */
export function* spoken(bytes: Uint8Array): Generator<Token> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  for (const token of tokensOf(text)) if (!isByItself(token)) yield token;
}

/**
 * What a person does at a terminal that is drawn elsewhere: keys and the mouse. Its answers to the agent's questions and its focus
 * are left out, because they were answered where the screen is kept.
 */
export function withoutAnswers(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (!text.includes(ESC)) return bytes;
  const kept = [...tokensOf(text)].filter((token) => isMouse(token) || !isByItself(token));
  return Buffer.from(kept.map((token) => token.text).join(''), 'latin1');
}

const isMouse = ({ kind, final, text, params }: Token): boolean =>
  kind === 'csi' && (final === 'M' || final === 'm') && (params.startsWith('<') || text.length > '\x1b[M'.length);

/** Answers in words, answers with a private prefix, the cursor's place, sizes, mouse and focus. */
function isByItself({ kind, params, final, text }: Token): boolean {
  if (kind === 'string') return /^\x1b[P\]_]/.test(text);
  if (kind !== 'csi') return false;
  if (/^[?>=]/.test(params)) return /[a-zA-Z]/.test(final);
  if (final === 'M' || final === 'm') return params === '' ? text.length > '\x1b[M'.length : params.startsWith('<');
  if (final === 'I' || final === 'O') return params === '';
  if (final === 'R') return /^\d+;\d+$/.test(params);
  return final === 't' && /^\d+(?:;\d+){0,2}$/.test(params);
}
