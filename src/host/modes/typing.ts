/**
 * What is typed at a terminal, by a person's keys or by name: it goes to the agent, is noted for whoever must know that a
 * key was pressed, put on the recording, and counted in the journal once per moment.
 */
import type { SendReceipt, ViewerId } from '../../contract/index.js';
import { isTyped } from '../../vt/index.js';
import type { RunningAgent } from '../agent-process.js';
import { InputTape } from '../input-tape.js';
import type { Output } from '../output.js';
import type { WorkPorts } from './work.js';

/** A pasted novel of keys is journaled as one entry per moment, not one per key. */
const INPUT_QUIET_MS = 1000;

/** Whoever pressed a key within this time is in the middle of something. */
const HANDS_ON_MS = 5_000;

/** What was typed at a terminal is counted in such steps: the exact number may be the length of a password. */
const TYPED_STEP = 64;

export class Typing {
  readonly #ports: Pick<WorkPorts, 'journal' | 'clock' | 'presses'>;
  readonly #terminal: Output;
  #tape: InputTape | undefined;
  #typed = { bytes: 0, viewer: undefined as ViewerId | undefined, cancel: undefined as (() => void) | undefined };

  #lastTyped = Number.NEGATIVE_INFINITY;

  /** A person types there now. */
  get isBusy(): boolean {
    return this.#ports.clock.now() - this.#lastTyped < HANDS_ON_MS;
  }

  constructor(ports: Pick<WorkPorts, 'journal' | 'clock' | 'presses'>, terminal: Output) {
    this.#ports = ports;
    this.#terminal = terminal;
  }

  /** A process runs in the terminal now. */
  begin({ proc }: RunningAgent): void {
    const { recording } = this.#terminal;
    if (!recording) return;
    this.#tape = new InputTape({
      tty: () => proc.ttyState(),
      record: (bytes, how) => recording.input(bytes, how),
      clock: this.#ports.clock,
    });
  }

  /** Keys of a person, on their way: `pass` is how they get there. */
  typed(bytes: Uint8Array, viewer: ViewerId, pass: (bytes: Uint8Array) => void): void {
    // First of all: what the agent makes of it is heard in a later turn, and the books are in order by then.
    pass(bytes);
    if (isTyped(bytes)) this.#lastTyped = this.#ports.clock.now();
    this.#ports.presses.pressed(bytes, viewer);
    this.#tape?.typed(bytes);
    this.#typed.bytes += bytes.length;
    this.#typed.viewer = viewer;
    this.#typed.cancel ??= this.#ports.clock.after(INPUT_QUIET_MS, () => this.#flush());
  }

  /** Keys by name. One write per key: programs read a burst as a paste. */
  async keys(keys: Uint8Array[], agent: RunningAgent | undefined, viewer?: ViewerId): Promise<SendReceipt> {
    await this.look();
    let written: 'written' | 'gone' | 'full' = 'gone';
    for (const key of keys) {
      this.#ports.presses.pressed(key, viewer);
      written = await (agent?.proc.write(key) ?? 'gone');
    }
    for (const key of keys) this.#tape?.typed(key);
    const bytes = keys.reduce((sum, key) => sum + key.length, 0);
    this.#ports.journal.append('input.sent', { by: 'api', bytes, why: 'keys', ...(viewer ? { viewer } : {}) });
    if (written === 'written') return { verdict: 'submitted', evidence: 'written to the terminal' };
    return {
      verdict: 'refused',
      reason: written === 'gone' ? 'the agent has ended' : 'the agent does not read its input',
    };
  }

  /** Whether the terminal echoes: to be known before something is typed. */
  async look(): Promise<void> {
    await this.#tape?.look();
  }

  /** Bytes that went to the agent some other way: they belong on the recording too. */
  wrote(bytes: Uint8Array): void {
    this.#tape?.typed(bytes);
  }

  output(): void {
    this.#tape?.output();
  }

  /** The process is gone. */
  end(): void {
    this.#flush();
    this.#tape?.close();
    this.#tape = undefined;
  }

  #flush(): void {
    const { bytes, viewer, cancel } = this.#typed;
    cancel?.();
    if (bytes > 0) {
      this.#ports.journal.append('input.sent', {
        by: 'human',
        bytes: this.#terminal.screen ? Math.ceil(bytes / TYPED_STEP) * TYPED_STEP : bytes,
        why: 'typed',
        ...(viewer ? { viewer } : {}),
      });
    }
    this.#typed = { bytes: 0, viewer: undefined, cancel: undefined };
  }
}
