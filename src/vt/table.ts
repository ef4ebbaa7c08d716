/**
 * The grammar of terminal output as one table: for each state and byte, what the byte is and which state follows. Used to
 * remove sequences (`strip.ts`) and to find where one is still unfinished (`tail.ts`). Byte-wise, so that a cut anywhere,
 * inside a sequence or inside a character, costs nothing. C1 controls count only in their UTF-8 form (C2 80 … C2 9F):
 * the bare bytes 80 … 9F are parts of characters.
 */

export const GROUND = 0;
/** C2 was seen in ground: a C1 control or the start of a character. */
export const GROUND_C2 = 1;
export const ESCAPE = 2;
/** ESC and intermediates (20 … 2F), as in `ESC ( B`. */
const ESCAPE_MORE = 3;
const CSI = 4;
/** Operating system command: ends with BEL, ST, CAN or SUB. */
const OSC = 5;
const OSC_C2 = 6;
/** DCS, SOS, PM, APC: end with ST, CAN or SUB. */
const STRING = 7;
const STRING_C2 = 8;

/** What a byte is; the values of `entry >> 4`. */
export const TEXT = 0;
export const LINE_FEED = 1;
export const RETURN = 2;
/** Part of a sequence, or a control without text. */
export const NOTHING = 3;
/** The byte after C2 showed that C2 began a character. */
export const TEXT_AFTER_C2 = 4;
/** Not part of the sequence it stands in: to be read again in ground. */
export const AGAIN = 5;

/** `TABLE[state << 8 | byte]` is `kind << 4 | next state`. */
export const TABLE: Uint8Array = build();

/** The same, with a carriage return as text like any other. */
export const RETURNS_KEPT: Uint8Array = TABLE.map((entry) =>
  entry >> 4 === RETURN ? (TEXT << 4) | (entry & 15) : entry,
);

function build(): Uint8Array {
  const table = new Uint8Array(9 << 8);
  const set = (state: number, from: number, to: number, kind: number, next: number): void => {
    for (let byte = from; byte <= to; byte++) table[(state << 8) | byte] = (kind << 4) | next;
  };
  set(GROUND, 0x20, 0xff, TEXT, GROUND);
  set(GROUND, 0x7f, 0x7f, NOTHING, GROUND);
  set(GROUND, 0xc2, 0xc2, NOTHING, GROUND_C2);

  set(GROUND_C2, 0x00, 0xff, TEXT_AFTER_C2, GROUND);
  setC1(set, GROUND_C2);

  set(ESCAPE, 0x30, 0x7e, NOTHING, GROUND);
  set(ESCAPE, 0x20, 0x2f, NOTHING, ESCAPE_MORE);
  set(ESCAPE, 0x5b, 0x5b, NOTHING, CSI);
  set(ESCAPE, 0x5d, 0x5d, NOTHING, OSC);
  for (const opener of [0x50, 0x58, 0x5e, 0x5f]) set(ESCAPE, opener, opener, NOTHING, STRING);
  set(ESCAPE_MORE, 0x20, 0x2f, NOTHING, ESCAPE_MORE);
  set(ESCAPE_MORE, 0x30, 0x7e, NOTHING, GROUND);
  set(CSI, 0x20, 0x3f, NOTHING, CSI);
  set(CSI, 0x40, 0x7e, NOTHING, GROUND);
  for (const state of [ESCAPE, ESCAPE_MORE, CSI]) {
    set(state, 0x7f, 0x7f, NOTHING, state);
    set(state, 0x80, 0xff, AGAIN, GROUND);
  }
  for (const [state, afterC2] of [
    [OSC, OSC_C2],
    [STRING, STRING_C2],
  ] as const) {
    set(state, 0x00, 0xff, NOTHING, state);
    set(state, 0xc2, 0xc2, NOTHING, afterC2);
    set(afterC2, 0x00, 0xff, NOTHING, state);
    setC1(set, afterC2);
    set(afterC2, 0xc2, 0xc2, NOTHING, afterC2);
  }
  set(OSC, 0x07, 0x07, NOTHING, GROUND);
  set(OSC_C2, 0x07, 0x07, NOTHING, GROUND);
  // Terminals carry out most controls in the middle of a sequence, and go on with the sequence.
  for (const state of [GROUND, ESCAPE, ESCAPE_MORE, CSI]) {
    set(state, 0x00, 0x1f, NOTHING, state);
    set(state, 0x09, 0x09, TEXT, state);
    set(state, 0x0a, 0x0c, LINE_FEED, state);
    set(state, 0x0d, 0x0d, RETURN, state);
  }
  for (let state = 0; state < 9; state++) {
    if (state === GROUND_C2) continue;
    set(state, 0x18, 0x18, NOTHING, GROUND);
    set(state, 0x1a, 0x1a, NOTHING, GROUND);
    set(state, 0x1b, 0x1b, NOTHING, ESCAPE);
  }
  return table;
}

/** C2 80 … C2 9F: openers of sequences, the string terminator, and controls without text. */
function setC1(
  set: (state: number, from: number, to: number, kind: number, next: number) => void,
  state: number,
): void {
  set(state, 0x80, 0x9f, NOTHING, GROUND);
  set(state, 0x85, 0x85, state === GROUND_C2 ? LINE_FEED : NOTHING, GROUND);
  for (const opener of [0x90, 0x98, 0x9e, 0x9f]) set(state, opener, opener, NOTHING, STRING);
  set(state, 0x9b, 0x9b, NOTHING, CSI);
  set(state, 0x9d, 0x9d, NOTHING, OSC);
}
