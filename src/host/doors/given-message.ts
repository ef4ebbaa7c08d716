/** The message that is being typed into an agent's input box, or waits for the proof that it was taken. One at a time. */
import type { SendReceipt } from '../../contract/index.js';
import { InTurn } from './in-turn.js';
import { echoed } from './signs.js';

export class GivenMessage {
  readonly #inTurn = new InTurn();
  /** `armed`: the agent was free after it was given; only from then on is its work a sign of it. */
  #given: { text: string; done: (evidence: string) => void; armed: boolean } | undefined;

  submit(asked: {
    text: string;
    first: (() => Promise<void>) | undefined;
    isFree: () => boolean;
    type: (text: string, evidence: Promise<string>) => Promise<SendReceipt>;
  }): Promise<SendReceipt> {
    const { text } = asked;
    return this.#inTurn.submit(() => {
      const evidence = new Promise<string>((done) => {
        this.#given = { text, done, armed: asked.isFree() };
      });
      return asked.type(text, evidence).finally(() => {
        // Whoever waits no longer must not take the proof of the next message.
        this.#given = undefined;
      });
    }, asked.first);
  }

  /** One is being typed, or waits for its proof. */
  get isGiven(): boolean {
    return this.#given !== undefined;
  }

  /** The agent can take a message. */
  free(): void {
    if (this.#given) this.#given.armed = true;
  }

  /** It works, and nothing better than its screen tells what on. */
  works(): void {
    if (this.#given?.armed) this.#given.done('screen');
  }

  /** The agent says what it was given: proof for the message that waits for it. */
  said(text: string, evidence: string): void {
    if (this.#given && echoed(text, this.#given.text)) this.#given.done(evidence);
  }

  /** `/exit` has no better proof than the exit. */
  exited(): void {
    if (this.#given?.text.startsWith('/')) this.#given.done('exit');
  }
}
