/**
 * One conversation out of two accounts of it: what the door hears (hooks) and what the agent's transcript says. Each word
 * and each call is passed on once, whoever told it first. The closing words of a turn come with a hook at once and in the
 * transcript a moment later: the transcript's count, and the hook's only if the transcript stays silent.
 */
import type { AgentOutput, Clock } from '../contract/index.js';

/** The transcript lags by up to 0.4 s; after this it is not going to say it. */
const PATIENCE_MS = 3_000;
/** Names and texts remembered: what comes twice comes within its turn. */
const MOST_REMEMBERED = 2_000;
const MOST_ERRORS = 20;

export class Conversation {
  readonly #told: (output: AgentOutput) => void;
  readonly #clock: Clock;
  readonly #seen = new Set<string>();
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
      if (this.#isNew(key)) this.#told(output);
      return;
    }
    if (this.#seen.has(key)) return;
    const cancel = this.#clock.after(PATIENCE_MS, () => this.#letGo(key));
    this.#held.push({ output, key, cancel });
  }

  recorded(output: AgentOutput): void {
    if (this.#isEcho(output, 'recorded')) return;
    const key = keyOf(output);
    if (key === undefined) {
      this.#told(output);
      return;
    }
    if (output.kind === 'text') {
      this.#drop(key);
      this.#remember(key);
      this.#told(output);
    } else if (this.#isNew(key)) this.#told(output);
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
