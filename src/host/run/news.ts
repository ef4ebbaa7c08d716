/**
 * Whether bytes of a terminal program tell anything new. A spinner draws the same few pieces round and round, a clock beside
 * it other figures: a program that hangs does both for hours. So what counts is letters, and pieces that were drawn lately
 * are none. The surprising thing: it reads bytes, not the screen, which is fed only while somebody looks.
 */
import { Strip } from '../../vt/strip.js';

/** A word that shimmers is drawn in some dozens of pieces, a page that is drawn anew as a whole in one. */
const MOST_KNOWN = 512;

export class News {
  readonly #strip = new Strip();
  readonly #text = new TextDecoder();
  /** In the order of their last use. */
  readonly #known = new Map<string, true>();

  isIn(chunk: Uint8Array): boolean {
    const text = this.#text.decode(this.#strip.feed(chunk), { stream: true });
    const letters = text.replace(/[^\p{L}]+/gu, '');
    if (letters === '') return false;
    const isNew = !this.#known.delete(letters);
    this.#known.set(letters, true);
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    return isNew;
  }
}
