/**
 * Whether a person looks at their terminal: reports of focus (mode 1004). A viewer has them switched on for itself, so who
 * asked for them must be told apart: a program that did not ask is not sent what it would take for keys.
 */

/** Switches the reports on, and off. */
export const FOCUS_ON = '\x1b[?1004h';
export const FOCUS_OFF = '\x1b[?1004l';

/** No sequence that sets modes is longer: as much as can be cut by the end of a read. */
const MOST_CUT = 64;

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** By a program's output: does it want reports? Costs one native search per piece of output. */
export class FocusWish {
  #wants = false;
  #tail = '';

  get wants(): boolean {
    return this.#wants;
  }

  saw(bytes: Uint8Array): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isCut = this.#tail !== '';
    if (isCut || view.includes('1004')) {
      const text = this.#tail + latin1(bytes);
      for (const [, modes, how] of text.matchAll(/\x1b\[\?([\d;]*)([hl])/g))
        if (modes!.split(';').includes('1004')) this.#wants = how === 'h';
    }
    const end = view.subarray(-MOST_CUT);
    const begun = end.lastIndexOf(0x1b);
    const cut = begun < 0 ? (isCut ? this.#tail : '') + latin1(end) : latin1(end.subarray(begun));
    this.#tail = /^\x1b(?:\[(?:\?[\d;]*)?)?$/.test(cut) && cut.length < MOST_CUT ? cut : '';
  }
}

/**
 * What a terminal sent, without its reports of focus, and what the last of them said. One that a read has cut in two stays
 * among the keys: waiting for its rest would make Esc late.
 */
export function withoutFocus(bytes: Uint8Array): { rest: Uint8Array; focused?: boolean } {
  if (bytes.length < 3 || !bytes.includes(0x1b)) return { rest: bytes };
  const text = latin1(bytes);
  const last = Math.max(text.lastIndexOf('\x1b[I'), text.lastIndexOf('\x1b[O'));
  if (last < 0) return { rest: bytes };
  return { rest: Buffer.from(text.replace(/\x1b\[[IO]/g, ''), 'latin1'), focused: text[last + 2] === 'I' };
}
