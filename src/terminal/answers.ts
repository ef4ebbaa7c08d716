/**
 * Answers the questions an agent asks its terminal (what are you, where is the cursor, which colours), so that it neither
 * stalls nor draws for the wrong terminal while nobody watches. The emulator answers what it knows; the rest is added
 * here. Switched off while a driver's real terminal answers, but for the one question that is to us. No answer ever contains text the agent provided: a terminal
 * that repeats text can be made to type it.
 */
import type { Terminal } from '@xterm/headless';
import type { Clock } from '../contract/index.js';

/** A program that asks without end must not fill its own input: so many bytes of answers per second, then silence. */
const MAX_ANSWER_BYTES_PER_SECOND = 16 * 1024;

/** A dark terminal with light text, as most are; agents choose a theme by it. */
const FOREGROUND = 'rgb:d0d0/d0d0/d0d0';
const BACKGROUND = 'rgb:0000/0000/0000';

const utf8 = new TextEncoder();

export class DeviceAnswers {
  /** Whether questions are answered now. */
  on = true;
  readonly #reply: (bytes: Uint8Array) => void;
  readonly #clock: Clock;
  readonly #subscriptions: { dispose(): void }[];
  #kitty = new Map<'normal' | 'alternate', number[]>();
  #second = 0;
  #saidThisSecond = 0;

  constructor(options: { terminal: Terminal; clock: Clock; reply: (bytes: Uint8Array) => void }) {
    const { terminal } = options;
    const parser = terminal.parser;
    this.#reply = options.reply;
    this.#clock = options.clock;
    const flags = (): number[] => {
      const which = terminal.buffer.active.type;
      const stack = this.#kitty.get(which) ?? [0];
      this.#kitty.set(which, stack);
      return stack;
    };
    const first = (params: (number | number[])[], otherwise: number): number =>
      typeof params[0] === 'number' ? params[0] : otherwise;
    this.#subscriptions = [
      // The emulator's own answers: DA1, DA2, DSR 5 and 6, DECRQM, DECRQSS, size in characters.
      terminal.onData((data) => this.#say(data)),
      // XTVERSION: CSI > q
      parser.registerCsiHandler({ prefix: '>', final: 'q' }, () => this.#say('\x1bP>|Reins\x1b\\')),
      // The colour scheme, CSI ? 996 n: 1 is dark.
      parser.registerCsiHandler({ prefix: '?', final: 'n' }, (params) =>
        first(params, 0) === 996 ? this.#say('\x1b[?997;1n') : false,
      ),
      // Kitty keyboard: query, push, pop, set.
      parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => this.#say(`\x1b[?${flags().at(-1) ?? 0}u`)),
      parser.registerCsiHandler({ prefix: '>', final: 'u' }, (params) => {
        const stack = flags();
        stack.push(first(params, 0) & 31);
        if (stack.length > 16) stack.splice(1, 1);
        return true;
      }),
      parser.registerCsiHandler({ prefix: '<', final: 'u' }, (params) => {
        const stack = flags();
        stack.length = Math.max(1, stack.length - Math.max(1, first(params, 1)));
        return true;
      }),
      parser.registerCsiHandler({ prefix: '=', final: 'u' }, (params) => {
        const stack = flags();
        const asked = first(params, 0) & 31;
        const how = typeof params[1] === 'number' ? params[1] : 1;
        const old = stack.at(-1) ?? 0;
        stack[stack.length - 1] = how === 2 ? old | asked : how === 3 ? old & ~asked : asked;
        return true;
      }),
      parser.registerOscHandler(10, (data) => this.#colours(data, 10)),
      parser.registerOscHandler(11, (data) => this.#colours(data, 11)),
      // Program status: does anybody listen to what the program says of its own state? We do, also beside a terminal.
      parser.registerOscHandler(7501, (data) => data === '?' && this.#say('\x1b]7501;?\x1b\\', { always: true })),
      // XTGETTCAP: refused, so that the agent goes on with what TERM says.
      parser.registerDcsHandler({ intermediates: '+', final: 'q' }, () => this.#say('\x1bP0+r\x1b\\')),
      parser.registerEscHandler({ final: 'c' }, () => {
        this.#kitty.clear();
        return false;
      }),
    ];
  }

  /** The kitty keyboard flags the agent has set on the screen that shows now. */
  keyboardFlags(which: 'normal' | 'alternate'): number {
    return this.#kitty.get(which)?.at(-1) ?? 0;
  }

  close(): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.dispose();
  }

  /** `OSC 10 ; ? ; ?` asks for the foreground and, with the second `?`, for the background too. */
  #colours(data: string, code: 10 | 11): boolean {
    const parts = data.split(';', 4);
    if (!parts.includes('?')) return false;
    for (const [at, part] of parts.entries()) {
      if (part !== '?') continue;
      if (code + at === 10) this.#say(`\x1b]10;${FOREGROUND}\x1b\\`);
      else if (code + at === 11) this.#say(`\x1b]11;${BACKGROUND}\x1b\\`);
    }
    return true;
  }

  #say(answer: string, { always = false } = {}): true {
    if (!(this.on || always) || answer === '') return true;
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#saidThisSecond = 0;
    }
    this.#saidThisSecond += answer.length;
    if (this.#saidThisSecond <= MAX_ANSWER_BYTES_PER_SECOND) this.#reply(utf8.encode(answer));
    return true;
  }
}
