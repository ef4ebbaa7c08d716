/**
 * What each start of an agent's terminal program came to, read off the journal, and whether it is started again: one that
 * crashed before it was ever ready, a few times; one that asks for it; never one that somebody had to do with.
 */
import { type Clock, type Entry, ReinsError } from '../../contract/index.js';
import type { Exit } from '../../terminal/index.js';
import { Respawn } from './respawn.js';

const NOT_READY = ['starting', 'ended', 'asking-question', 'asking-permission'];

export type NextLife =
  | { again: true; waitMs: number; text: string }
  | { again: false; gaveUp: ReinsError }
  | { again: false; gaveUp?: undefined };

export class Lives {
  readonly #respawn: Respawn;
  #life = { ready: false, touched: false, prompted: false, atWork: false };

  constructor(clock: Clock) {
    this.#respawn = new Respawn(clock);
  }

  started(): void {
    this.#life = { ready: false, touched: false, prompted: false, atWork: false };
    this.#respawn.started();
  }

  /** The agent has recorded a prompt as given to it. */
  prompted(): void {
    this.#life.prompted = true;
  }

  /** Its prompt was dealt with: a turn that was cut by a restart is begun anew; one that had come to its end is not. */
  get answered(): boolean {
    return this.#life.prompted && !this.#life.atWork;
  }

  see(entry: Entry): void {
    if (entry.type === 'input.sent' || entry.type === 'inquiry.answered') this.#life.touched = true;
    if (entry.type !== 'state.changed') return;
    const { agent_state: state } = entry.data;
    if (state && state !== 'ended') this.#life.atWork = state === 'working' || state === 'retrying';
    if (state && !NOT_READY.includes(state)) this.#life.ready = true;
  }

  /** `lines`: the last of what stood on its screen. */
  ended(exit: Exit, of: { label: string; restartExit: number | undefined; lines: string }): NextLife {
    const { label, restartExit, lines } = of;
    const next = this.#respawn.ended({
      ...this.#life,
      failed: exit.signal !== null || exit.code !== 0,
      wantsRestart: restartExit !== undefined && exit.code === restartExit,
    });
    const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
    const words = lines === '' ? '' : `: ${lines}`;
    if (next.again) {
      const text = `${label} ${how} before it was ready${words}; attempt ${next.attempt} follows.`;
      return { again: true, waitMs: next.waitMs, text };
    }
    if (!next.gaveUp) return { again: false };
    const reason = `it ${how} before it was ready, ${this.#respawn.attempts || 3} times${words}`;
    return {
      again: false,
      gaveUp: new ReinsError('AGENT_UNSTARTABLE', { agent: label, reason, fix: 'see `reins doctor`' }),
    };
  }
}
