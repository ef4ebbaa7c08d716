/** The time an agent has: for all of its work, for its first words, for a silence. It stands still while anyone holds it. */
import type { AgentOutput, Clock } from '../../contract/index.js';
import { IdleTimer } from '../../terminal/index.js';
import { Countdown } from '../countdown.js';

/** Seconds, 0 is no limit; and the words of the setting that says so. */
interface Limit {
  secs: number;
  by: string;
}

export interface LimitSettings {
  whole: Limit;
  firstOutput: Limit;
  quiet: Limit;
}

export type Hold = 'pause' | 'inquiry';

/**
 * A build may be quiet for long, and the agent with it; a tool that never comes back is quiet for ever. So many times
 * as long as a quiet agent has.
 */
const TOOL_PATIENCE = 6;
/** Calls without an end are forgotten beyond this. */
const MOST_OPEN = 1000;

export class RunLimits {
  readonly #clock: Clock;
  readonly #settings: LimitSettings | undefined;
  readonly #over: (reason: string) => void;
  #timers: Countdown[] = [];
  #firstOutput: Countdown | undefined;
  #silence: IdleTimer | undefined;
  #toolSilence: IdleTimer | undefined;
  /** Nothing new, whatever is drawn. */
  #still: IdleTimer | undefined;
  readonly #open = new Set<string>();
  #toolRuns = false;
  #retries = false;
  readonly #heldFor = new Set<Hold>();
  #rests = false;
  #closed = false;

  constructor(given: { clock: Clock; settings: LimitSettings | undefined; over: (reason: string) => void }) {
    this.#clock = given.clock;
    this.#settings = given.settings;
    // One reason is enough, and the first is the true one.
    let isOver = false;
    this.#over = (reason) => {
      if (!isOver) given.over(reason);
      isOver = true;
    };
  }

  /** The agent runs. */
  begin(): void {
    if (!this.#settings || this.#closed) return;
    const { whole, firstOutput, quiet } = this.#settings;
    if (whole.secs > 0)
      this.#count(whole.secs * 1000, () => this.#over(`still running after ${whole.secs} s (${whole.by})`));
    if (firstOutput.secs > 0) {
      const late = () => this.#over(`no output within ${firstOutput.secs} s (${firstOutput.by})`);
      this.#firstOutput = this.#count(firstOutput.secs * 1000, late);
    }
    this.#silence = this.#listen(quiet.secs, `(${quiet.by})`);
    const patience = quiet.secs * TOOL_PATIENCE;
    this.#toolSilence = this.#listen(patience, `while a tool runs (${TOOL_PATIENCE} times ${quiet.by})`);
    this.#still = this.#listen(patience, `(${TOOL_PATIENCE} times ${quiet.by})`, 'nothing but a spinner');
    // What was said before the limits began.
    if (this.#toolRuns) this.#silence.hold();
  }

  /** Any byte, but that the agent tries again and again is no sign of work; for very long, nor is what says nothing new. */
  heard(isNews = true): void {
    this.#firstOutput?.cancel();
    if (this.#retries) return;
    this.#silence?.touch();
    this.#toolSilence?.touch();
    if (isNews) this.#still?.touch();
  }

  /** What the bytes said: whether one of its tools runs. */
  said(output: AgentOutput): void {
    if (output.kind === 'retry') this.#retries = true;
    else if (output.kind !== 'state' && output.kind !== 'unknown') {
      this.#retries = false;
      this.#still?.touch();
    }
    if (output.kind === 'tool' && this.#open.size < MOST_OPEN) this.#open.add(output.call);
    else if (output.kind === 'tool-result') this.#open.delete(output.call);
    // The model speaks again: its calls are over, also those whose end nobody told.
    else if (output.kind === 'text' && output.parent === undefined) this.#open.clear();
    if (this.#toolRuns === this.#open.size > 0) return;
    this.#toolRuns = this.#open.size > 0;
    if (this.#toolRuns) this.#silence?.hold();
    else this.#silence?.release();
  }

  /** One more thing that has its time. */
  within(ms: number, late: () => void): void {
    if (!this.#closed) this.#count(ms, late);
  }

  hold(why: Hold): void {
    const isHeld = this.#heldFor.size > 0;
    this.#heldFor.add(why);
    if (isHeld) return;
    for (const timer of [...this.#timers, ...this.#listening()]) timer.hold();
  }

  release(why: Hold): void {
    if (!this.#heldFor.delete(why) || this.#heldFor.size > 0 || this.#closed) return;
    for (const timer of [...this.#timers, ...this.#listening()]) timer.release();
  }

  /** Between two turns nobody waits for a word of it: silence means nothing, its time as a whole goes on. */
  rest(rests: boolean): void {
    if (rests === this.#rests) return;
    this.#rests = rests;
    for (const timer of this.#listening()) rests ? timer.hold() : timer.release();
  }

  /** The agent is gone: nothing is counted any more, whatever its last words were. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
    for (const timer of this.#listening()) timer.close();
  }

  #listening(): IdleTimer[] {
    return [this.#silence, this.#toolSilence, this.#still].filter((timer) => timer !== undefined);
  }

  #listen(secs: number, by: string, what = 'no output'): IdleTimer {
    const how = () => (this.#retries ? 'nothing but retries' : what);
    const onIdle = () => this.#over(`${how()} for ${secs} s ${by}`);
    const timer = new IdleTimer({ secs, clock: this.#clock, onIdle });
    if (this.#heldFor.size > 0) timer.hold();
    if (this.#rests) timer.hold();
    return timer;
  }

  #count(ms: number, call: () => void): Countdown {
    const timer = new Countdown({ ms, clock: this.#clock, call });
    if (this.#heldFor.size > 0) timer.hold();
    this.#timers.push(timer);
    return timer;
  }
}
