/** The stream door: headless and one-way. The agent is read, never written to; a message or an interrupt has no way in. */
import type { Decoder, SendReceipt } from '../../contract/index.js';
import type { DoorAtWork, DoorPorts, TakesHook } from './door.js';
import { LastWords } from './last-words.js';

export class StreamDoor implements DoorAtWork {
  readonly hook: TakesHook | undefined;
  readonly #decoder: Decoder;
  readonly #ports: Pick<DoorPorts, 'said'>;
  readonly #words = new LastWords();

  constructor(options: { decoder: Decoder; ports: Pick<DoorPorts, 'said'>; hook?: TakesHook | undefined }) {
    this.#decoder = options.decoder;
    this.#ports = options.ports;
    this.hook = options.hook;
  }

  get lastWords(): string {
    return this.#words.text;
  }

  feed(chunk: Uint8Array, stream: 'out' | 'err'): void {
    if (stream === 'err') this.#words.add(chunk);
    else for (const output of this.#decoder.feed(chunk)) this.#ports.said(output);
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

  interrupt(): Promise<'deaf'> {
    return Promise.resolve('deaf');
  }

  /** It leaves by itself: its turn is all there is. */
  turnDone(): 'stay' {
    return 'stay';
  }
}
