/**
 * How many cells a character takes: Unicode 16's wide and combining characters, as tmux counts them, so that a screen and
 * the terminals around it agree. The emulator's own table is that of Unicode 6, where an emoji has one cell. Characters
 * that a zero width joiner joins are one. Without Node: a browser that shows a session must count the same.
 */

/** East Asian Wide and Fullwidth, emoji among them: first and last of each range. */
// biome-ignore format: a table
const WIDE = [
  0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3, 0x25fd, 0x25fe,
  0x2614, 0x2615, 0x2630, 0x2637, 0x2648, 0x2653, 0x267f, 0x267f, 0x268a, 0x268f, 0x2693, 0x2693, 0x26a1, 0x26a1,
  0x26aa, 0x26ab, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26ce, 0x26d4, 0x26d4, 0x26ea, 0x26ea, 0x26f2, 0x26f3,
  0x26f5, 0x26f5, 0x26fa, 0x26fa, 0x26fd, 0x26fd, 0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c,
  0x274e, 0x274e, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797, 0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c,
  0x2b50, 0x2b50, 0x2b55, 0x2b55, 0x2e80, 0x303e, 0x3041, 0x3247, 0x3250, 0x4dbf, 0x4e00, 0xa4cf, 0xa960, 0xa97f,
  0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe6f, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18dff,
  0x1aff0, 0x1b2ff, 0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f200, 0x1f320,
  0x1f32d, 0x1f335, 0x1f337, 0x1f37c, 0x1f37e, 0x1f393, 0x1f3a0, 0x1f3ca, 0x1f3cf, 0x1f3d3, 0x1f3e0, 0x1f3f0,
  0x1f3f4, 0x1f3f4, 0x1f3f8, 0x1f43e, 0x1f440, 0x1f440, 0x1f442, 0x1f4fc, 0x1f4ff, 0x1f53d, 0x1f54b, 0x1f54e,
  0x1f550, 0x1f567, 0x1f57a, 0x1f57a, 0x1f595, 0x1f596, 0x1f5a4, 0x1f5a4, 0x1f5fb, 0x1f64f, 0x1f680, 0x1f6c5,
  0x1f6cc, 0x1f6cc, 0x1f6d0, 0x1f6d2, 0x1f6d5, 0x1f6d7, 0x1f6dc, 0x1f6df, 0x1f6eb, 0x1f6ec, 0x1f6f4, 0x1f6fc,
  0x1f7e0, 0x1f7eb, 0x1f7f0, 0x1f7f0, 0x1f90c, 0x1f93a, 0x1f93c, 0x1f945, 0x1f947, 0x1f9ff, 0x1fa70, 0x1faff,
  0x20000, 0x2fffd, 0x30000, 0x3fffd,
];

/** Marks, and what only says how others are written; a soft hyphen is shown. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\u{d7b0}-\u{d7ff}]$/u;
const SOFT_HYPHEN = 0xad;
const ZERO_WIDTH_JOINER = 0x200d;

/** The next character joins: kept in the state that the emulator hands from one character to the next. */
const JOINS = 1;

/** Looked up once per character, its width plus one: what agents draw with is a handful, and what stays zero takes no memory. */
const known = new Uint8Array(0x20000);

export function widthOf(code: number): 0 | 1 | 2 {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return 1;
  const found = known[code] ?? 0;
  if (found > 0) return (found - 1) as 0 | 1 | 2;
  const width = isWide(code) ? 2 : code !== SOFT_HYPHEN && NOTHING.test(String.fromCodePoint(code)) ? 0 : 1;
  if (code < known.length) known[code] = width + 1;
  return width;
}

/** As the emulator wants it. */
export const widths = {
  version: 'reins',
  wcwidth: widthOf,
  /** State, width and whether it joins the one before, in one number: bits 3 and up, 1 and 2, 0. */
  charProperties(code: number, before: number): number {
    const own = widthOf(code);
    const room = (before >> 1) & 3;
    const isJoined = before >> 3 === JOINS && own === 2;
    const joins = room > 0 && (own === 0 || isJoined);
    const state = code === ZERO_WIDTH_JOINER ? JOINS : 0;
    return (state << 3) | ((joins ? Math.max(own, room) : own) << 1) | (joins ? 1 : 0);
  },
};

function isWide(code: number): boolean {
  let [low, high] = [0, WIDE.length / 2 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code > WIDE[2 * middle + 1]!) low = middle + 1;
    else if (code < WIDE[2 * middle]!) high = middle - 1;
    else return true;
  }
  return false;
}
