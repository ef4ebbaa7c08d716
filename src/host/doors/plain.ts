/** The plain door of `exec`: bytes pass through untouched; text is typed, and interrupted, as a person would do it. */
import type { SendReceipt } from '../../contract/index.js';
import type { DoorAtWork } from './door.js';
import { InTurn } from './in-turn.js';
import type { QuietTerminal } from './quiet.js';

export class PlainDoor implements DoorAtWork {
  readonly hook = undefined;
  readonly lastWords = '';
  readonly blind = true;
  readonly #show: (chunk: Uint8Array, stream: 'out' | 'err') => void;
  readonly #type: (text: string) => Promise<SendReceipt>;
  readonly #interrupt: () => Promise<void>;
  #quiet: QuietTerminal | undefined;
  #ended = false;
  readonly #inTurn = new InTurn();

  constructor(options: {
    show: (chunk: Uint8Array, stream: 'out' | 'err') => void;
    type: (text: string) => Promise<SendReceipt>;
    interrupt: () => Promise<void>;
  }) {
    this.#show = options.show;
    this.#type = options.type;
    this.#interrupt = options.interrupt;
  }

  feed(chunk: Uint8Array, stream: 'out' | 'err'): void {
    this.#show(chunk, stream);
    this.#quiet?.heard(chunk);
  }

  end(): void {
    this.#ended = true;
    this.#quiet?.end();
  }

  /** From now on somebody looks for what is asked at the terminal. */
  watch(quiet: QuietTerminal | undefined): void {
    if (this.#ended) quiet?.end();
    else this.#quiet = quiet;
  }

  submit(text: string, first?: () => Promise<void>): Promise<SendReceipt> {
    return this.#inTurn.submit(() => this.#type(text), first);
  }

  async interrupt(): Promise<'told'> {
    await this.#interrupt();
    return 'told';
  }

  turnDone(): 'stay' {
    return 'stay';
  }
}
