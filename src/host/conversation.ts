/**
 * One conversation out of two accounts of it: what the door hears (hooks) and what the agent's transcript says. Each word
 * and each call is passed on once, whoever told it first. The closing words of a turn come with a hook at once and in the
 * transcript a moment later: the transcript's count, and the hook's only if the transcript stays silent. A call that was heard
 * is told at once, ahead of the words that led to it: when the transcript tells those, they say before which call they belong.
 */
import type { AgentOutput, Clock } from '../contract/index.js';

/** The transcript lags by up to 0.4 s; after this it is not going to say it. */
const PATIENCE_MS = 3_000;
/** Names and texts remembered: what comes twice comes within its turn. */
const MOST_REMEMBERED = 2_000;
const MOST_ERRORS = 20;
const MOST_AHEAD = 50;
const PLACED = new Set<AgentOutput['kind']>(['prompt', 'text', 'thinking', 'tool']);

export class Conversation {
  readonly #told: (output: AgentOutput) => void;
  readonly #clock: Clock;
  readonly #seen = new Set<string>();
  /** Calls that were heard, and that the transcript has not come to yet. */
  #ahead: { call: string; parent: string | undefined; since: number }[] = [];
  #held: { output: AgentOutput; key: string; cancel: () => void }[] = [];
  #recorded = false;
  /** Errors that one account told and the other may still tell. */
  #errors: { message: string; by: 'heard' | 'recorded' }[] = [];

  constructor(options: { clock: Clock; told: (output: AgentOutput) => void }) {
    this.#clock = options.clock;
    this.#told = options.told;
  }

  /** From now on there is a transcript, or should be. */
  expectTranscript(): void {
    this.#recorded = true;
  }

  heard(output: AgentOutput): void {
    if (this.#isEcho(output, 'heard')) return;
    const key = keyOf(output);
    if (!this.#recorded || key === undefined) {
      this.#told(output);
      return;
    }
    if (output.kind !== 'text') {
      if (!this.#isNew(key)) return;
      if (output.kind === 'tool') {
        const { call, parent } = output;
        this.#ahead = [...this.#ahead.slice(-MOST_AHEAD), { call, parent, since: this.#clock.now() }];
      }
      this.#told(output);
      return;
    }
    if (this.#seen.has(key)) return;
    const cancel = this.#clock.after(PATIENCE_MS, () => this.#letGo(key));
    this.#held.push({ output, key, cancel });
  }

  recorded(output: AgentOutput): void {
    if (this.#isEcho(output, 'recorded')) return;
    const key = keyOf(output);
    if (output.kind === 'tool') this.#ahead = this.#ahead.filter(({ call }) => call !== output.call);
    if (key === undefined) {
      this.#told(this.#placed(output));
      return;
    }
    if (output.kind === 'text') {
      this.#drop(key);
      this.#remember(key);
      this.#told(this.#placed(output));
    } else if (this.#isNew(key)) this.#told(this.#placed(output));
  }

  #placed(output: AgentOutput): AgentOutput {
    if (!PLACED.has(output.kind)) return output;
    const now = this.#clock.now();
    // A call that the transcript does not come to by then it never will.
    this.#ahead = this.#ahead.filter(({ since }) => now - since <= PATIENCE_MS);
    const parent = 'parent' in output ? output.parent : undefined;
    const first = this.#ahead.find((one) => one.parent === parent);
    return first ? ({ ...output, before: first.call } as AgentOutput) : output;
  }

  /** Nothing more comes: what was only heard is told now. */
  end(): void {
    for (const { key } of [...this.#held]) this.#letGo(key);
  }

  /** The same error may come in every turn, but from each account once. */
  #isEcho(output: AgentOutput, by: 'heard' | 'recorded'): boolean {
    if (!this.#recorded || output.kind !== 'error') return false;
    const { message } = output;
    const other = this.#errors.findIndex((one) => one.message === message && one.by !== by);
    if (other >= 0) this.#errors.splice(other, 1);
    else this.#errors = [...this.#errors.slice(-MOST_ERRORS), { message, by }];
    return other >= 0;
  }

  #letGo(key: string): void {
    const held = this.#held.find((one) => one.key === key);
    if (!held) return;
    this.#drop(key);
    this.#told(held.output);
  }

  #drop(key: string): void {
    for (const one of this.#held.filter((held) => held.key === key)) one.cancel();
    this.#held = this.#held.filter((held) => held.key !== key);
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#remember(key);
    return true;
  }

  #remember(key: string): void {
    this.#seen.add(key);
    if (this.#seen.size > MOST_REMEMBERED) this.#seen.delete(this.#seen.values().next().value!);
  }
}

/** What makes two accounts one thing; undefined for what only one of them tells. */
function keyOf(output: AgentOutput): string | undefined {
  switch (output.kind) {
    case 'tool':
    case 'tool-result':
      return `${output.kind} ${output.call}`;
    case 'text':
      return `text ${output.text.replace(/\s+/g, ' ').trim()}`;
    default:
      return undefined;
  }
}
