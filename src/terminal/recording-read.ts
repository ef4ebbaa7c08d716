/**
 * Reads a recording back: all parts of ours in order, or any asciicast v2 file alone. Times are milliseconds since the
 * beginning of the oldest part that is left. A torn last line (the writer was killed) is no error: it is left out.
 */
import { open, rename, rm } from 'node:fs/promises';
import type { Size } from '../contract/index.js';
import { Screen } from './screen.js';
import { closedSegments, readSegment, type Segment } from './segments.js';

/** Written at once by an export. */
const EXPORT_CHARS = 256 * 1024;

export interface CastEvent {
  timeMs: number;
  code: string;
  data: string;
}

export interface RecordingReader {
  size: Size;
  /** Epoch milliseconds of time zero. */
  startedAt: number;
  durationMs: number;
  events(range?: { from?: number; to?: number }): AsyncGenerator<CastEvent>;
  /** The screen at a moment: its size, and bytes that draw it. Reads one part, not the whole recording. */
  at(timeMs: number): Promise<{ size: Size; bytes: Uint8Array }>;
  chapters(): Promise<{ timeMs: number; label: string }[]>;
  /** The text of what `exportCast` writes, in pieces. */
  cast(): AsyncGenerator<string>;
  /** One plain asciicast v2 file that any player understands. */
  exportCast(dest: string): Promise<void>;
}

interface CastPart {
  size: Size;
  startedAt: number;
  keyframe: boolean;
  /** Times within the part, in milliseconds. */
  events: CastEvent[];
}

/** Rejects when there is no recording at this path, or none that can be read. */
export async function openRecording(path: string): Promise<RecordingReader> {
  const { segments, first, last } = await readable(path);
  const zero = first.startedAt;
  const after = (part: { startedAt: number }): number => Math.max(0, part.startedAt - zero);

  async function* events({ from = 0, to = Number.POSITIVE_INFINITY } = {}): AsyncGenerator<CastEvent> {
    for (const [index, segment] of segments.entries()) {
      const next = segments[index + 1];
      if (after(segment) > to) return;
      const part = next && after(next) < from ? undefined : await parse(segment);
      for (const event of part?.events.slice(part.keyframe && index > 0 ? 1 : 0) ?? []) {
        const timeMs = event.timeMs + after(segment);
        if (timeMs > to) return;
        if (timeMs >= from) yield { ...event, timeMs };
      }
    }
  }

  const cast = () => castText({ size: first.size, startedAt: zero, events: events() });
  return {
    size: first.size,
    startedAt: zero,
    durationMs: after(last) + (last.events.at(-1)?.timeMs ?? 0),
    events,
    async at(timeMs) {
      const segment = segments.findLast((candidate) => after(candidate) <= timeMs) ?? segments[0]!;
      return draw((await parse(segment)) ?? first, timeMs - after(segment));
    },
    async chapters() {
      const found: { timeMs: number; label: string }[] = [];
      for await (const event of events()) {
        if (event.code === 'm') found.push({ timeMs: event.timeMs, label: event.data });
      }
      return found;
    },
    cast,
    exportCast: (dest) => writeCast(dest, cast()),
  };
}

async function readable(path: string): Promise<{ segments: Segment[]; first: CastPart; last: CastPart }> {
  const live: Segment = { path, number: Number.MAX_SAFE_INTEGER, startedAt: 0, bytes: 0, compressed: false };
  const livePart = await parse(live);
  const segments = await closedSegments(path);
  if (livePart) segments.push({ ...live, startedAt: livePart.startedAt });
  while (segments.length > 0) {
    const first = await parse(segments[0]!);
    const last = livePart ?? (await parse(segments.at(-1)!)) ?? first;
    if (first && last) return { segments, first, last };
    segments.shift();
  }
  throw new Error(`no recording can be read at ${path}`);
}

async function draw(part: CastPart, untilMs: number): Promise<{ size: Size; bytes: Uint8Array }> {
  const screen = new Screen({ size: part.size });
  // Nobody waits for answers in a replay.
  screen.answering = false;
  try {
    for (const event of part.events) {
      if (event.timeMs > untilMs) break;
      if (event.code === 'o') screen.write(Buffer.from(event.data, 'utf8'));
      else if (event.code === 'r') screen.resize(sizeOf(event.data) ?? screen.size);
    }
    const { size, bytes } = await screen.snapshot({ scrollback: 0 });
    return { size, bytes };
  } finally {
    screen.close();
  }
}

/** The recording as one asciicast v2 file, in large pieces. */
async function* castText(head: {
  size: Size;
  startedAt: number;
  events: AsyncGenerator<CastEvent>;
}): AsyncGenerator<string> {
  const { size, startedAt, events } = head;
  const env = { TERM: 'xterm-256color' };
  const header = { version: 2, width: size.cols, height: size.rows, timestamp: Math.floor(startedAt / 1000), env };
  let text = `${JSON.stringify(header)}\n`;
  for await (const event of events) {
    text += `${JSON.stringify([event.timeMs / 1000, event.code, event.data])}\n`;
    if (text.length < EXPORT_CHARS) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Appears whole or not at all: written beside and renamed. */
async function writeCast(dest: string, pieces: AsyncGenerator<string>): Promise<void> {
  const part = `${dest}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    for await (const piece of pieces) await file.appendFile(piece);
    await rename(part, dest);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Undefined when the file is missing, damaged, or has no whole header yet. */
async function parse(segment: Segment): Promise<CastPart | undefined> {
  const text = await readSegment(segment).catch(() => undefined);
  if (text === undefined) return undefined;
  const [head, ...lines] = text.split('\n');
  const header = json(head ?? '') as
    | {
        version?: unknown;
        width?: unknown;
        height?: unknown;
        timestamp?: unknown;
        reins?: { at?: unknown; keyframe?: unknown };
      }
    | undefined;
  if (header?.version !== 2 || typeof header.width !== 'number' || typeof header.height !== 'number') return undefined;
  const at = header.reins?.at;
  const startedAt = typeof at === 'number' ? at : typeof header.timestamp === 'number' ? header.timestamp * 1000 : 0;
  const events: CastEvent[] = [];
  for (const line of lines) {
    const event = json(line);
    if (!Array.isArray(event) || typeof event[0] !== 'number' || typeof event[2] !== 'string') continue;
    events.push({ timeMs: event[0] * 1000, code: String(event[1]), data: event[2] });
  }
  return {
    size: { cols: header.width, rows: header.height },
    startedAt,
    keyframe: header.reins?.keyframe === true,
    events,
  };
}

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A torn or foreign line is left out; the lines around it still count.
    return undefined;
  }
}

function sizeOf(text: string): Size | undefined {
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(text);
  return match ? { cols: Number(match[1]), rows: Number(match[2]) } : undefined;
}
