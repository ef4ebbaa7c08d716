/**
 * The four ways the command line speaks, and the only file that writes to them: `out` (stdout: the assistant's text, or
 * data), `chrome` (stderr: progress and status), `tty` (/dev/tty: inquiries) and the log. A reader that closes stdout
 * ends the run quietly; it is never a stack trace.
 */
import { closeSync, openSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import type { Presence } from '../contract/index.js';
import { statOf } from '../proc/index.js';

export type Format = 'text' | 'text-pretty' | 'json';

export interface ChannelOptions {
  format: Format;
  quiet: boolean;
  /** Called once when whoever read stdout has closed it, or when it cannot be written to: then with the reason. */
  onBrokenPipe?: (reason?: string) => void;
}

/** /dev/tty, opened: inquiries are drawn and read here, whatever the standard streams are. */
export interface Tty {
  write(text: string): void;
  /** Keys as they come, in raw mode, until the returned function is called. */
  keys(call: (bytes: Buffer) => void): () => void;
  readonly columns: number;
  readonly rows: number;
  close(): void;
}

/** stdout was closed by its reader: what a shell reports for a process that died of SIGPIPE. */
export const BROKEN_PIPE_EXIT = 141;

export class Channels {
  readonly format: Format;
  readonly #quiet: boolean;
  readonly #onBrokenPipe: ((reason?: string) => void) | undefined;
  #broken = false;
  #midLine = false;

  constructor(options: ChannelOptions) {
    this.format = options.format;
    this.#quiet = options.quiet;
    this.#onBrokenPipe = options.onBrokenPipe;
    process.stdout.on('error', (error: NodeJS.ErrnoException) => this.#break(error));
    // Nobody reads our status: that is no reason to stop working.
    process.stderr.on('error', () => undefined);
  }

  get pretty(): boolean {
    return this.format === 'text-pretty';
  }

  out(data: string | Uint8Array): void {
    if (this.#broken || data.length === 0) return;
    this.#midLine = typeof data === 'string' ? !data.endsWith('\n') : data.at(-1) !== 10;
    process.stdout.write(data);
  }

  /** One JSON value, on one line or laid out for a person at a terminal. */
  json(value: unknown): void {
    this.out(`${JSON.stringify(value, null, this.pretty ? 2 : undefined)}\n`);
  }

  /** Whether the terminal's cursor stands behind text of ours: chrome on the same screen starts a new line. */
  get midLine(): boolean {
    return this.#midLine;
  }

  chrome(text: string): void {
    if (this.#quiet) return;
    this.#err(text);
  }

  /** Errors are told even under -q. */
  complain(text: string): void {
    this.#err(text);
  }

  /** An error as one JSON line; `type` tells it from chrome. */
  failure(error: { code: string; message: string; hint: string }): void {
    const line = { v: 1, ts: new Date().toISOString(), type: 'error', ...error };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  }

  /** Raw bytes of a child's standard error (exec --no-pty). */
  childError(bytes: Uint8Array): void {
    process.stderr.write(bytes);
  }

  /** Resolves when everything written has left. */
  async flush(): Promise<void> {
    await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
  }

  #err(text: string): void {
    const line =
      this.format === 'json'
        ? JSON.stringify({ v: 1, ts: new Date().toISOString(), type: 'chrome', text: plain(text) })
        : this.pretty
          ? text
          : plain(text);
    const shown = this.format === 'json' || !process.stderr.isTTY ? line : wrapWords(line, process.stderr.columns);
    const fresh = this.#midLine && process.stdout.isTTY && process.stderr.isTTY ? '\n' : '';
    if (fresh) this.#midLine = false;
    process.stderr.write(`${fresh}${shown}\n`);
  }

  #break(error: NodeJS.ErrnoException): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#onBrokenPipe?.(error.code === 'EPIPE' ? undefined : error.message);
  }
}

/** Narrower than this, words have to be broken. */
const NARROWEST = 20;

/** Lines no longer than the terminal is wide, broken between words, indented like the line they go on with. */
export function wrapWords(text: string, columns: number): string {
  if (!(columns >= NARROWEST)) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)![0];
      const rows: string[] = [];
      let row = '';
      for (const word of line.slice(indent.length).split(' ')) {
        const longer = row === '' ? word : `${row} ${word}`;
        if (row !== '' && indent.length + plain(longer).length > columns) {
          rows.push(indent + row);
          row = word;
        } else row = longer;
      }
      return [...rows, indent + row];
    })
    .join('\n');
}

/** Our own chrome without colours. */
function plain(text: string): string {
  return text.replace(/\x1b\[[0-9;]*m/g, '');
}

/**
 * Can a person answer on /dev/tty right now? It must really open, and we must be its foreground group: a background job
 * could open it too, and would be stopped by its first read.
 */
export function ttyPresence(): Presence {
  const fd = openTtyFd();
  if (fd === undefined) return { present: false, reason: 'no-controlling-tty' };
  closeSync(fd);
  const me = statOf('self');
  if (me && me.foreground !== me.pgid) return { present: false, reason: 'background-job' };
  return { present: true, reason: 'tty' };
}

function openTtyFd(): number | undefined {
  try {
    return openSync('/dev/tty', 'r+');
  } catch {
    return undefined; // no controlling terminal: the only probe that tells the truth is opening it
  }
}

/** Undefined where no person can be reached. */
export function openTty(): Tty | undefined {
  if (!ttyPresence().present) return undefined;
  const fd = openTtyFd();
  if (fd === undefined) return undefined;
  const input = new ReadStream(fd);
  // A stream of its own for writing: it knows the window's size whatever stdout is, and writes all or waits.
  const outFd = openSync('/dev/tty', 'w');
  const output = new WriteStream(outFd);
  // A terminal that went away shows as its presence being gone.
  for (const stream of [input, output]) stream.on('error', () => undefined);
  let closed = false;
  return {
    write(text) {
      if (!closed) output.write(text);
    },
    keys(call) {
      const take = (bytes: Buffer) => call(bytes);
      input.setRawMode(true);
      input.on('data', take);
      input.resume();
      return () => {
        input.off('data', take);
        input.pause();
        if (!closed && !input.destroyed) input.setRawMode(false);
      };
    },
    get columns() {
      return output.getWindowSize()[0] || UNKNOWN_SIZE.columns;
    },
    get rows() {
      return output.getWindowSize()[1] || UNKNOWN_SIZE.rows;
    },
    close() {
      if (closed) return;
      closed = true;
      if (!input.destroyed) input.setRawMode(false);
      input.destroy();
      output.destroy();
      // Node reopens terminals by name and leaves the descriptors it was given open.
      for (const given of [fd, outFd]) closeQuietly(given);
    },
  };
}

/** A terminal that does not know its size says 0. */
const UNKNOWN_SIZE = { columns: 80, rows: 24 };

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Closed with its stream already.
  }
}
