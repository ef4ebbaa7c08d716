/** How often, for how much and with how little luck a session may consult. Folded from the journal of one that goes on. */
import type { Config } from '../../config/index.js';
import type { Entry, EntryPayload } from '../../contract/index.js';
import { ofTypes } from '../../journal/journal.js';
import { UNKNOWN_USD, usd } from './day-costs.js';

/** Failures in a row, after which it is left alone. */
const MOST_FAILURES = 3;

export type ConsultEnd = EntryPayload<'consultation.ended'>;

export class ConsultBounds {
  readonly #settings: Config['consult'];
  #count = 0;
  /** Let in, and not begun yet. */
  #coming = 0;
  #running = 0;
  #costUsd = 0;
  #failures = 0;
  #off: string | undefined;

  constructor(settings: Config['consult'], before: Iterable<Entry>) {
    this.#settings = settings;
    /** Begun, and cut off with their host: what they cost nobody saw. */
    const cut = new Set<string>();
    for (const entry of ofTypes(before, ['consultation.started', 'consultation.ended'])) {
      if (entry.type === 'consultation.started') {
        this.#count += 1;
        cut.add(entry.data.consultation);
      }
      if (entry.type !== 'consultation.ended') continue;
      this.#costUsd += costOf(entry.data);
      cut.delete(entry.data.consultation);
    }
    this.#costUsd += cut.size * UNKNOWN_USD;
  }

  /** Consultations begun so far, of all lives of the session. */
  get count(): number {
    return this.#count;
  }

  /** After failures in a row. */
  get isOff(): boolean {
    return this.#off !== undefined;
  }

  /** Lets one in, in one step with the look: many are asked for at once. Why not, or undefined. */
  enter(): string | undefined {
    const why = this.why;
    if (why === undefined) this.#coming += 1;
    return why;
  }

  /** Why none is let in now. What runs has a cost that nobody knows yet. */
  get why(): string | undefined {
    const { max_per_session: most, max_cost_usd: cost } = this.#settings;
    if (this.#off !== undefined) return this.#off;
    if (this.#count + this.#coming >= most)
      return `${most} consultations were made in this session (consult.max_per_session)`;
    const spent = this.#costUsd + (this.#coming + this.#running) * UNKNOWN_USD;
    if (spent >= cost)
      return `consultations of this session have cost ${usd(spent)} of ${usd(cost)} (consult.max_cost_usd)`;
    return undefined;
  }

  /** It was let in, and will not begin. */
  left(): void {
    this.#coming -= 1;
  }

  /** It was let in, and begins. */
  began(): void {
    this.#coming -= 1;
    this.#running += 1;
    this.#count += 1;
  }

  /** It began, and was found too dear before it ran. */
  dropped(): void {
    this.#running -= 1;
  }

  /** The words to tell when this switched it off: once. `garbage`: it spoke, and not of what it was asked. */
  ended(ended: ConsultEnd, garbage = false): string | undefined {
    this.#running -= 1;
    this.#costUsd += costOf(ended);
    if (ended.how === 'answered' || ended.how === 'suggested') this.#failures = 0;
    if (ended.how !== 'failed' && ended.how !== 'late' && !garbage) return undefined;
    this.#failures += 1;
    if (this.#failures < MOST_FAILURES || this.#off !== undefined) return undefined;
    const last = ended.reason ?? ended.how;
    this.#off = `the consultant is switched off for this session: ${MOST_FAILURES} failures in a row, the last: ${last}`;
    return this.#off;
  }
}

/** One that never ran cost nothing. */
const costOf = ({ cost_usd: cost, seconds }: ConsultEnd): number => cost ?? (seconds > 0 ? UNKNOWN_USD : 0);
