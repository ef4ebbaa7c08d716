/**
 * Messages that wait for the agent: one line of them per session, for every way it is spoken with. Nothing is typed into a turn
 * that runs. One at a time goes to the agent, by the one way there is to submit, once it can take it, in order, each once: a key
 * names it, and the journal is the truth of it, also for the next host (`queue-fold.ts`).
 */
import {
  type Clock,
  type Entry,
  type QueuedMessage,
  ReinsError,
  type SendReceipt,
  type ViewerId,
} from '../contract/index.js';
import type { Journal } from '../journal/journal.js';
import { echoed } from './doors/signs.js';
import { droppedReceipt, foldMessages, type KnownMessage, moved } from './queue-fold.js';

const MOST_MESSAGES = 100;
const MOST_BYTES = 4 * 1024 * 1024;
/** Keys remembered: who sends again does so within minutes, not after a thousand other messages. */
const MOST_KEYS = 1000;
/** An agent that rests and cannot take a message (its picture moves, a page is open, a person types) is looked at again: */
const LOOK_SOON_MS = 200;
/** So often soon, then less often. */
const MOST_SOON = 10;
const LOOK_AGAIN_MS = 2_000;
const MOST_LOOKING_MS = 5_000;
/** What is being sent when the agent goes may be what it went for: its verdict comes with its end. */
const MOST_VERDICT_MS = 2_000;
/** A message begins a turn within this time, or it was one that begins none, like a slash command. */
const TURN_BEGINS_MS = 2_000;
/** Refused so often although it looked ready: it is not taken at all, and must not hold up the others. */
const MOST_TRIES = 5;
/** Given to the agent, and not yet seen in its own record. */
const MOST_UNSEEN = 20;

export interface QueuePorts {
  journal: Pick<Journal, 'append'>;
  clock: Clock;
  /** Whether a message would be its next turn now. */
  isFree(): boolean;
  isWorking(): boolean;
  isPaused(): boolean;
  mayTake(): Promise<boolean>;
  submit(text: string, options: { key: string; by: 'human' | 'api'; viewer?: ViewerId }): Promise<SendReceipt>;
}

export interface NewMessage {
  key: string;
  text: string;
  by?: string;
  viewer?: ViewerId;
}

interface LineMessage extends KnownMessage {
  tries: number;
  /** Tells whoever waits for the first word on it. */
  tell(receipt: SendReceipt): void;
  told: Promise<SendReceipt>;
}

const WORKS = 'the agent was working';
const NOT_READY = 'the agent is not ready yet';
const STANDS_STILL = 'the session stands still: it is given when it goes on (reins resume)';

export class MessageQueue {
  readonly #ports: QueuePorts;
  #waiting: LineMessage[] = [];
  #sending: LineMessage | undefined;
  #verdict: Promise<SendReceipt> | undefined;
  readonly #done: Map<string, SendReceipt>;
  #unseen: { key: string; text: string }[] = [];
  #over = false;
  #isPumping = false;
  #again = false;
  /** Since the last one was given, the agent was seen at work. */
  #hasWorked = true;
  #heldUntil = 0;
  /** Looks in vain, one after the other. */
  #looks = 0;
  #cancelLook: (() => void) | undefined;

