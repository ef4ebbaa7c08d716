/**
 * Leaves out the part of a flood that nobody can see any more. Of log lines that rush by, only the last screen and its
 * scrollback remain; the lines before them need not be parsed at all, provided that nothing among them changed anything
 * but cells, cursor, colours and two modes. That is proven byte by byte here: at the first byte that could mean more, it
 * stops.
 * Pure; the screen afterwards is the same, cell by cell.
 */

const ESC = 0x1b;
const LF = 0x0a;
const CR = 0x0d;

/** More colour changes than this without a reset are not collected: the flood is then parsed as it is. */
const MAX_STYLES = 64;

export interface FloodState {
  rows: number;
  scrollback: number;
  /** The row of the cursor before these bytes, counted from 0. */
  cursorY: number;
}

/**
 * Shorter bytes with the same effect, or undefined if there are none. Contract: the terminal shows its normal screen,
 * scrolls over its whole height, counts rows from the top, and stands between two sequences.
 */
export function withoutUnseen(bytes: Uint8Array, state: FloodState): Uint8Array[] | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const unclear = view.toString('latin1').search(UNCLEAR);
  const start = firstSeen(unclear === -1 ? view : view.subarray(0, unclear), state);
  if (start === undefined) return undefined;
  const styles = stylesBefore(bytes, start);
  const place = Buffer.from(`\x1b[${state.rows};1H`);
  // The first byte kept is the line feed itself, with the cursor where it was: on the last row, in the first column.
  return styles && [...modesBefore(bytes, start), ...styles, place, bytes.subarray(start)];
}

/**
 * The first byte that could mean more than cells, cursor, colours and the two modes. As a pattern, because that runs as
 * machine code over every byte of a flood; it must never let pass what `scrolls` does not.
 */
