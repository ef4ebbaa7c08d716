/**
 * The loop's reducer at work: facts go in, what it decides is journaled before anything is done about it, and its effects
 * come out. It wakes the reducer when that asked to be woken; in a pause it does not.
 */
import {
  type Effect,
  type Fact,
  type LoopState,
  nextWake,
  type OwnEntry,
  reduce,
  type Told,
} from '../../loop/index.js';
import type { WorkPorts } from './work.js';

export class LoopRules {
  readonly #ports: Pick<WorkPorts, 'clock' | 'journal' | 'shown'>;
  readonly #carryOut: (effect: Effect) => void;
  readonly #isPaused: () => boolean;
  #state: LoopState;
  #cancelWake: (() => void) | undefined;

  constructor(given: {
    ports: Pick<WorkPorts, 'clock' | 'journal' | 'shown'>;
    state: LoopState;
    carryOut: (effect: Effect) => void;
    isPaused: () => boolean;
  }) {
    this.#ports = given.ports;
    this.#state = given.state;
    this.#carryOut = given.carryOut;
    this.#isPaused = given.isPaused;
  }

  get state(): LoopState {
    return this.#state;
  }

  /** One fact: journal first, then act. */
  tell(told: Told): OwnEntry[] {
    const fact = { ...told, at: this.#ports.clock.now() } as Fact;
    const { state, entries, effects } = reduce(this.#state, fact);
    this.#state = state;
    for (const entry of entries) this.#journal(entry);
    for (const effect of effects) this.#carryOut(effect);
    this.wakeLater();
    return entries;
  }

  wakeLater(): void {
    this.sleep();
    const at = nextWake(this.#state);
    if (at === undefined || this.#isPaused()) return;
    const ms = Math.max(0, at - this.#ports.clock.now());
    this.#cancelWake = this.#ports.clock.after(ms, () => void this.tell({ kind: 'tick' }));
  }

  sleep(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
  }

  #journal(entry: OwnEntry): void {
    const { journal, shown } = this.#ports;
    // The loop knows cost and progress, the host knows what state the session shows.
    if (entry.type === 'state.changed') journal.append(entry.type, { ...entry.data, state: shown() });
    else journal.append(entry.type, entry.data);
  }
}
