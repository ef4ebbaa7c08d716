/**
 * Moments of quiet in the terminal of a program without a protocol: then it may be asking something. A chunk of output
 * costs one comparison of times. Who looks is loaded when there is first reason to, because most commands never ask.
 */
import { type Clock, once } from '../../contract/index.js';
import type { TerminalAsks, TerminalPlace } from './terminal-asks.js';

/** A program that asks stands still; one that works has mostly said something by then. */
const QUIET_MS = 300;

/** Without any output it is looked at again after twice the time, up to this. */
const LONGEST_MS = 30_000;

/** What is open may be over without a byte of output. */
const OPEN_MS = 1_000;

export const loadTerminalAsks = once(() => import('./terminal-asks.js'));

/** On pipes there is no terminal at which anything could be asked. */
export function askedAtTerminal(place: TerminalPlace): QuietTerminal | undefined {
  if (place.agent.proc.io !== 'pty' || !place.output.screen) return undefined;
  const make = async (): Promise<TerminalAsks> => (await loadTerminalAsks()).asksAt(place);
  return new QuietTerminal({ clock: place.ports.clock, make });
}

export class QuietTerminal {
  readonly #clock: Clock;
  readonly #make: () => Promise<TerminalAsks>;
  readonly #quietMs: number;
  #asks: TerminalAsks | undefined;
  #waitMs: number;
  #heardAt: number;
  #cancel: (() => void) | undefined;
  #ended = false;

  constructor(given: { clock: Clock; make: () => Promise<TerminalAsks>; quietMs?: number }) {
    this.#clock = given.clock;
    this.#make = given.make;
    this.#quietMs = given.quietMs ?? QUIET_MS;
    this.#waitMs = this.#quietMs;
    this.#heardAt = this.#clock.now();
    this.#arm(this.#quietMs);
  }

  /** Output, after it was shown. */
  heard(chunk: Uint8Array): void {
    this.#heardAt = this.#clock.now();
    this.#asks?.heard(chunk);
    if (this.#waitMs === this.#quietMs) return;
    this.#waitMs = this.#quietMs;
    this.#arm(this.#quietMs);
  }

  end(): void {
    this.#ended = true;
    this.#cancel?.();
    this.#asks?.end();
  }

  #arm(ms: number): void {
    this.#cancel?.();
    if (!this.#ended) this.#cancel = this.#clock.after(ms, () => void this.#due());
  }

  async #due(): Promise<void> {
    const left = this.#heardAt + this.#waitMs - this.#clock.now();
    // Something that is open is looked at however much is printed. A clock that was set back makes it more than the wait.
    if (left > 0 && left <= this.#waitMs && !this.#asks?.isOpen) {
      this.#arm(left);
      return;
    }
    this.#asks ??= await this.#make();
    if (this.#ended) this.#asks.end();
    else await this.#asks.look();
    this.#waitMs = this.#asks.isOpen ? OPEN_MS : Math.min(this.#waitMs * 2, LONGEST_MS);
    this.#arm(this.#waitMs);
  }
}