const UNCLEAR =
  /[\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\xc2(?![\xa0-\xff])|\x1b(?!\[(?:[\d;:]*[mKXP@CDG`aHfdABEFe]|[012]?J|\?(?:2026|25)[hl]))/;

/** Where to start looking for enough lines: a screen and a scrollback of usual lines are about this much. */
const FIRST_SPAN_BYTES = 128 * 1024;

/** The line feed from which on everything that was on the screen before has left the scrollback too. */
function firstSeen(clear: Buffer, state: FloodState): number | undefined {
  for (let span = FIRST_SPAN_BYTES; ; span *= 4) {
    // Behind a line feed no sequence and no character is cut. Of the cursor only is known that it is on the first row, or below.
    const from = span >= clear.length ? 0 : clear.lastIndexOf(LF, clear.length - span) + 1;
    const starts = scrolls(clear.subarray(from), { ...state, cursorY: from === 0 ? state.cursorY : 0 });
    let index = starts.length - (state.scrollback + state.rows);
    while (index > 0 && starts[index] === NOT_AT_COLUMN_0) index--;
    const start = starts[index];
    if (index > 0 && start !== undefined && start !== NOT_AT_COLUMN_0) return from + start;
    if (from === 0) return undefined;
  }
}

const NOT_AT_COLUMN_0 = -1;

/** Bytes that only fill cells, looked up because nearly every byte of a flood is one. */
const IS_TEXT = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte >= 0x20 && byte !== 0x7f && byte !== 0xc2));

/** Where each line feed stands that surely scrolled the screen, up to the first byte that could mean more. */
function scrolls(bytes: Uint8Array, { rows, cursorY }: FloodState): number[] {
  const starts: number[] = [];
  const last = rows - 1;
  // The cursor is on this row or below: text may wrap, which only moves it down.
  let row = cursorY;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (IS_TEXT[byte] === 1) continue;
    if (byte === LF) {
      if (row < last) row++;
      else starts.push(i > 0 && bytes[i - 1] === CR ? i : NOT_AT_COLUMN_0);
    } else if (byte === ESC) {
      if (bytes[i + 1] !== 0x5b) return starts;
      if (bytes[i + 2] === 0x3f) {
        const mode = HARMLESS_MODES.find((one) => isModeAt(bytes, i, one));
        if (!mode) return starts;
        i += mode.length;
        continue;
      }
      const end = endOfCsi(bytes, i + 2);
      if (end === -1) return starts;
      const next = rowAfter({ bytes, from: i + 2, end, row, last });
      if (next === undefined) return starts;
      row = next;
      i = end;
    } else if (byte === 0xc2) {
      // C2 80 … C2 9F are controls; at the very end it is not known yet.
      const following = bytes[i + 1];
      if (following === undefined || following < 0xa0) return starts;
    } else if (byte !== CR && byte !== 0x09 && byte !== 0) return starts;
  }
  return starts;
}

/** Frames and the cursor's visibility: the last word on each counts, and nothing else depends on them. */
const HARMLESS_MODES = ['\x1b[?2026', '\x1b[?25'].map((text) => Buffer.from(text));

/** Whether `mode` is switched on or off at this place: the sequence, then `h` or `l`. */
function isModeAt(bytes: Uint8Array, at: number, mode: Buffer): boolean {
  const final = bytes[at + mode.length];
  if (final !== 0x68 && final !== 0x6c) return false;
  for (let i = 3; i < mode.length; i++) if (bytes[at + i] !== mode[i]) return false;
  return true;
}

/** The last switch of each harmless mode before this place. */
function modesBefore(bytes: Uint8Array, before: number): Uint8Array[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, before);
  return HARMLESS_MODES.flatMap((mode) => {
    const at = view.lastIndexOf(mode);
    return at === -1 ? [] : [bytes.subarray(at, at + mode.length + 1)];
  });
}

/** The index of the final byte, if parameters are only digits and semicolons (and colons of colours). */
function endOfCsi(bytes: Uint8Array, from: number): number {
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x40 && byte <= 0x7e) return i;
    if (byte < 0x30 || byte > 0x3b) return -1;
  }
  return -1;
}

interface CsiInFlood {
  bytes: Uint8Array;
  from: number;
  end: number;
  row: number;
  last: number;
}

/** The cursor's row after a sequence that changes nothing but cells, cursor and colours; undefined for any other. */
function rowAfter({ bytes, from, end, row, last }: CsiInFlood): number | undefined {
  const final = String.fromCharCode(bytes[end]!);
  if (SAME_ROW.has(final)) return row;
  let first = 0;
  for (let i = from; i < end && bytes[i]! <= 0x39; i++) first = Math.min(first * 10 + bytes[i]! - 0x30, 99_999);
  switch (final) {
    case 'J':
      // 3 clears the scrollback.
      return end - from <= 1 && first <= 2 ? row : undefined;
    case 'H':
    case 'f':
    case 'd':
      return Math.min(Math.max(first, 1) - 1, last);
    case 'A':
    case 'F':
      return Math.max(row - Math.max(first, 1), 0);
    case 'B':
    case 'E':
    case 'e':
      return Math.min(row + Math.max(first, 1), last);
    default:
      return undefined;
  }
}

/** Colours; erase, delete, insert within a row; moves within a row. */
const SAME_ROW = new Set([...'mKXP@CDG`a']);

/** The colour sequences that are in force at `before`, from the last one that starts with a reset. */
function stylesBefore(bytes: Uint8Array, before: number): Uint8Array[] | undefined {
  const styles: Uint8Array[] = [];
  for (let at = before; ; ) {
    at = at === 0 ? -1 : bytes.lastIndexOf(ESC, at - 1);
    if (at === -1) return styles;
    const end = endOfCsi(bytes, at + 2);
    if (bytes[end] !== 0x6d) continue;
    styles.unshift(bytes.subarray(at, end + 1));
    const first = bytes[at + 2]!;
    const second = bytes[at + 3]!;
    if (first === 0x6d || first === 0x3b || (first === 0x30 && (second === 0x6d || second === 0x3b))) return styles;
    if (styles.length > MAX_STYLES) return undefined;
  }
}
