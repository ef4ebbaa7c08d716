/**
 * What of an agent's output may reach a person's own terminal, sequence by sequence: what draws, what is in the table of
 * modes and can be put back, and questions whose answers are numbers, if this terminal may answer. All else is left out: the
 * clipboard read out, files and windows asked for, printers, passthrough, whatever nobody has heard of. A sequence that
 * passes is written anew from its parts, so that no two terminals can read it differently.
 */
import {
  ALTERNATE,
  ALTERNATE_MODES,
  ANSI_MODES,
  FOCUS_MODE,
  isColour,
  PRIVATE_MODES,
  SAVED_CURSOR_MODE,
} from './modes.js';
import type { Restore } from './restore.js';

export interface Rights {
  /** Whether this terminal's answers reach the agent: only the driver's do. */
  mayAnswer: boolean;
  /** Whether the agent may put something on the clipboard. Reading it, it never may. */
  mayCopy: boolean;
  /** Reports of focus stay on once they are: whoever gets them tells the agent's from its own (focus.ts). */
  keepsFocus?: boolean;
}

/** Cells, cursor, colours: sequences without a private prefix or more than they need. */
const DRAWING = new Set([...'@ABCDEFGHIJKLMPSTXZ`abdefmrsu']);
const DRAWING_MORE = new Set(["'}", "'~", ' @', ' A', '!p', '$r', '$t', '$v', '$x', '$z', '${', '*x']);

/** Who are you, how are you, where is the cursor, how large are you: the answers are numbers. */
const QUESTIONS = new Set(['c', '0c', '>c', '>0c', '=c', '=0c', '5n', '6n', '?6n', '?996n', '>q', '>0q', '?u']);
const SIZE_QUESTIONS = new Set(['14', '16', '18']);

/** Longer titles, links and notifications are nobody's. */
const MOST_TEXT = 4096;
/** Of a text on the clipboard, as base64: what xterm takes. */
export const MOST_COPIED = 100_000;

interface Csi {
  prefix: string;
  params: string;
  more: string;
  final: string;
}

export function csi(parts: Csi, restore: Restore, rights: Rights): string {
  const { prefix, params, more, final } = parts;
  const text = `${prefix}${params}${more}${final}`;
  const whole = `\x1b[${text}`;
  if (QUESTIONS.has(text) || (final === 'p' && more === '$')) return rights.mayAnswer ? whole : '';
  if (prefix === '?' && (final === 'h' || final === 'l') && more === '')
    return privateModes(params, final, { restore, rights });
  if (final === 'u' && prefix !== '' && more === '') return keyboard(parts, restore);
  if (prefix === '>' && /^4(;[0-3]?)?$/.test(params) && (final === 'm' || final === 'n') && more === '') {
    restore.put('other-keys', final === 'm' && /^4(;0?)?$/.test(params) ? 'home' : 'away');
    return whole;
  }
  if (prefix === '?') return more === '' && (final === 'J' || final === 'K') ? whole : '';
  if (prefix !== '') return '';
  if (more === ' ' && final === 'q') {
    restore.put('cursor', params === '0' ? 'home' : 'away');
    return whole;
  }
  if (more === '"' && final === 'q') {
    restore.put('protected', params === '1' ? 'away' : 'home');
    return whole;
  }
  if (more !== '') return DRAWING_MORE.has(`${more}${final}`) ? whole : '';
  if (final === 'h' || final === 'l') return ansiModes(params, final, restore);
  if (final === 't') return title(params, restore, rights);
  if (final === 'g') {
    restore.put('tabs', 'away');
    return whole;
  }
  // With more it follows the mouse, and waits for an answer of its program.
  if (final === 'T' && params.includes(';')) return '';
  return DRAWING.has(final) ? whole : '';
}

