/**
 * Did a person press a key, or did their terminal speak by itself? A terminal that shows an agent's output answers the
 * agent's questions, and reports the mouse and its focus: none of that is a wish to drive. Pure.
 */

/** Answers (CSI ? … c/n/u/y, CSI … R, DCS, OSC), mouse reports and focus. */
const BY_ITSELF =
  /\x1b(?:\[[?>=][\d;]*\$?[a-zA-Z]|\[\d+;\d+R|\[<[\d;]+[mM]|\[M[\s\S]{3}|\[[IO]|\[\d+(?:;\d+){0,2}t|[P\]_][^\x07\x1b]*(?:\x07|\x1b\\))/g;

export const isTyped = (bytes: Uint8Array): boolean => spoken(bytes) !== '';

/** What is left of these bytes when all that a terminal says by itself is taken out. */
export function spoken(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replace(BY_ITSELF, '');
}
