/**
 * What is said to the agent by command: a message goes through the session's queue, where there is an agent to be spoken with;
 * the same message twice under one key is one; keys by name are pressed as they are. A paused agent gets none.
 */
import {
  type Clock,
  type Entry,
  newNonce,
  once,
  type SendReceipt,
  type SessionId,
  type SessionState,
  type ViewerId,
} from '../contract/index.js';
import { isEmpty, type Journal } from '../journal/journal.js';
import { parseKeys } from '../terminal/keys.js';
import type { Work } from './modes/work.js';
import type { MessageQueue, NewMessage } from './queue.js';

export interface TypedMessage {
  by: 'human' | 'api';
  viewer?: ViewerId;
  key?: string;
}

/** Idempotency keys remembered: a retry comes within minutes, not after a thousand other messages. */
const MOST_KEYS = 1000;

const NOT_SPOKEN_WITH: SendReceipt = {
  verdict: 'refused',
  reason: 'a loop is not spoken with: give it guidance for its next iteration (`reins guide`)',
};

const NO_MODEL_IN_LOOP: SendReceipt = {
  verdict: 'refused',
  reason: 'a loop starts its agent anew each time: name the model when it is started (`-- --model NAME`)',
};

export const loadQueue = once(() => import('./queue.js'));

export interface MessagesPorts {
  session(): SessionId;
  paused(): boolean;
  work(): Work;
  state(): SessionState;
  journal: Journal;
  clock: Clock;
  before: Iterable<Entry>;
}

export class Messages {
  readonly #ports: MessagesPorts;
  #typed = new Map<string, Promise<SendReceipt>>();
  #queue: MessageQueue | undefined;
  #reason: string | undefined;

  constructor(ports: MessagesPorts) {
    this.#ports = ports;
  }

  /** A session that goes on may have messages that waited; a loop has none, and a night's journal is long to read. */
  begin(): void {
    const { work, before } = this.#ports;
    if (work().takes !== undefined && !isEmpty(before)) void this.queue().catch(() => undefined); // it fails again where it is told
  }

  /** Made when it is first wanted. */
  async queue(): Promise<MessageQueue> {
    const { MessageQueue: Queue } = await loadQueue();
    if (this.#queue) return this.#queue;
    const { journal, clock, before, paused, work } = this.#ports;
    const made = new Queue(
      {
        journal,
        clock,
        // What is being ended looks at rest for a moment.
        isFree: () => !paused() && !work().isStopping && (work().takes === 'now' || work().takes === 'blind'),
        isWorking: () => this.#ports.state() === 'working',
        isPaused: () => paused(),
        mayTake: async () => (await work().mayTake?.()) ?? true,
        submit: (text, options) => work().submit(text, options),
      },
      before,
    );
    this.#queue = made;
    if (this.#reason !== undefined) await made.end(this.#reason);
    return made;
  }

  look(): void {
    this.#queue?.look();
  }

  keyOf(prompt: string): string | undefined {
    return this.#queue?.keyOf(prompt);
  }

  async end(reason: string): Promise<void> {
    this.#reason = reason;
    await this.#queue?.end(reason);
  }

  /** `blind`: what takes it is not looked at, and may be a password prompt: nothing of it is kept. */
  async message(message: NewMessage): Promise<SendReceipt> {
    const { takes } = this.#ports.work();
    if (takes === undefined) return NOT_SPOKEN_WITH;
    if (takes !== 'blind') return (await this.queue()).add(message);
    const { key, text, viewer } = message;
    return this.submitOnce(text, { by: 'human', key, ...(viewer === undefined ? {} : { viewer }) });
  }

  /** One that was not typed for a pause may still be sent. */
  submitOnce(text: string, options: TypedMessage): Promise<SendReceipt> {
    const { key } = options;
    const known = key === undefined ? undefined : this.#typed.get(key);
    if (known) return known;
    if (this.#ports.paused()) return Promise.resolve(this.#heldBack());
    const receipt = this.#submit(text, options);
    if (key !== undefined) {
      this.#typed.set(key, receipt);
      if (this.#typed.size > MOST_KEYS) this.#typed.delete(this.#typed.keys().next().value!);
    }
    return receipt;
  }

  /** An agent that starts is waited for, and one that asks says what to do instead: that is told by who would type it. */
  async #submit(text: string, options: TypedMessage): Promise<SendReceipt> {
    const { work, state } = this.#ports;
    const { takes } = work();
    // Where nobody can look at a screen, nothing better than to wait could be said.
    const waits = state() === 'working' || this.#queue?.isEmpty === false || work().terminal === undefined;
    const isQueued = takes === 'now' || (takes === 'later' && waits);
    if (!isQueued || (state() === 'asking' && work().terminal)) return work().submit(text, options);
    const { key = `send-${newNonce()}${newNonce()}`, viewer } = options;
    return (await this.queue()).add({ key, text, ...(viewer === undefined ? {} : { viewer }) });
  }

  async model(name: string): Promise<SendReceipt> {
    if (this.#ports.paused()) return this.#heldBack();
    return (await this.#ports.work().model?.(name)) ?? NO_MODEL_IN_LOOP;
  }

  /** Keys by their names. Throws USAGE for one that nobody knows. */
  async press(names: string, viewer: ViewerId): Promise<SendReceipt> {
    const keys = parseKeys(names);
    return this.#ports.paused() ? this.#heldBack() : this.#ports.work().keys(keys, viewer);
  }

  /** Nobody reads in a paused session: what is typed would wait unseen, and act whenever it goes on. */
  #heldBack(): SendReceipt {
    return {
      verdict: 'refused',
      reason: `the session is paused; nothing was typed. Let it go on first: reins resume ${this.#ports.session()}`,
    };
  }
}