  constructor(ports: QueuePorts, before: Iterable<Entry> = []) {
    this.#ports = ports;
    const { waiting, done, cut } = foldMessages(before);
    this.#done = new Map([...done].slice(-MOST_KEYS));
    this.#waiting = waiting.map(fresh);
    if (cut?.proven) this.#sent(cut.message.key, { verdict: 'submitted', evidence: 'transcript' });
    else if (cut) this.#drop(cut.message.key, 'unknown');
    if (this.#waiting.length > 0) this.look();
  }

  list(): QueuedMessage[] {
    const shown = this.#sending ? [this.#sending, ...this.#waiting] : this.#waiting;
    return shown.map(({ key, text, queuedAt, by }) => ({
      key,
      text,
      queued_at: queuedAt,
      ...(by === undefined ? {} : { by }),
      ...(key === this.#sending?.key ? { sending: true } : {}),
    }));
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#sending === undefined;
  }

  /** Contract: on record before this returns. The same key again is the same message. */
  async add(message: NewMessage): Promise<SendReceipt> {
    const { key, text } = message;
    const done = this.#done.get(key);
    if (done) return done;
    if (this.#sending?.key === key) return this.#sending.told;
    if (this.#waiting.some((one) => one.key === key)) return { verdict: 'queued', reason: 'it waits already' };
    const refused = this.#refuses(text);
    if (refused !== undefined) return { verdict: 'refused', reason: refused };
    // One that was just given may begin a turn or not: that is seen soon, and waited for.
    const isNext = this.isEmpty && this.#ports.isFree();
    const { journal, clock } = this.#ports;
    journal.append('message.queued', message);
    const waiting = fresh({ ...message, queuedAt: new Date(clock.now()).toISOString() });
    this.#waiting.push(waiting);
    this.look();
    return isNext ? waiting.told : { verdict: 'queued', reason: this.#why() };
  }

  #why(): string {
    if (this.#ports.isPaused()) return STANDS_STILL;
    return this.#ports.isWorking() ? WORKS : NOT_READY;
  }

  #refuses(text: string, instead = ''): string | undefined {
    if (this.#over) return 'the session has ended';
    if (text.trim() === '') return 'there is nothing to send: the text is empty';
    const bytes = this.#waiting.reduce((sum, one) => sum + Buffer.byteLength(one.text), Buffer.byteLength(text));
    if (bytes - Buffer.byteLength(instead) > MOST_BYTES) return `more than ${MOST_BYTES} bytes would wait`;
    if (instead === '' && this.#waiting.length >= MOST_MESSAGES) return `${MOST_MESSAGES} messages wait already`;
    return undefined;
  }

  /** Contract: these three throw MESSAGE_NOT_WAITING for one that is sent, being sent, or was never there. */
  edit(key: string, text: string): void {
    const message = this.#find(key);
    const problem = this.#refuses(text, message.text);
    if (problem !== undefined) throw new ReinsError('USAGE', { problem, fix: 'send less, or cancel it' });
    message.text = text;
    this.#ports.journal.append('message.queued', { key, text, edited: true });
  }

  move(key: string, before: string | null): void {
    this.#find(key);
    if (before !== null) this.#find(before);
    this.#waiting = moved(this.#waiting, key, before);
    this.#ports.journal.append('message.moved', { key, before });
  }

  cancel(key: string, by?: string): void {
    this.#find(key);
    this.#drop(key, 'cancelled', undefined, by);
  }

  #find(key: string): LineMessage {
    const message = this.#waiting.find((one) => one.key === key);
    if (message) return message;
    const how =
      this.#sending?.key === key ? 'it is being sent' : (this.#done.get(key)?.reason ?? this.#done.get(key)?.verdict);
    throw new ReinsError('MESSAGE_NOT_WAITING', { key, how: how ?? 'there is none of this key' });
  }

  /** Something changed: the agent's state, what is asked, a pause. */
  look(): void {
    if (!this.#ports.isFree()) {
      this.#hasWorked = true;
      this.#heldUntil = 0;
      // A turn's end is told; what else keeps it from taking a message may go without a word.
      if (this.#waiting.length > 0 && !this.#over) this.#lookIn(LOOK_AGAIN_MS);
    }
    this.#again = true;
    if (!this.#isPumping) void this.#pump();
  }

  #isFree(): boolean {
    return !this.#over && this.#ports.isFree() && this.#ports.clock.now() >= this.#heldUntil;
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    while (this.#again) {
      this.#again = false;
      while (this.#waiting.length > 0 && this.#isFree()) {
        if (!(await this.#mayTake())) {
          this.#later('it cannot take a message just now', this.#looks < MOST_SOON ? LOOK_SOON_MS : LOOK_AGAIN_MS);
          this.#looks += 1;
          break;
        }
        const [next] = this.#waiting;
        if (next && this.#isFree() && !(await this.#give(next))) break;
      }
    }
    this.#isPumping = false;
  }

  /** Whether the line moves on. */
  async #give(message: LineMessage): Promise<boolean> {
    const { journal, submit } = this.#ports;
    const { key, text, viewer } = message;
    this.#waiting = this.#waiting.filter((one) => one !== message);
    this.#sending = message;
    this.#hasWorked = false;
    this.#looks = 0;
    journal.append('message.sending', { key });
    this.#unseen = [...this.#unseen.slice(1 - MOST_UNSEEN), { key, text }];
    const options = { key, by: message.by === undefined ? ('api' as const) : ('human' as const) };
    this.#verdict = submit(text, viewer === undefined ? options : { ...options, viewer: viewer as ViewerId }).catch(
      (error: Error): SendReceipt => ({ verdict: 'refused', reason: error.message }),
    );
    const receipt = await this.#verdict;
    // What becomes of it is told with the session's end.
    if (this.#over) return false;
    this.#sending = undefined;
    if (receipt.verdict === 'refused') return this.#keep(message, receipt.reason ?? 'refused');
    this.#sent(key, receipt);
    message.tell(receipt);
    if (!this.#hasWorked && this.#ports.isFree()) {
      this.#hold(TURN_BEGINS_MS);
    }
    return true;
  }

  /** Nothing of it was sent: it stays the next one. */
  #keep(message: LineMessage, reason: string): boolean {
    this.#unseen = this.#unseen.filter((one) => one.key !== message.key);
    message.tries += 1;
    if (message.tries >= MOST_TRIES) {
      this.#drop(message.key, 'refused', reason);
      message.tell({ verdict: 'refused', reason });
      return true;
    }
    this.#ports.journal.append('message.kept', { key: message.key, reason });
    this.#waiting.unshift(message);
    this.#later(reason, LOOK_AGAIN_MS);
    return false;
  }

  #later(reason: string, ms: number): void {
    for (const message of this.#waiting) message.tell({ verdict: 'queued', reason });
    this.#hold(ms);
  }

  /** Nothing is given to it for so long, unless it is seen at work meanwhile. */
  #hold(ms: number): void {
    const { clock } = this.#ports;
    this.#heldUntil = clock.now() + ms;
    this.#lookIn(ms);
  }

  #lookIn(ms: number): void {
    this.#cancelLook?.();
    this.#cancelLook = this.#ports.clock.after(ms, () => this.look());
  }

  /** A screen that cannot be looked at must not hold up the line for ever. */
  #mayTake(): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.after(MOST_LOOKING_MS, () => resolve(false));
      const settle = (may: boolean): void => {
        cancel();
        resolve(may);
      };
      this.#ports.mayTake().then(settle, () => settle(false));
    });
  }

  #sent(key: string, receipt: SendReceipt): void {
    this.#ports.journal.append('message.sent', { key, ...receipt });
    this.#remember(key, receipt);
  }

