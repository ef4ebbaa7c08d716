/**
 * What a program without a protocol asks at its terminal: a line that is not shown (a password), or a question with a
 * closed set of answers. Three witnesses have to agree before it is an inquiry: the kernel, that a process in front of the
 * terminal waits for a line; the terminal's settings, that it is a line and whether it is shown; and the picture, at two
 * looks with nothing printed in between. What a program prints alone is never a question.
 */
import type { ScreenReading } from '../../adapters/index.js';
import { mayBeQuestion, plainQuestion, secretPrompt } from '../../adapters/tuis/prompts.js';
import type { Clock, EntryPayload } from '../../contract/index.js';
import { type AtTerminal, atTerminal } from '../../proc/reads-terminal.js';
import type { Screen, TtyState } from '../../terminal/index.js';
import type { RunningAgent } from '../agent-process.js';
import type { WorkPorts } from '../modes/work.js';
import type { Output } from '../output.js';
import type { DoorPorts } from './door.js';
import { ScreenDialogs } from './screen-dialogs.js';
import { whoAnswered } from './signs.js';

/** Longer than any program takes to switch echo off behind its prompt, or on again. */
const STEADY_MS = 100;

/** Bytes of output that are looked at for a prompt before a screen is drawn for it. */
const TAIL_BYTES = 256;

/** Throws away the line that a terminal has not handed over yet. */
const CTRL_U = '\x15';
const ENTER = '\r';
const NEWLINE = 0x0a;

const WORKS: ScreenReading = { state: 'working' };

/** What is typed unseen is counted in such steps: its exact length would say something about it. */
const UNSEEN_STEP = 64;

/** A process at its terminal, and who is asked about it. */
export interface TerminalPlace {
  ports: Pick<WorkPorts, 'clock' | 'journal' | 'presses'>;
  agent: RunningAgent;
  output: Output;
  ask: DoorPorts['ask'];
  /** Told of what was typed, unless it is a secret. */
  wrote(bytes: Uint8Array): void;
}

export interface TerminalAsksPorts {
  clock: Clock;
  screen: Screen;
  tty(): Promise<TtyState | undefined>;
  /** What the kernel says about who is in front of the terminal. */
  front(): AtTerminal;
  ask: DoorPorts['ask'];
  write(text: string, unseen: boolean): Promise<'written' | 'gone' | 'full'>;
  /** Somebody has begun a line at the terminal's own keys. */
  isLineBegun(): boolean;
}

export class TerminalAsks {
  readonly #ports: TerminalAsksPorts;
  readonly #dialogs: ScreenDialogs;
  /** The end of the output, for a first cheap look. Empty: nothing is known of it, as after a late start. */
  #tail = '';
  #chunks = 0;
  /** How many lines were finished while something was open: the same words again are another question. */
  #number = 0;
  /** What we have typed behind the prompt that is open. */
  #typed = '';
  #isEntered = false;
  #looking: Promise<void> | undefined;
  #ended = false;

  constructor(ports: TerminalAsksPorts) {
    this.#ports = ports;
    this.#dialogs = new ScreenDialogs({
      clock: ports.clock,
      ask: ports.ask,
      write: (keys, unseen) => {
        this.#isEntered = keys === ENTER;
        if (!unseen && !this.#isEntered) this.#typed += keys;
        return ports.write(keys, unseen);
      },
      isEntered: () => this.#isEntered,
      hindered: () =>
        ports.isLineBegun() ? 'somebody has begun to type at the terminal; nothing was typed' : undefined,
      takeBack: () => this.#takeBack(),
      unsaid: () => undefined,
      hooked: false,
      elsewhere: () => false,
      gated: () => false,
      now: async () => ({ reading: await this.#read(), painted: (await ports.screen.shot()).lines.join('\n') }),
      look: () => this.look(),
    });
  }

  get isOpen(): boolean {
    return this.#dialogs.open !== undefined;
  }

  heard(chunk: Uint8Array): void {
    this.#chunks += 1;
    this.#tail = (this.#tail + Buffer.from(chunk.subarray(-TAIL_BYTES)).toString('latin1')).slice(-TAIL_BYTES);
    if (!chunk.includes(NEWLINE)) return;
    // The line was taken, whoever finished it: also where that was known before the terminal showed it.
    this.#typed = '';
    if (!this.isOpen) return;
    this.#number += 1;
    this.#dialogs.see(WORKS, true);
  }

  /** Contract: never rejects; one at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(() => undefined) // the terminal or its screen is gone
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  end(): void {
    this.#ended = true;
    this.#dialogs.end();
  }

  async #look(): Promise<void> {
    const before = this.#chunks;
    const first = await this.#read();
    if (first === WORKS && !this.isOpen) return;
    await new Promise<void>((resolve) => void this.#ports.clock.after(STEADY_MS, resolve));
    const second = await this.#read();
    const agree = first.dialog?.key === second.dialog?.key && first.state === second.state;
    if (agree && before === this.#chunks && !this.#ended) this.#dialogs.see(second, true);
  }

  /** What is asked now. Neither state nor dialog: it cannot be told. */
  async #read(): Promise<ScreenReading> {
    const { front, tty, screen } = this.#ports;
    const at = front();
    if (at === 'stopped') return {};
    if (at === 'other') return WORKS;
    const state = await tty();
    if (!state) return {};
    // A program with a screen of its own: its keys are its own business.
    if (!state.canonical) return WORKS;
    if (state.echo) {
      if (at !== 'reads' || !(this.#typed !== '' || this.#tail === '' || mayBeQuestion(this.#tail))) return WORKS;
      const dialog = plainQuestion(await screen.shot(), this.#number, this.#typed);
      return dialog ? { dialog, state: 'asking-question' } : WORKS;
    }
    const { isBare, ...dialog } = secretPrompt(await screen.shot(), this.#number);
    // Who reads beside its work, or nobody knows whether, must at least have a prompt: words that end as one does.
    const isPrompt = at === 'reads' || (!isBare && mayBeQuestion(dialog.inquiry.questions?.[0]?.text ?? ''));
    return isPrompt ? { dialog, state: 'asking-question' } : WORKS;
  }

  /** Only while the terminal itself keeps the line: another program would take the key for its own. */
  async #takeBack(): Promise<void> {
    this.#typed = '';
    if ((await this.#ports.tty())?.canonical) await this.#ports.write(CTRL_U, true);
  }
}

export function asksAt({ ports, agent, output, ask, wrote }: TerminalPlace): TerminalAsks {
  const { clock, journal, presses } = ports;
  const { proc } = agent;
  let by: EntryPayload<'input.sent'>['by'] = 'human';
  journal.subscribe((entry) => {
    if (entry.type === 'inquiry.answered') by = whoAnswered(entry.data.answer.by.kind);
  });
  return new TerminalAsks({
    clock,
    screen: output.screen!,
    tty: () => proc.ttyState(),
    front: () => atTerminal(proc.pid, agent.pids()),
    ask,
    isLineBegun: () => presses.isLineBegun,
    write: (text, unseen) => {
      const bytes = Buffer.from(text);
      const count = unseen ? Math.ceil(bytes.length / UNSEEN_STEP) * UNSEEN_STEP : bytes.length;
      journal.append('input.sent', { by, bytes: count, why: 'answer' });
      if (unseen) output.recording?.input(bytes, { redact: true });
      else wrote(bytes);
      return proc.write(bytes);
    },
  });
}
