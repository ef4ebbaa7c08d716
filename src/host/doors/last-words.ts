/** The tail of what an agent printed on its standard error, kept for the message when it fails. */
import { stripAnsi } from '../../vt/strip.js';

const MOST_BYTES = 4 * 1024;

export class LastWords {
  #bytes = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-MOST_BYTES);
  }

  get text(): string {
    return Buffer.from(stripAnsi(this.#bytes)).toString('utf8');
  }
}
