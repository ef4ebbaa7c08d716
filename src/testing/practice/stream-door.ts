/**
 * The one-way doors: `stream` prints NDJSON as claude's stream-json does, `text` only the words. Nobody can be asked
 * here, so a tool that needs permission is refused unless permissions are skipped, and questions never get an answer.
 */
import { writeSync } from 'node:fs';
import { converse, type PracticeConversation } from './conversation.js';
import { type Face, type Permit, type PracticeCall, type PracticeDoor, QUESTION } from './face.js';
import { Records } from './records.js';
import type { PracticeSession } from './session.js';
import type { ToolResult } from './tools.js';

/** Pieces of streamed text come this far apart. */
const WORD_MS = 20;

/** Writes everything, also to a pipe that is full and not blocking: nothing is lost when the process ends right after. */
export function write(bytes: Buffer | string): void {
  let rest = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      // The reader is gone: nothing we say matters any more.
      else if (code === 'EPIPE' || code === 'EIO') process.exit(141);
      else throw error;
    }
  }
}

export class NdjsonFace implements Face {
  readonly door: PracticeDoor = 'stream';
  readonly records: Records;
  readonly session: PracticeSession;
  readonly #partial: boolean;

  constructor(given: { session: PracticeSession; partial: boolean }) {
    this.session = given.session;
    this.records = new Records(given.session);
    this.#partial = given.partial;
  }

  async say(text: string, signal: AbortSignal): Promise<void> {
    const said = await this.#stream(text, signal, 'text');
    this.print(this.records.block({ type: 'text', text: said }));
  }

  async think(text: string, signal: AbortSignal): Promise<void> {
    await this.#stream(text, signal, 'thinking');
    this.print(this.records.block({ type: 'thinking', thinking: text, signature: '' }));
  }

  called(call: PracticeCall): void {
    this.print(this.records.toolUse(call));
  }

  returned(call: PracticeCall, result: ToolResult): void {
    this.print(this.records.toolResult(call, result));
  }

  async permit(call: PracticeCall, _signal: AbortSignal): Promise<Permit> {
    if (call.tool === QUESTION)
      return { allowed: false, reason: `${QUESTION} exists but is not enabled in this context` };
    return { allowed: false, reason: `${call.tool} needs permission, but nobody can be asked here` };
  }

  retrying(attempt: { attempt: number; of: number; delayMs: number; status: number }): void {
    this.print(this.records.retry(attempt));
  }

  encode(text: string): Buffer {
    return Buffer.from(`${JSON.stringify(this.records.block({ type: 'text', text }))}\n`);
  }

  raw(bytes: Buffer): void {
    write(bytes);
  }

  print(record: object): void {
    write(`${JSON.stringify(record)}\n`);
  }

  /** What was said before an interrupt, if there was one. */
  async #stream(text: string, signal: AbortSignal, kind: 'text' | 'thinking'): Promise<string> {
    if (this.session.pace === 0 && !this.#partial) return text;
    let said = '';
    for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
      if (signal.aborted) return said;
      said += word;
      if (this.#partial) this.print(this.records.delta({ type: `${kind}_delta`, [kind]: word }));
      await this.session.wait(WORD_MS, signal);
    }
    return said;
  }
}

class TextFace extends NdjsonFace {
  override readonly door = 'text';

  override encode(text: string): Buffer {
    return Buffer.from(text.endsWith('\n') ? text : `${text}\n`);
  }
  override print(record: object): void {
    const { type, message, is_error, result } = record as Record<string, unknown>;
    if (type === 'result' && is_error === true) write(`${result ?? 'Interrupted'}\n`);
    const [block] = type === 'assistant' ? (message as { content: { type: string; text: string }[] }).content : [];
    if (block?.type === 'text' && !('error' in record)) write(this.encode(block.text));
  }
}

export async function streamDoor(given: {
  prompt: string;
  session: PracticeSession;
  chosen: PracticeConversation['chosen'];
  partial: boolean;
  text: boolean;
}): Promise<number> {
  const { session, chosen } = given;
  const face = given.text ? new TextFace(given) : new NdjsonFace(given);
  const turn = new AbortController();
  // SIGINT ends the turn cleanly, as `claude -p` does; a habit that ignores signals takes this handler away again.
  process.on('SIGINT', () => turn.abort());
  face.print(face.records.init());
  await session.hooks.run('SessionStart', { source: session.resumed ? 'resume' : 'startup', model: 'practice-script' });
  const end = await converse(given.prompt, { face, session, chosen, signal: turn.signal });
  const shown =
    end.kind === 'refused' ? { kind: 'error' as const, text: end.reason, status: 400, error: 'invalid_request' } : end;
  for (const record of face.records.end(shown)) face.print(record);
  await session.hooks.run('SessionEnd', { reason: 'other' });
  return end.kind === 'done' ? 0 : 1;
}
