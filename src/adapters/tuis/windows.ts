/**
 * Dialogs that show a part of something long: the part grows, shrinks and moves while the dialog stays the same. Two
 * pictures with the same heading and options are one dialog if all that one of them shows stands in the other as well.
 */
import { keyOf } from './screen-text.js';

/** More pictures of one dialog than anyone has seen. */
const MOST_REMEMBERED = 16;

export class Windows {
  #seen: { frame: string; shown: string; key: string }[] = [];

  /** `frame`: what does not move. Stable while the same dialog stays open. */
  keyOf(frame: string[], content: string[]): string {
    const about = frame.join('\n');
    const shown = `\n${content.map((line) => line.replace(/\s+/g, '')).join('\n')}\n`;
    const known = this.#seen.find(
      (one) => one.frame === about && (one.shown.includes(shown) || shown.includes(one.shown)),
    );
    const key = known?.key ?? keyOf('approval', [...frame, ...content]);
    if (known?.shown !== shown) this.#seen = [...this.#seen, { frame: about, shown, key }].slice(-MOST_REMEMBERED);
    return key;
  }

  /** Nothing is asked any more: what comes next is new. */
  forget(): void {
    this.#seen = [];
  }
}
