/**
 * Messages for one input box, one after the other, in the order they came: a text is pasted only when the one before it has
 * been taken, or given up. Two at once would be glued together, or the second would clear the first away.
 */
import type { SendReceipt } from '../../contract/index.js';

/** More than anyone sends on purpose: a sender that does not wait for its verdicts is told to. */
const MOST_WAITING = 100;

export class InTurn {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** `first` is done when its turn has come, right before it is typed. */
  submit(type: () => Promise<SendReceipt>, first?: () => Promise<void>): Promise<SendReceipt> {
    if (this.#waiting >= MOST_WAITING)
      return Promise.resolve({ verdict: 'refused', reason: `${MOST_WAITING} messages wait to be typed already` });
    const begin = first ? () => first().then(type) : type;
    const begun = this.#waiting === 0 ? begin() : this.#last.then(begin);
    this.#waiting += 1;
    const receipt = begun.finally(() => {
      this.#waiting -= 1;
    });
    this.#last = receipt.catch(() => undefined); // told to whoever sent it
    return receipt;
  }
}
