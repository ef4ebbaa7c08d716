/**
 * What consultations of all sessions cost today: a file per day in the state directory, one line before each consultation
 * and one behind it. Lines are added and never changed, so that several hosts can write at once; and since each writes its
 * own line before it looks, two of them cannot both take what is left.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../contract/index.js';
import { forget, makeDir } from '../../disk/index.js';

/** For one whose agent does not say what it cost, or that nobody saw end. */
export const UNKNOWN_USD = 0.02;
const DAYS_KEPT = 7;

interface CostLine {
  id: string;
  /** Absent: it has begun. */
  usd?: number;
}

export class DayCosts {
  readonly #dir: string;
  readonly #clock: Clock;

  constructor(given: { stateDir: string; clock: Clock }) {
    this.#dir = join(given.stateDir, 'consult');
    this.#clock = given.clock;
  }

  /** One more begins. Why it may not, or undefined. Contract: what cannot be written down may not begin. */
  begin(id: string, most: number): string | undefined {
    try {
      makeDir(this.#dir);
      this.#add({ id });
      const spent = this.#spent();
      if (spent <= most) return undefined;
      this.#add({ id, usd: 0 });
      return tooMuch(Math.max(0, spent - UNKNOWN_USD), most);
    } catch (error) {
      return `what consultations cost today cannot be written down (${(error as Error).message})`;
    }
  }

  /** Why none may begin now, without beginning one. */
  why(most: number): string | undefined {
    const spent = this.#looked();
    return spent + UNKNOWN_USD <= most ? undefined : tooMuch(spent, most);
  }

  #looked(): number {
    try {
      return this.#spent();
    } catch {
      return 0; // none was made today
    }
  }

  end(id: string, cost: number | undefined): void {
    try {
      this.#add({ id, usd: cost ?? UNKNOWN_USD });
      this.#tidyUp();
    } catch {
      // A disk that takes nothing: what has begun counts as one whose cost is not known.
    }
  }

  #add(line: CostLine): void {
    appendFileSync(this.#file(), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  #spent(): number {
    const costs = new Map<string, number>();
    for (const line of readFileSync(this.#file(), 'utf8').split('\n')) {
      const read = lineOf(line);
      if (read) costs.set(read.id, read.usd ?? UNKNOWN_USD);
    }
    return [...costs.values()].reduce((sum, one) => sum + one, 0);
  }

  /** By the user's own calendar. */
  #file(): string {
    const now = new Date(this.#clock.now());
    const two = (part: number) => String(part).padStart(2, '0');
    return join(this.#dir, `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.jsonl`);
  }

  #tidyUp(): void {
    const days = readdirSync(this.#dir).filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name));
    for (const old of days.sort().slice(0, -DAYS_KEPT)) forget(join(this.#dir, old));
  }
}

const tooMuch = (spent: number, most: number): string =>
  `consultations of today have cost ${usd(spent)} of ${usd(most)} (consult.max_cost_usd_per_day)`;

export const usd = (amount: number): string => `${amount.toFixed(2)} USD`;

function lineOf(text: string): CostLine | undefined {
  try {
    const { id, usd: cost } = JSON.parse(text) as Partial<CostLine>;
    if (typeof id !== 'string') return undefined;
    return typeof cost === 'number' && cost >= 0 ? { id, usd: cost } : { id };
  } catch {
    return undefined; // a torn line: its writer died, and its beginning stands in another
  }
}