  #drop(key: string, how: Parameters<typeof droppedReceipt>[0], reason?: string, by?: string): void {
    const why = { ...(reason === undefined ? {} : { reason }), ...(by === undefined ? {} : { by }) };
    this.#ports.journal.append('message.dropped', { key, how, ...why });
    const receipt = droppedReceipt(how, reason);
    this.#waiting.find((one) => one.key === key)?.tell(receipt);
    this.#waiting = this.#waiting.filter((one) => one.key !== key);
    this.#remember(key, receipt);
  }

  #remember(key: string, receipt: SendReceipt): void {
    this.#done.set(key, receipt);
    if (this.#done.size > MOST_KEYS) this.#done.delete(this.#done.keys().next().value!);
  }

  /** The key of what the agent's own record says it was given; each is found once. */
  keyOf(prompt: string): string | undefined {
    const found = this.#unseen.find(({ text }) => echoed(prompt, text));
    if (found) this.#unseen = this.#unseen.filter((one) => one !== found);
    return found?.key;
  }

  #lastVerdict(): Promise<SendReceipt | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.after(MOST_VERDICT_MS, () => resolve(undefined));
      void this.#verdict?.then((receipt) => {
        cancel();
        resolve(receipt);
      });
    });
  }

  /** The session is over: what still waits is dropped, and told. */
  async end(reason: string): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.#cancelLook?.();
    const sending = this.#sending;
    if (sending) {
      const receipt = await this.#lastVerdict();
      const isSeen = !this.#unseen.some(({ key }) => key === sending.key);
      if (receipt?.verdict === 'submitted') this.#sent(sending.key, receipt);
      else if (isSeen) this.#sent(sending.key, { verdict: 'submitted', evidence: 'transcript' });
      else this.#drop(sending.key, 'unknown', `the session ended while it was being sent (${reason})`);
      sending.tell(this.#done.get(sending.key)!);
    }
    for (const { key } of [...this.#waiting])
      this.#drop(key, 'ended', `the session ended before it was sent (${reason})`);
  }
}

function fresh(message: KnownMessage): LineMessage {
  let tell: LineMessage['tell'] = () => undefined;
  const told = new Promise<SendReceipt>((resolve) => {
    tell = resolve;
  });
  return { ...message, tries: 0, tell, told };
}
