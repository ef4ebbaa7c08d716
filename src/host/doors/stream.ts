/** The stream door: headless and one-way. The agent is read, never written to; a message or an interrupt has no way in. */
import type { Decoder, SendReceipt } from '../../contract/index.js';
import { stripAnsi } from '../../vt/index.js';
import type { DoorAtWork, DoorPorts } from './door.js';

/** What an agent printed on its standard error, kept for the error message when it fails. */
const LAST_WORDS_BYTES = 4 * 1024;

export class StreamDoor implements DoorAtWork {
  readonly #decoder: Decoder;
  readonly #ports: DoorPorts;
  #lastWords = Buffer.alloc(0);

  constructor(options: { decoder: Decoder; ports: DoorPorts }) {
    this.#decoder = options.decoder;
    this.#ports = options.ports;
  }

  /** The tail of standard error. */
  get lastWords(): string {
    return Buffer.from(stripAnsi(this.#lastWords)).toString('utf8');
  }

  feed(chunk: Uint8Array, stream: 'out' | 'err'): void {
    if (stream === 'err') {
      this.#lastWords = Buffer.concat([this.#lastWords, chunk]).subarray(-LAST_WORDS_BYTES);
      return;
    }
    for (const output of this.#decoder.feed(chunk)) this.#ports.said(output);
  }

  end(): void {
    for (const output of this.#decoder.end()) this.#ports.said(output);
  }

  submit(): Promise<SendReceipt> {
    return Promise.resolve({
      verdict: 'refused',
      reason: 'this agent runs headless and takes no messages; use `reins guide`',
    });
  }

  interrupt(): Promise<void> {
    return Promise.resolve();
  }
}