export function escapes(text: string, restore: Restore, rights: Rights): string {
  if (text === '=' || text === '>') {
    restore.put('keypad', text === '=' ? 'away' : 'home');
    return `\x1b${text}`;
  }
  if (text === 'Z') return rights.mayAnswer ? '\x1bZ' : '';
  if (text === 'H') restore.put('tabs', 'away');
  // A full reset would take what is the user's: their scrollback, their colours. The same for a program's eyes:
  if (text === 'c') {
    const back = restore.bytes();
    restore.adopt({ away: [], keyboards: [0, 0], titles: 0 });
    return `${back}\x1b[!p\x1b[H\x1b[2J`;
  }
  if (/^[()*+][0-9A-Za-z<>=`]$/.test(text)) {
    restore.put(`g${'()*+'.indexOf(text[0]!)}`, text[1] === 'B' ? 'home' : 'away');
    return `\x1b${text}`;
  }
  return /^(?:[78DEHMNO69]|#[34568])$/.test(text) ? `\x1b${text}` : '';
}

/** `text` is what stands between `ESC ]` and the end. */
export function osc(text: string, restore: Restore, rights: Rights): string {
  const [, code = '', , rest = ''] = /^(\d{1,5})(;([\s\S]*))?$/.exec(text) ?? [];
  const whole = `\x1b]${text}`;
  if (code === '52') return clipboard(rest, rights) ? whole : '';
  // A title or a link that says nothing, not even that it is empty.
  if (text.length > MOST_TEXT || /^[0128]$/.test(text)) return '';
  switch (code) {
    case '0':
    case '1':
    case '2':
      return `${restore.titleBase()}${whole}`;
    case '8':
      restore.put('link', 'away');
      return whole;
    case '9':
      return isProgress(rest, restore) ? whole : notice(rest);
    case '99':
      return kittyNotice(rest);
    case '777':
      return titledNotice(rest);
    case '4':
      return palette(rest, restore, rights) ? whole : '';
    case '104':
      if (!/^[\d;]*$/.test(rest)) return '';
      if (rest === '') restore.homeAll('palette');
      for (const index of rest.split(';')) restore.put(`palette-${index}`, 'home');
      return whole;
    default:
      return colours(Number(code), rest, { restore, rights }) ? whole : '';
  }
}

/** A picture of sixels: `ESC P 0;0;0 q`. Nothing else in such a string draws. */
export const isPicture = (head: string): boolean => /^[\d;]*q$/.test(head);

function privateModes(
  params: string,
  final: 'h' | 'l',
  { restore, rights }: { restore: Restore; rights: Rights },
): string {
  let text = '';
  const passed: number[] = [];
  for (const mode of params.split(';').map(Number)) {
    if (mode === 66) {
      restore.put('keypad', final === 'h' ? 'away' : 'home');
      text += final === 'h' ? '\x1b=' : '\x1b>';
      continue;
    }
    if (mode === FOCUS_MODE && final === 'l' && rights.keepsFocus) continue;
    const home = PRIVATE_MODES[mode];
    if (ALTERNATE_MODES.has(mode)) restore.put(ALTERNATE, final === 'h' ? 'away' : 'home');
    else if (home) restore.put(`?${mode}`, final === home ? 'home' : 'away');
    else if (mode !== SAVED_CURSOR_MODE) continue;
    passed.push(mode);
  }
  return passed.length === 0 ? text : `${text}\x1b[?${passed.join(';')}${final}`;
}

function ansiModes(params: string, final: 'h' | 'l', restore: Restore): string {
  const passed = params
    .split(';')
    .map(Number)
    .filter((mode) => ANSI_MODES.has(mode));
  for (const mode of passed) restore.put(`!${mode}`, final === 'l' ? 'home' : 'away');
  return passed.length === 0 ? '' : `\x1b[${passed.join(';')}${final}`;
}

/** Kitty's keyboard modes: put on a stack, taken off, set in place. The user's own lie below. */
function keyboard({ prefix, params, final }: Csi, restore: Restore): string {
  const whole = `\x1b[${prefix}${params}${final}`;
  if (prefix === '>') return restore.keyboardPushed() ? whole : '';
  if (prefix === '=') return `${restore.keyboardBase()}${whole}`;
  if (prefix !== '<') return '';
  const taken = restore.keyboardPopped(Math.max(1, Number.parseInt(params, 10) || 1));
  return taken === 0 ? '' : `\x1b[<${taken}u`;
}

/** Of what can be done to windows, the sizes may be asked and titles put aside. */
function title(params: string, restore: Restore, rights: Rights): string {
  if (SIZE_QUESTIONS.has(params)) return rights.mayAnswer ? `\x1b[${params}t` : '';
  const [, what] = /^(22|23)(?:;[012])?(?:;0?)?$/.exec(params) ?? [];
  if (what === '22') return restore.titlePushed() ? '\x1b[22;0t' : '';
  return what === '23' && restore.titlePopped() ? '\x1b[23;0t' : '';
}

/** Written by whoever drives, never read: an answer would hand the user's clipboard to the agent. */
function clipboard(rest: string, rights: Rights): boolean {
  return rights.mayCopy && rest.length <= MOST_COPIED && /^[cpqs0-7]*;[A-Za-z0-9+/=]+$/.test(rest);
}

/** Agents show how far they are. */
function isProgress(rest: string, restore: Restore): boolean {
  const [, state] = /^4;([0-4])(?:;\d{0,3})?$/.exec(rest) ?? [];
  if (state !== undefined) restore.put('progress', state === '0' ? 'home' : 'away');
  return state !== undefined;
}

/** Begins with other numbers: with them ConEmu runs programs. */
const notice = (rest: string): string => (/^\s*\d/.test(rest) || rest === '' ? '' : `\x1b]9;${agents(rest)}`);

function titledNotice(rest: string): string {
  const [what, title = '', ...body] = rest.split(';');
  return what === 'notify' ? `\x1b]777;notify;${agents(title) || WHOSE};${agents(body.join(','))}` : '';
}

/** Kitty's: a title or a body, perhaps in pieces; nothing that answers, closes or draws. */
function kittyNotice(rest: string): string {
  const [, keys, said] = /^([^;]*);([\s\S]*)$/.exec(rest) ?? [];
  const all = keys?.split(':').filter((key) => key !== '') ?? [];
  if (
    said === undefined ||
    !all.every((key) => /^(?:i=[\w.-]*|d=[01]|p=(?:title|body)|e=[01]|u=[012]|o=\w+)$/.test(key))
  )
    return '';
  const text = all.includes('e=1') ? Buffer.from(said, 'base64').toString('latin1') : said;
  return `\x1b]99;${all.filter((key) => !key.startsWith('e=')).join(':')};${agents(text)}`;
}

/** Each text on a person's desktop says that it is an agent's: that somebody waits for an answer, Reins says in its own name. */
const WHOSE = 'agent';

/** A few lines of a desktop's. */
const MOST_NOTICE = 250;

function agents(text: string): string {
  const plain = noticeText(Buffer.from(text, 'latin1').toString(), MOST_NOTICE);
  return plain === '' ? '' : Buffer.from(`${WHOSE}: ${plain}`).toString('latin1');
}

/** One line for a notification: nothing that steers, turns or hides text, no row of spaces, not long. */
export const noticeText = (text: string, most: number): string =>
  [...text.replace(/[\p{C}\p{Default_Ignorable_Code_Point}\s\u2800]+/gu, ' ').trim()].slice(0, most).join('');

/** `#d0d0d0`, `rgb:d0/d0/d0`, `light blue`. */
const isColourName = (text: string): boolean => /^[#\w:/.,% -]{1,64}$/.test(text);

function palette(rest: string, restore: Restore, rights: Rights): boolean {
  const parts = rest.split(';');
  const pairs = Math.floor(parts.length / 2);
  const values = parts.filter((_, at) => at % 2 === 1);
  if (values.includes('?')) return rights.mayAnswer && pairs === 1 && /^\d{1,3}$/.test(parts[0]!);
  if (pairs === 0 || !parts.every((part, at) => (at % 2 === 0 ? /^\d{1,3}$/.test(part) : isColourName(part))))
    return false;
  for (let at = 0; at < pairs; at += 1) restore.put(`palette-${Number(parts[2 * at])}`, 'away');
  return true;
}

function colours(code: number, rest: string, { restore, rights }: { restore: Restore; rights: Rights }): boolean {
  if (rest === '' && isColour(code - 100)) {
    restore.put(`colour-${code - 100}`, 'home');
    return true;
  }
  if (!isColour(code) || rest === '') return false;
  const values = rest.split(';');
  if (values.includes('?')) return rights.mayAnswer && values.every((value) => value === '?') && values.length <= 10;
  if (!values.every(isColourName)) return false;
  for (const at of values.keys()) if (isColour(code + at)) restore.put(`colour-${code + at}`, 'away');
  return true;
}
