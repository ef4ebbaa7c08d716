/**
 * One-use tickets for sockets: a page asks for one by its cookie, and names it when it opens its socket, because a WebSocket
 * cannot carry anything else that a foreign page could not send too. Kept in memory: a hub that restarts is asked anew.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../contract/index.js';

const GOOD_MS = 30_000;
/** Of one device, at once: more is no page, and one device must not push out another's. */
const MOST = 20;

interface Issued {
  device: string;
  until: number;
}

export class Tickets {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #issued = new Map<string, Issued>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  issue(device: string): string {
    const now = this.#clock.now();
    for (const [ticket, { until }] of this.#issued) if (until <= now) this.#issued.delete(ticket);
    const own = [...this.#issued].filter(([, issued]) => issued.device === device);
    for (const [ticket] of own.slice(0, Math.max(0, own.length - MOST + 1))) this.#issued.delete(ticket);
    const ticket = randomBytes(24).toString('base64url');
    this.#issued.set(ticket, { device, until: now + GOOD_MS });
    return ticket;
  }

  /** The device it was given to, once. */
  use(ticket: string): string | undefined {
    const issued = this.#issued.get(ticket);
    this.#issued.delete(ticket);
    return issued && issued.until > this.#clock.now() ? issued.device : undefined;
  }
}
