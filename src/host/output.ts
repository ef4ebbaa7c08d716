/**
 * The agent's output on its way out: numbered by offset, drawn on the screen and put on the recording where there is a
 * terminal, kept in a short ring for viewers that reconnect. It knows nothing of viewers; they subscribe.
 */
import { join } from 'node:path';
import type { Clock, Frame, Log, Size } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { Recording, Screen } from '../terminal/index.js';
import type { WorkPorts } from './modes/work.js';

/** A viewer that was away for a moment gets bytes, not a redraw: about a minute of a busy TUI. */
const RING_BYTES = 256 * 1024;

export interface TerminalOptions {
  size: Size;
  clock: Clock;
  log: Log;
  recording: { path: string; maxBytes: number; onTrouble: (reason: string) => void; onAgain?: () => void };
}

export class Output {
  /** Absent when the agent runs on pipes. */
  readonly screen: Screen | undefined;
  readonly #recording: Recording | undefined;
  #ring: Uint8Array[] = [];
  #ringBytes = 0;
  #offset = 0;
  #listeners: ((offset: number, bytes: Uint8Array) => void)[] = [];

  constructor(terminal?: TerminalOptions) {
    if (!terminal) return;
    const { size, clock, log, recording } = terminal;
    const screen = new Screen({ size, clock, log });
    this.screen = screen;
    // recording.max_mb: 0 means none.
    if (recording.maxBytes <= 0) return;
    this.#recording = new Recording({ ...recording, size, clock, keyframe: () => screen.snapshot({ scrollback: 0 }) });
  }

  /** Bytes so far: the offset of the next one. */
  get offset(): number {
    return this.#offset;
  }

  get recording(): Recording | undefined {
    return this.#recording;
  }

  subscribe(call: (offset: number, bytes: Uint8Array) => void): void {
    this.#listeners.push(call);
  }

  write(bytes: Uint8Array): void {
    const at = this.#offset;
    this.#offset += bytes.length;
    for (const call of this.#listeners) call(at, bytes);
    this.screen?.write(bytes);
    this.#recording?.output(bytes);
    this.#remember(bytes);
  }

  resize(size: Size): void {
    this.screen?.resize(size);
    this.#recording?.resize(size);
  }

  /** Bytes since an offset if the ring still has them, else a redraw. */
  async since(offset: number | undefined): Promise<{ frame: Frame | undefined; offset: number }> {
    // Nothing was drawn yet, so there is nothing to redraw: what a person has on their terminal stays there.
    if (this.#offset === 0 || offset === this.#offset) return { frame: undefined, offset: this.#offset };
    const first = this.#offset - this.#ringBytes;
    if (offset !== undefined && offset >= first && offset < this.#offset) {
      const bytes = Buffer.concat(this.#ring).subarray(offset - first);
      return { frame: { kind: 'output', offset, bytes }, offset: this.#offset };
    }
    if (!this.screen) {
      const bytes = Buffer.concat(this.#ring);
      return { frame: { kind: 'output', offset: first, bytes }, offset: this.#offset };
    }
    const snapshot = await this.screen.snapshot().catch(() => undefined);
    // The session is over and its screen is gone: nothing more can be shown, and nothing more will come.
    if (!snapshot) return { frame: undefined, offset: this.#offset };
    return { frame: { kind: 'snapshot', ...snapshot }, offset: snapshot.offset };
  }

  close(): void {
    this.screen?.close();
    this.#recording?.close();
  }

  #remember(bytes: Uint8Array): void {
    this.#ring.push(bytes);
    this.#ringBytes += bytes.length;
    while (this.#ringBytes > RING_BYTES && this.#ring.length > 1) this.#ringBytes -= this.#ring.shift()!.length;
  }
}

/** A session's own terminal: its screen, and its recording in the session's directory. */
export function terminalOutput(ports: Pick<WorkPorts, 'spec' | 'dir' | 'clock' | 'log' | 'journal'>): Output {
  const { spec, dir, clock, log, journal } = ports;
  const recording = {
    path: join(dir, FILES.recording),
    maxBytes: spec.config.recording.max_mb * 1024 * 1024,
    onTrouble: (reason: string) =>
      void journal.append('notice', { level: 'warn', text: `The recording stopped: ${reason}` }),
    onAgain: () =>
      void journal.append('notice', {
        level: 'info',
        text: 'The recording goes on; what was shown meanwhile is not in it.',
      }),
  };
  return new Output({ size: spec.seat.size, clock, log, recording });
}
