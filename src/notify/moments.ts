/**
 * When somebody is told of what, from the journal alone: an inquiry that still waits after a moment (what rules settle is
 * never sent), once per notifier and stage; that it is settled, to whoever was told; an end, a usage limit. Never a storm, and
 * nothing in quiet hours: what still waits afterwards is told then.
 */
import type { Answer, Clock, Entry, Inquiry, Progress } from '../contract/index.js';
import { isQuiet, quietFor } from './quiet-hours.js';

export interface MomentsPorts {
  clock: Clock;
  on: readonly string[];
  quietHours: string | undefined;
  notifiers: readonly { name: string; always: boolean }[];
  /** Whether a person can answer here and now. */
  present(): Promise<boolean>;
  waits(notifier: string, inquiry: Inquiry, progress: Partial<Progress>): void;
  settled(notifier: string, inquiry: Inquiry, answer: Answer | undefined): void;
  ended(notifier: string, data: Entry<'session.ended'>['data']): void;
  limited(notifier: string, limit: { message: string; until?: string }): void;
  /** Told once per burst. */
  tooMany(perMinutes: number): void;
}

interface Untold {
  inquiry: Inquiry;
  progress: Partial<Progress>;
  /** By notifier: the stages it was told of. */
  told: Map<string, Set<string>>;
  /** Somebody was there when it was first looked at, and got time to answer. */
  wasSpared: boolean;
  cancel(): void;
}

/** Rules, memory and a person who is quick need no message. */
const SETTLE_MS = 1_500;
/** Whoever sits there answers sooner; whoever does not is away from an open terminal. */
const SPARE_MS = 30_000;
const [MOST_TOLD, BURST_MS] = [20, 10 * 60_000];
/** A limit without a known end is told again after this long at the earliest. */
const LIMIT_AGAIN_MS = 30 * 60_000;
/** The clocks may be changed in the night. */
const LONGEST_SLEEP_MS = 60 * 60_000;

const NOTHING = (): void => undefined;
const dated = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

export class Moments {
  readonly #ports: MomentsPorts;
  #open = new Map<string, Untold>();
  /** When inquiries were told of, lately. */
  #sentAt: number[] = [];
  #isCrowded = false;
  #limit: { until: string | undefined; at: number } | undefined;

  constructor(ports: MomentsPorts) {
    this.#ports = ports;
  }

  told(entry: Entry): void {
    switch (entry.type) {
      case 'inquiry.opened':
        if (this.#ports.on.includes('inquiry')) this.#opened(entry.data.inquiry);
        return;
      case 'inquiry.moved':
        this.#moved(entry.data);
        return;
      case 'inquiry.answered':
        this.#settled(entry.data.answer.inquiry, entry.data.answer);
        return;
      case 'inquiry.closed':
        this.#settled(entry.data.inquiry, undefined);
        return;
      case 'loop.limited':
        this.#limited({ message: entry.data.message, until: dated(entry.data.until) });
        return;
      case 'state.changed':
        if (entry.data.agent_state === 'limited')
          this.#limited({ message: entry.data.detail ?? 'it is at its usage limit', until: entry.data.until });
        return;
      case 'session.ended':
        // A person who stopped it knows.
        if (this.#ports.on.includes('ended') && entry.data.outcome !== 'stopped')
          for (const { name } of this.#awake()) this.#ports.ended(name, entry.data);
    }
  }

  close(): void {
    for (const waiting of this.#open.values()) waiting.cancel();
    this.#open.clear();
  }

  #opened(inquiry: Inquiry): void {
    const waiting: Untold = { inquiry, progress: {}, told: new Map(), wasSpared: false, cancel: NOTHING };
    this.#open.set(inquiry.id, waiting);
    this.#later(waiting, SETTLE_MS);
  }

  #moved({ inquiry, suggestion: _, ...progress }: Entry<'inquiry.moved'>['data']): void {
    const waiting = this.#open.get(inquiry);
    if (!waiting) return;
    waiting.progress = progress;
    // While another agent is asked, nobody is wanted.
    if (progress.stage === 'consulting') waiting.cancel();
    else this.#later(waiting, SETTLE_MS);
  }

  #settled(id: string, answer: Answer | undefined): void {
    const waiting = this.#open.get(id);
    if (!waiting) return;
    this.#open.delete(id);
    waiting.cancel();
    for (const { name } of this.#awake())
      if (waiting.told.has(name)) this.#ports.settled(name, waiting.inquiry, answer);
  }

  #later(waiting: Untold, ms: number): void {
    waiting.cancel();
    waiting.cancel = this.#ports.clock.after(ms, () => void this.#look(waiting));
  }

  async #look(waiting: Untold): Promise<void> {
    if (!waiting.wasSpared) {
      waiting.wasSpared = true;
      const present = await this.#ports.present().catch(() => false);
      if (!this.#waits(waiting)) return;
      if (present) {
        this.#later(waiting, SPARE_MS);
        return;
      }
    }
    const { clock, quietHours, notifiers } = this.#ports;
    const crowdedMs = this.#crowdedFor();
    if (crowdedMs > 0) {
      if (!this.#isCrowded) this.#ports.tooMany(BURST_MS / 60_000);
      this.#isCrowded = true;
      this.#later(waiting, crowdedMs);
      return;
    }
    this.#isCrowded = false;
    const awake = this.#awake();
    const stage = waiting.progress.stage ?? 'asking';
    for (const { name } of awake) {
      const told = waiting.told.get(name) ?? new Set();
      if (told.has(stage)) continue;
      waiting.told.set(name, told.add(stage));
      this.#ports.waits(name, waiting.inquiry, waiting.progress);
    }
    if (awake.length > 0) this.#sentAt.push(clock.now());
    if (awake.length < notifiers.length)
      this.#later(waiting, Math.min(Math.max(quietFor(quietHours, clock.now()), 1_000), LONGEST_SLEEP_MS));
  }

  #waits(waiting: Untold): boolean {
    return this.#open.get(waiting.inquiry.id) === waiting && waiting.progress.stage !== 'consulting';
  }

  #crowdedFor(): number {
    const now = this.#ports.clock.now();
    // What lies ahead was sent before the clock was set back.
    this.#sentAt = this.#sentAt.filter((at) => at <= now && now - at < BURST_MS);
    return this.#sentAt.length < MOST_TOLD ? 0 : this.#sentAt[0]! + BURST_MS - now;
  }

  #limited({ message, until }: { message: string; until?: string | undefined }): void {
    const { on, clock } = this.#ports;
    const now = clock.now();
    const isNews =
      this.#limit?.until !== until || (until === undefined && Math.abs(now - this.#limit!.at) > LIMIT_AGAIN_MS);
    if (!on.includes('limit') || (this.#limit && !isNews)) return;
    this.#limit = { until, at: now };
    for (const { name } of this.#awake()) this.#ports.limited(name, { message, ...(until ? { until } : {}) });
  }

  #awake(): readonly { name: string; always: boolean }[] {
    const { clock, quietHours, notifiers } = this.#ports;
    return isQuiet(quietHours, clock.now()) ? notifiers.filter(({ always }) => always) : notifiers;
  }
}
