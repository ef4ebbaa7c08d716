/**
 * Calls the person whose full-screen terminal is in the background. The terminal is asked to report its focus; the host, which
 * has the keys, sifts the reports out, hands the agent those that it asked for itself, and says when somebody is asked while
 * this terminal is not in front. One that reports nothing is taken for one that is looked at: it is never rung.
 */
import { systemClock } from '../contract/index.js';
import { FOCUS_OFF, FOCUS_ON } from '../vt/index.js';
import { caller, type TerminalCall } from './call-person.js';

export interface BackgroundCallOptions {
  how: TerminalCall;
  env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
}

export class BackgroundCall {
  readonly #options: BackgroundCallOptions;
  readonly #ring: () => string;
  #who = { agent: 'the agent', session: '' };
  #isOn = false;

  constructor(options: BackgroundCallOptions) {
    this.#options = options;
    this.#ring = caller({ ...options, clock: systemClock, who: () => this.#who });
  }

  /** `sifts`: the host keeps reports from an agent that wants none; one of an older version would type them. */
  begin(who: { agent: string; name: string }, { sifts }: { sifts: boolean }): void {
    this.#who = { agent: who.agent, session: who.name };
    if (!sifts || this.#options.how === 'off') return;
    this.#isOn = true;
    this.#options.out(FOCUS_ON);
  }

  /** Also after the terminal was given back meanwhile. */
  again(): void {
    if (this.#isOn) this.#options.out(FOCUS_ON);
  }

  call(): void {
    if (this.#isOn) this.#options.out(this.#ring());
  }

  /** Before anybody else reads the terminal: a report that came then would be typed there. */
  end(): void {
    if (this.#isOn) this.#options.out(FOCUS_OFF);
  }
}
