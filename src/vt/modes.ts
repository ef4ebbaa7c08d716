/**
 * Everything an agent may switch on a person's own terminal, and how it is put back. One table for both: what is not in
 * it does not pass (sieve-rules.ts), so nothing can be left behind that nobody knows how to take away. Each thing has a
 * name, which travels between host and viewer when a terminal is lent.
 */

/** How a private mode (`CSI ? n h` or `l`) stands when nobody has touched it. */
export const PRIVATE_MODES: Readonly<Record<number, 'h' | 'l'>> = {
  1: 'l', // application cursor keys
  5: 'l', // reverse video
  6: 'l', // origin
  7: 'h', // wrapping
  9: 'l', // mouse, X10
  12: 'l', // blinking cursor
  25: 'h', // the cursor shows
  45: 'l', // wrapping backwards
  66: 'l', // application keypad
  69: 'l', // left and right margins
  1000: 'l', // mouse: buttons, dragging, everything
  1002: 'l',
  1003: 'l',
  1004: 'l', // focus
  1005: 'l', // how the mouse is reported
  1006: 'l',
  1007: 'l', // the wheel as arrow keys
  1015: 'l',
  1016: 'l',
  2004: 'l', // bracketed paste
  2026: 'l', // synchronized output
  2031: 'l', // reports of the colour scheme
  2048: 'l', // reports of the size
};

/** The alternate screen, by its three names: left only by who entered it, for the shell around us may be on one. */
export const ALTERNATE_MODES: ReadonlySet<number> = new Set([47, 1047, 1049]);
export const ALTERNATE = 'alternate';

/** Reports of focus. */
export const FOCUS_MODE = 1004;

/** Saves and restores the cursor: nothing stays. */
export const SAVED_CURSOR_MODE = 1048;

/** Insert mode, and a line feed that returns as well. */
export const ANSI_MODES: ReadonlySet<number> = new Set([4, 20]);

/** Tab stops where a terminal has them at first, without moving the cursor. As wide as any terminal: all beyond its edge fall on the last column. */
const TABS = `\x1b7\r\x1b[3g${Array.from({ length: 64 }, (_, index) => `\x1b[${8 * index + 9}G\x1bH`).join('')}\x1b[999G\x1b[g\x1b8`;

/** What has no number of its own. */
const NAMED: Readonly<Record<string, string>> = {
  keypad: '\x1b>',
  cursor: '\x1b[0 q',
  'other-keys': '\x1b[>4m',
  protected: '\x1b[0"q',
  tabs: TABS,
  link: '\x1b]8;;\x1b\\',
  progress: '\x1b]9;4;0\x1b\\',
  palette: '\x1b]104\x1b\\',
  g0: '\x1b(B',
  g1: '\x1b)B',
  g2: '\x1b*B',
  g3: '\x1b+B',
};

/** The bytes that take one of them back; nothing for a name that is none. */
export function undoOf(name: string): string {
  const [, kind, number] = /^(\?|!|colour-|palette-)(\d{1,4})$/.exec(name) ?? [];
  // The cursor goes to the top with it, over what stands there.
  if (name === '?6') return '\x1b[?6l\x1b[999;1H';
  if (kind === '?') return PRIVATE_MODES[Number(number)] ? `\x1b[?${number}${PRIVATE_MODES[Number(number)]}` : '';
  if (kind === '!') return ANSI_MODES.has(Number(number)) ? `\x1b[${number}l` : '';
  if (kind === 'colour-') return isColour(Number(number)) ? `\x1b]1${number}\x1b\\` : '';
  if (kind === 'palette-') return `\x1b]104;${number}\x1b\\`;
  return Object.hasOwn(NAMED, name) ? NAMED[name]! : '';
}

/** `OSC 10` to `OSC 19`: text, background, cursor, pointer, selection. */
export const isColour = (code: number): boolean => code >= 10 && code <= 19;

/**
 * Harmless where nothing was changed, and so written in any case: mouse, paste, focus, reports, wrapping, modified keys,
 * margins, the usual characters, cursor, colours. A host that dies may not have said what it did last.
 */
export const QUIET = [
  ...[1000, 1002, 1003, 1006, 2004, 1004, 2031, 2048, 2026].map((mode) => `\x1b[?${mode}l`),
  '\x1b[>4m\x1b7\x1b[r\x1b8\x1b[?7h\x1b[4l\x0f\x1b(B\x1b[?25h\x1b[0m',
].join('');
