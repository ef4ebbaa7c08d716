/** How a snapshot begins on a terminal that is a person's own. */

/** A redraw starts from nothing: colours off, screen cleared, cursor home. */
const NEW_SCREEN = Buffer.from('\x1b[0m\x1b[H\x1b[2J');
const CLEAR_SCROLLBACK = Buffer.from('\x1b[3J');

/** A snapshot's own beginning is shorter than this. */
const HEAD_BYTES = 512;

/** A snapshot for a person's own terminal: what they had above the screen stays theirs. */
export function redrawn(snapshot: Uint8Array): Uint8Array {
  const at = Buffer.from(snapshot.buffer, snapshot.byteOffset, Math.min(HEAD_BYTES, snapshot.length)).indexOf(
    CLEAR_SCROLLBACK,
  );
  const parts = at < 0 ? [snapshot] : [snapshot.subarray(0, at), snapshot.subarray(at + CLEAR_SCROLLBACK.length)];
  return Buffer.concat([NEW_SCREEN, ...parts]);
}
