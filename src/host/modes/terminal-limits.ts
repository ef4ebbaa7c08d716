/**
 * The time a terminal has: a silence, of output and of input, that means it was forgotten, and a limit for the whole. An
 * inquiry that waits for a person is no forgotten terminal, however long that takes; in a pause both stand still.
 */
import type { Clock } from '../../contract/index.js';
import { IdleTimer } from '../../terminal/index.js';
import { Countdown } from '../countdown.js';
import type { SessionSpec } from '../spec.js';
import type { Finish } from './work.js';

export class TerminalLimits {
  readonly #spec: Pick<SessionSpec, 'idle_timeout_secs' | 'timeout_secs'>;
  readonly #clock: Clock;
  readonly #over: (why: 'idle' | 'timeout', finish: Finish) => void;
  #idle: IdleTimer | undefined;
  #timeout: Countdown | undefined;
  /** Why silence means nothing now. */
  readonly #heldFor = new Set<'pause' | 'inquiry'>();

  constructor(given: {
    spec: Pick<SessionSpec, 'idle_timeout_secs' | 'timeout_secs'>;
    clock: Clock;
    over: (why: 'idle' | 'timeout', finish: Finish) => void;
  }) {
    this.#spec = given.spec;
    this.#clock = given.clock;
    this.#over = given.over;
  }

  begin(): void {
    const { idle_timeout_secs: secs, timeout_secs: whole } = this.#spec;
    const late = (why: 'idle' | 'timeout', reason: string) =>
      this.#over(why, { outcome: 'timed-out', exitCode: 124, reason });
    const onIdle = () => late('idle', `idle for ${secs} s: no output and no input`);
    this.#idle = new IdleTimer({ secs, clock: this.#clock, onIdle });
    if (this.#heldFor.size > 0) this.#idle.hold();
    if (whole <= 0) return;
    const call = () => late('timeout', `still running after ${whole} s`);
    this.#timeout = new Countdown({ ms: whole * 1000, clock: this.#clock, call });
  }

  /** Output or input. */
  touch(): void {
    this.#idle?.touch();
  }

  /** Nobody sits at the terminal any more: nobody can have forgotten it. */
  untied(): void {
    this.#idle?.close();
  }

  hold(why: 'pause' | 'inquiry'): void {
    if (this.#heldFor.size === 0) this.#idle?.hold();
    this.#heldFor.add(why);
    if (why === 'pause') this.#timeout?.hold();
  }

  release(why: 'pause' | 'inquiry'): void {
    if (this.#heldFor.delete(why) && this.#heldFor.size === 0) this.#idle?.release();
    if (why === 'pause') this.#timeout?.release();
  }

  end(): void {
    this.#idle?.close();
    this.#timeout?.cancel();
  }
}
