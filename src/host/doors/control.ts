/**
 * The control door: headless and two-way. Every approval and question is a request the agent waits for; each becomes an
 * inquiry, and its settlement is written back. If the agent withdraws a request, the inquiry goes with it.
 */
import type { Protocol, ProtocolStep } from '../../adapters/index.js';
import type { SendReceipt } from '../../contract/index.js';
import type { Asked } from '../desk.js';
import { type DoorAtWork, type DoorPorts, NO_MODEL, type TakesHook } from './door.js';
import { LastWords } from './last-words.js';

/** What is said last must reach the agent before it goes on without an answer. */
const lastMomentOf = (withinMs: number): number => withinMs - Math.min(2_000, withinMs / 10);

export class ControlDoor implements DoorAtWork {
  readonly hook: TakesHook | undefined;
  readonly #protocol: Protocol;
  readonly #ports: DoorPorts;
  #asked = new Map<string, Asked>();
  #busy = true;
  /** Messages that still have a turn of their own to come. */
  #owed = 0;
  readonly #words = new LastWords();

  constructor(options: { protocol: Protocol; ports: DoorPorts; hook?: TakesHook | undefined }) {
    this.#protocol = options.protocol;
    this.#ports = options.ports;
    this.hook = options.hook;
  }

  get lastWords(): string {
    return this.#words.text;
  }

  /** What waits for an answer, the oldest. */
  get asking(): Asked | undefined {
    return this.#asked.values().next().value;
  }

  open(prompt: string | undefined): void {
    this.#take(this.#protocol.open(prompt));
  }

  feed(chunk: Uint8Array, stream: 'out' | 'err'): void {
    if (stream === 'err') this.#words.add(chunk);
    else this.#take(this.#protocol.feed(chunk));
  }

  end(): void {
    this.#take(this.#protocol.end());
    for (const asked of this.#asked.values()) asked.withdraw('the agent ended');
    this.#asked.clear();
  }

  async submit(text: string): Promise<SendReceipt> {
    const queued = this.#busy;
    this.#owed += 1;
    const written = await this.#write(this.#protocol.submit(text));
    if (!written) {
      // No turn comes for it: nobody may wait for one.
      this.#owed = Math.max(0, this.#owed - 1);
      return { verdict: 'refused', reason: 'the agent takes no more messages' };
    }
    this.#busy = true;
    return { verdict: queued ? 'queued' : 'submitted', evidence: 'protocol' };
  }

  async model(name: string): Promise<SendReceipt> {
    const steps = this.#protocol.model?.(name);
    if (!steps) return { verdict: 'refused', reason: NO_MODEL };
    const written = await this.#write(steps);
    return written
      ? { verdict: 'submitted', evidence: 'protocol' }
      : { verdict: 'refused', reason: 'the agent takes no more messages' };
  }

  /** The agent waits for the next message: if there is none, the end of its input tells it to leave. */
  turnDone(): 'stay' | 'end-input' {
    if (this.#owed === 0) return 'end-input';
    this.#owed -= 1;
    return 'stay';
  }

  /** Between turns there is nothing to interrupt. */
  async interrupt(): Promise<'told'> {
    if (!this.#busy && this.#asked.size === 0) return 'told';
    await this.#write(this.#protocol.interrupt());
    // Whatever the protocol did not take back itself still waits for a word: it is a no.
    for (const [key, asked] of [...this.#asked]) {
      this.#asked.delete(key);
      asked.withdraw('the turn was interrupted');
      const no = { verdict: { kind: 'deny' as const }, reason: 'The turn was interrupted.', interrupt: true };
      await this.#write(this.#protocol.settle(key, no));
    }
    return 'told';
  }

  #take(steps: ProtocolStep[]): void {
    for (const step of steps) {
      if (step.do === 'output') this.#said(step.output);
      else if (step.do === 'write') void this.#writeLate(step.bytes);
      else if (step.do === 'ask') this.#ask(step);
      else {
        this.#asked.get(step.key)?.withdraw(step.reason, step.there);
        this.#asked.delete(step.key);
      }
    }
  }

  /** Said without anybody waiting for it: if a turn was to begin with it, whoever waits for that turn is told. */
  async #writeLate(bytes: string): Promise<void> {
    if ((await this.#ports.write(bytes)) === 'written' || this.#protocol.unsent?.(bytes) !== true) return;
    this.#said({ kind: 'done', ok: false, reason: 'the message did not reach the agent: it takes no more' });
  }

  #said(output: Extract<ProtocolStep, { do: 'output' }>['output']): void {
    if (output.kind === 'done') this.#busy = false;
    this.#ports.said(output);
  }

  #ask(step: Extract<ProtocolStep, { do: 'ask' }>): void {
    const { inquiry, withinMs } = step;
    const asked = this.#ports.ask(inquiry, withinMs === undefined ? {} : { deadlineMs: lastMomentOf(withinMs) });
    this.#asked.set(step.key, asked);
    void asked.settled.then(async (settled) => {
      if (!settled || !this.#asked.delete(step.key)) return;
      const steps = this.#protocol.settle(step.key, settled);
      const told = (await this.#write(steps)) && steps.some((one) => one.do === 'write');
      if (told) asked.delivered();
      else asked.withdraw('the agent was gone before it could be told');
    });
  }

  async #write(steps: ProtocolStep[]): Promise<boolean> {
    let ok = true;
    for (const step of steps) {
      if (step.do !== 'write') this.#take([step]);
      else if ((await this.#ports.write(step.bytes)) !== 'written') {
        this.#protocol.unsent?.(step.bytes);
        ok = false;
      }
    }
    return ok;
  }
}
