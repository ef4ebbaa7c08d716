/**
 * The row of keys a phone's keyboard does not have, and the two that change the next one: tapped they count once, tapped twice
 * they stay. Bytes are what a terminal sends for the key.
 */
export interface QuickKey {
  /** What the button says. */
  label: string;
  name: string;
  bytes?: string;
  /** Where the program asked for cursor keys of its own kind. */
  application?: string;
  sticky?: StickyName;
}

export type StickyName = 'ctrl' | 'alt';
export type StickyState = 'off' | 'once' | 'locked';
export type Sticky = Record<StickyName, StickyState>;

export const NO_STICKY: Sticky = { ctrl: 'off', alt: 'off' };

const cursor = (label: string, name: string, letter: string): QuickKey => ({
  label,
  name,
  bytes: `\x1b[${letter}`,
  application: `\x1bO${letter}`,
});

export const QUICK_KEYS: readonly QuickKey[] = [
  { label: 'Esc', name: 'Escape', bytes: '\x1b' },
  { label: 'Tab', name: 'Tab', bytes: '\t' },
  { label: '⇧Tab', name: 'Shift Tab', bytes: '\x1b[Z' },
  cursor('↑', 'Up', 'A'),
  cursor('↓', 'Down', 'B'),
  cursor('←', 'Left', 'D'),
  cursor('→', 'Right', 'C'),
  { label: '⏎', name: 'Enter', bytes: '\r' },
  { label: '^C', name: 'Control C', bytes: '\x03' },
  { label: '^R', name: 'Control R', bytes: '\x12' },
  { label: '^O', name: 'Control O', bytes: '\x0f' },
  { label: '⌃', name: 'Control', sticky: 'ctrl' },
  { label: '⌥', name: 'Alt', sticky: 'alt' },
  { label: 'PgUp', name: 'Page up', bytes: '\x1b[5~' },
  { label: 'PgDn', name: 'Page down', bytes: '\x1b[6~' },
];

/** A second tap within this time locks it. */
export const DOUBLE_TAP_MS = 400;

export function tapped(state: StickyState, sinceLastMs: number): StickyState {
  if (state === 'once' && sinceLastMs <= DOUBLE_TAP_MS) return 'locked';
  return state === 'off' ? 'once' : 'off';
}

/** What counted once is used up. */
export const used = (sticky: Sticky): Sticky => ({
  ctrl: sticky.ctrl === 'once' ? 'off' : sticky.ctrl,
  alt: sticky.alt === 'once' ? 'off' : sticky.alt,
});

/** A key with what is held down beside it. Text of several characters (a paste, a word of a keyboard) is left as it is. */
export function withSticky(bytes: string, sticky: Sticky): string {
  const isCursor = /^\x1b[[O]([A-D])$/.exec(bytes);
  if (isCursor) {
    const modifier = 1 + (sticky.alt === 'off' ? 0 : 2) + (sticky.ctrl === 'off' ? 0 : 4);
    return modifier === 1 ? bytes : `\x1b[1;${modifier}${isCursor[1]}`;
  }
  if ([...bytes].length !== 1) return bytes;
  const held = sticky.ctrl === 'off' ? bytes : control(bytes);
  return sticky.alt === 'off' ? held : `\x1b${held}`;
}

function control(letter: string): string {
  const code = letter.toUpperCase().charCodeAt(0);
  if (code >= 64 && code <= 95) return String.fromCharCode(code - 64);
  if (letter === ' ') return '\x00';
  return letter === '?' ? '\x7f' : letter;
}
