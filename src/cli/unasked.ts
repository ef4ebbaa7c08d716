/**
 * Leaves out of a recording what its program asked its terminal: what are you, where is the cursor, which colours. The
 * terminal it is played on would answer, nobody waits for the answers any more, and they would stand on the user's next
 * command line as if typed. Works piece by piece: a question may be cut by the border of two.
 */

/** Device attributes and status, modes, versions, sizes and titles, keyboard and graphics capabilities. */
const CSI_QUERY =
  /(?:\x1b\[|\u009b)(?:[>=]?[\d;]*c|\??[\d;]*n|>[\d;]*q|\?u|\?[\d;]*m|\?[\d;]*S|\??[\d;]*\$p|(?:1[1-9]|2[01])(?:;[\d;]*)?t|[\d;]*(?:\*y|\$[uw]|&u|"v|#R|x))/g;
/** A colour, a clipboard: whatever is set with `?` is asked for. */
const OSC_QUERY = /\x1b\](?:[^\x07\x1b]*;)?\?(?:;[^\x07\x1b]*)?(?:\x07|\x1b\\)/g;
/** A setting, a capability, whether pictures are understood. */
const STRING_QUERY = /\x1b(?:P[\d;]*[$+]q|_G[^;\x1b]*a=q)[^\x1b]*\x1b\\/g;
/** Enquiry, and the oldest way to ask who is there. */
const OLD_QUERY = /\x05|\x1bZ/g;

const UNFINISHED = /(?:\x1b(?:\[[0-?]*[ -/]*|[\]P_][^\x07\x1b]*\x1b?)?|\u009b[0-?]*[ -/]*)$/;

/** No question is longer; a picture may be, and is not held back for it. */
const LONGEST_HELD = 4096;

export class Unasked {
  #held = '';

  /** The text without its questions; the begin of one that is not complete is kept for the next piece. */
  feed(piece: string): string {
    const text = this.#held + piece;
    const cut = UNFINISHED.exec(text)?.index ?? text.length;
    const at = text.length - cut > LONGEST_HELD ? text.length : cut;
    this.#held = text.slice(at);
    return [STRING_QUERY, OSC_QUERY, CSI_QUERY, OLD_QUERY].reduce(
      (rest, query) => rest.replace(query, ''),
      text.slice(0, at),
    );
  }
}
