/**
 * When a terminal program's turn is over, for whoever gave it one turn and waits. The agent's own word for it (a hook's
 * `done`) comes first and ends the watch. Without one, whether hooks were never given, were switched off by a setting or
 * broke, it is over when the program rests after what its transcript says it did. A program that worked and rests while
 * nobody can read a word of it has failed: a loop that goes on without its words would do the same again all night.
 */
import { limitIn } from '../../adapters/loaded.js';
import type { AgentOutput, AgentState, Clock } from '../../contract/index.js';
import { canTake } from '../doors/may-type.js';

type TurnDone = Extract<AgentOutput, { kind: 'done' }>;

/** Its last words stand in the transcript and its input box takes a message: between two steps it never rests so long. */
const RESTS_MS = 500;
/** Where more may come: a hook of ours (one Node start on a busy machine), or words after an error or a call. */
const QUIET_MS = 3_000;
/** A call without a result: it may be one that was refused, but a slow one as well. */
const CALLED_MS = 10_000;
/** Nothing of it can be read: a transcript is looked for every half second. */
const UNREAD_MS = 15_000;
/** A person at the keys (an Esc, a draft) gets the time to say what comes next. */
const PERSON_MS = 30_000;

export interface TurnWatchOptions {
  clock: Clock;
  /** The agent, as people write it. */
  label: string;
  /** It was given our hook, which should tell. */
  hooked(): boolean;
  /** `limit`: its provider refuses more, as its last error says. Called once. */
  over(done: TurnDone, found: { silentHook: boolean; limit?: { message: string; until?: number } }): void;
}

export class TurnWatch {
  readonly #options: TurnWatchOptions;
  #cancel: () => void = () => undefined;
  #rests = false;
  #worked = false;
  #closed = false;
  #keyAt = Number.NEGATIVE_INFINITY;
  /** What it said or did last; undefined: nothing of it was read. */
  #last: 'prompt' | 'words' | 'error' | 'deed' | undefined;
  #error = '';
  readonly #calls = new Set<string>();

  constructor(options: TurnWatchOptions) {
    this.#options = options;
  }

  state(state: AgentState): void {
    this.#worked ||= state === 'working';
    this.#rests = canTake(state);
    this.#wait();
  }

  heard(output: AgentOutput): void {
    if (output.kind === 'done') this.close();
    // A helper's steps are not the turn's.
    if ('parent' in output && output.parent !== undefined) return;
    if (output.kind === 'tool') this.#calls.add(output.call);
    if (output.kind === 'tool-result') this.#calls.delete(output.call);
    if (output.kind === 'error') this.#error = output.message;
    const last = LAST[output.kind];
    if (last === undefined) return;
    this.#last = last;
    this.#wait();
  }

  /** Somebody pressed a key. */
  pressed(): void {
    this.#keyAt = this.#options.clock.now();
    this.#wait();
  }

  /** Contract: may be called twice. */
  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #wait(): void {
    this.#cancel();
    const ms = this.#closed || !this.#rests ? undefined : this.#patience();
    if (ms === undefined) return;
    const { clock } = this.#options;
    this.#cancel = clock.after(Math.max(ms, this.#keyAt + PERSON_MS - clock.now()), () => this.#over());
  }

  /** Undefined: it has not begun. */
  #patience(): number | undefined {
    if (this.#last === undefined) return this.#worked ? UNREAD_MS : undefined;
    // The prompt is on record before the model is asked.
    if (this.#last === 'prompt') return this.#worked ? CALLED_MS : UNREAD_MS;
    if (this.#calls.size > 0) return CALLED_MS;
    return this.#last === 'words' && !this.#options.hooked() ? RESTS_MS : QUIET_MS;
  }

  #over(): void {
    const { clock, hooked, over } = this.#options;
    this.close();
    const silentHook = hooked();
    const limit = this.#last === 'error' ? limitIn(this.#error, clock.now()) : undefined;
    over(this.#verdict(silentHook), { silentHook, ...(limit ? { limit } : {}) });
  }

  #verdict(silentHook: boolean): TurnDone {
    if (this.#last === 'error') return { kind: 'done', ok: false, reason: this.#error };
    if (this.#last !== undefined) return { kind: 'done', ok: true };
    const missing = silentHook ? 'its hook did not call, and no transcript of it was found' : 'no transcript was found';
    const reason = `${this.#options.label} has come to rest, but nothing of what it said could be read: ${missing}; without --tui its words are read from its output`;
    return { kind: 'done', ok: false, reason };
  }
}

const LAST: Partial<Record<AgentOutput['kind'], 'prompt' | 'words' | 'error' | 'deed'>> = {
  prompt: 'prompt',
  text: 'words',
  error: 'error',
  tool: 'deed',
  'tool-result': 'deed',
};
