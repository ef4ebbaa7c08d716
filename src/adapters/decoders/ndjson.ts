/**
 * Lines of JSON out of raw bytes: characters cut by chunks, CRLF, and what a terminal adds around the lines (a PTY's
 * `ESC(B SI CSI>4m …` after the last one). Knows no agent. Raw control characters never occur inside valid JSON, so
 * taking them out cannot change a record. Never throws; a line that is no record becomes `unknown`.
 */
import type { AgentOutput, Decoder } from '../../contract/index.js';
import { lineStripper } from '../../vt/strip.js';

/** Longer lines are skipped: a record of this size is a tool result nobody reads, and memory must stay bounded. */
const LONGEST_LINE = 8 * 1024 * 1024;
/** How much of an unknown line is kept. */
const KEPT_OF_UNKNOWN = 2000;
const FIRST_BUFFER = 16 * 1024;
const LF = 0x0a;

export type Row = Record<string, unknown>;

function unknown(raw: string): AgentOutput {
  return { kind: 'unknown', raw: raw.length > KEPT_OF_UNKNOWN ? `${raw.slice(0, KEPT_OF_UNKNOWN)}…` : raw };
}

/** A decoder that hands each JSON object to `read`; undefined from `read` means "not understood". */
export function ndjson(read: (row: Row) => AgentOutput[] | undefined, atEnd?: () => AgentOutput[]): Decoder {
  const lines = new LineBuffer();

  const line = (bytes: Uint8Array): AgentOutput[] => {
    const text = cleanLine(new TextDecoder().decode(bytes));
    if (text === '') return [];
    const row = parseRow(text);
    try {
      return (row && read(row)) ?? [unknown(text)];
    } catch {
      // A record of an unexpected shape is the agent's news, not our failure: it is kept as it came.
      return [unknown(text)];
    }
  };
  const tooLong = (start: Uint8Array) => unknown(cleanLine(new TextDecoder().decode(start)));

  return {
    feed(chunk) {
      const outputs: AgentOutput[] = [];
      for (let at = 0; at < chunk.length; ) {
        const end = chunk.indexOf(LF, at);
        const start = lines.add(chunk.subarray(at, end < 0 ? chunk.length : end));
        if (start) outputs.push(tooLong(start));
        if (end < 0) break;
        const whole = lines.take();
        if (whole) outputs.push(...line(whole));
        at = end + 1;
      }
      return outputs;
    },
    end() {
      const rest = lines.take();
      return [...(rest ? line(rest) : []), ...(atEnd?.() ?? [])];
    },
  };
}

/** One line in the making, growing by doubling so that a line that comes byte by byte costs no more than one chunk. */
class LineBuffer {
  #bytes = new Uint8Array(FIRST_BUFFER);
  #length = 0;
  #skipping = false;

  /** Returns the start of the line once, at the moment it proves too long. */
  add(piece: Uint8Array): Uint8Array | undefined {
    if (this.#skipping) return undefined;
    if (this.#length + piece.length > LONGEST_LINE) {
      this.#grow(KEPT_OF_UNKNOWN * 4);
      const room = Math.max(0, KEPT_OF_UNKNOWN * 4 - this.#length);
      this.#bytes.set(piece.subarray(0, room), Math.min(this.#length, KEPT_OF_UNKNOWN * 4));
      const start = this.#bytes.slice(0, Math.min(KEPT_OF_UNKNOWN * 4, this.#length + piece.length));
      this.#skipping = true;
      this.#reset();
      return start;
    }
    this.#grow(this.#length + piece.length);
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
    return undefined;
  }

  /** The finished line, or undefined if it was skipped. */
  take(): Uint8Array | undefined {
    const skipped = this.#skipping;
    this.#skipping = false;
    if (skipped) return undefined;
    const line = this.#bytes.slice(0, this.#length);
    this.#reset();
    return line;
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const bigger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    bigger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bigger;
  }

  #reset(): void {
    this.#length = 0;
    if (this.#bytes.length > FIRST_BUFFER) this.#bytes = new Uint8Array(FIRST_BUFFER);
  }
}

function cleanLine(text: string): string {
  return /[\0-\x08\x0b-\x1f\x7f]/.test(text) ? lineStripper()(text).replaceAll('\r', '').trim() : text.trim();
}

function parseRow(text: string): Row | undefined {
  const whole = asRow(text);
  if (whole) return whole;
  // A terminal may echo in front of the record (`^D`), or a notice may share its line.
  const from = text.indexOf('{"type"');
  const row = from > 0 ? asRow(text.slice(from, text.lastIndexOf('}') + 1)) : undefined;
  return typeof row?.type === 'string' ? row : undefined;
}

function asRow(text: string): Row | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Row;
  } catch {
    return undefined; // Not JSON: the caller keeps the text.
  }
}

export const str = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const num = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const row = (value: unknown): Row | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : undefined;
export const rows = (value: unknown): Row[] =>
  list(value)
    .map(row)
    .filter((one) => one !== undefined);
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A block of text ends with a newline, so that blocks can be joined as they are. */
export const block = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
