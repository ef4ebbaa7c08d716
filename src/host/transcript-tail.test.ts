/** Files that grow, are torn, cut short, replaced: real ones, in a folder of their own. */
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Transcript } from '../adapters/index.js';
import { type AgentOutput, systemClock } from '../contract/index.js';
import { SessionTranscript } from './transcript.js';
import { headOf, isHeldBy, transcriptsIn } from './transcript-find.js';
import { TranscriptTail } from './transcript-tail.js';

let dir: string;
let path: string;
const open: { close(): Promise<void> }[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tail-'));
  path = join(dir, 'a.jsonl');
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  rmSync(dir, { recursive: true, force: true });
});

function tailed(options: { historyBytes?: number } = {}) {
  const got = { text: '', history: '' };
  const tail = new TranscriptTail({
    path,
    clock: systemClock,
    ...options,
    onBytes: (chunk, history) => {
      got[history ? 'history' : 'text'] += Buffer.from(chunk).toString();
    },
  });
  open.push(tail);
  return { tail, got };
}

describe('a file that grows', () => {
  it('is read as it grows, also when it was not there at first', async () => {
    const { got } = tailed();
    writeFileSync(path, 'one\n');
    await vi.waitFor(() => expect(got.text).toBe('one\n'), 5000);
    appendFileSync(path, 'tw');
    appendFileSync(path, 'o\n');
    await vi.waitFor(() => expect(got.text).toBe('one\ntwo\n'), 5000);
  });

  it('what was there before comes as history, byte for byte', async () => {
    writeFileSync(path, 'old\nnew\n');
    const { tail, got } = tailed({ historyBytes: 4 });
    await tail.look();
    expect(got).toEqual({ history: 'old\n', text: 'new\n' });
  });

  it('larger than a piece: nothing is lost at the seams', async () => {
    const big = 'x'.repeat(300_000);
    writeFileSync(path, big);
    const { tail, got } = tailed({ historyBytes: 70_000 });
    await tail.look();
    expect([got.history.length, got.text.length]).toEqual([70_000, 230_000]);
  });

  it('replaced by another file: the rest of the old one, then the new one from its beginning', async () => {
    writeFileSync(path, 'one\n');
    const { tail, got } = tailed();
    await tail.look();
    writeFileSync(join(dir, 'b'), 'fresh\n');
    renameSync(join(dir, 'b'), path);
    await tail.look();
    expect(got.text).toBe('one\nfresh\n');
  });

  it('cut short: from the beginning', async () => {
    writeFileSync(path, 'one\ntwo\n');
    const { tail, got } = tailed();
    await tail.look();
    truncateSync(path, 0);
    appendFileSync(path, 'new\n');
    await tail.look();
    expect(got.text).toBe('one\ntwo\nnew\n');
  });

  it('closed twice, nothing more is read', async () => {
    writeFileSync(path, 'one\n');
    const { tail, got } = tailed();
    await tail.look();
    await tail.close();
    await tail.close();
    appendFileSync(path, 'two\n');
    await tail.look();
    expect(got.text).toBe('one\n');
  });
});

describe('looking for transcripts', () => {
  it('newest names first, as deep as they lie, no other names', () => {
    for (const day of ['01', '02']) mkdirSync(join(dir, '2026', day), { recursive: true });
    writeFileSync(join(dir, '2026/01/r-a.jsonl'), '');
    writeFileSync(join(dir, '2026/02/r-b.jsonl'), '');
    writeFileSync(join(dir, '2026/02/other.txt'), '');
    writeFileSync(join(dir, 'r-top.jsonl'), '');
    const found = transcriptsIn({ dir, depth: 2, name: /^r-.*\.jsonl$/ }).map((one) => one.path.slice(dir.length + 1));
    expect(found).toEqual(['2026/02/r-b.jsonl', '2026/01/r-a.jsonl']);
    expect(transcriptsIn({ dir: join(dir, 'nowhere'), depth: 2, name: /./ })).toEqual([]);
  });

  it('the first line, once it is whole', () => {
    writeFileSync(path, '{"half":');
    expect(headOf(path)).toBeUndefined();
    appendFileSync(path, '1}\n{"next":1}\n');
    expect(headOf(path)).toBe('{"half":1}');
    expect(headOf(join(dir, 'nowhere'))).toBeUndefined();
  });

  it('who holds a file open is known by his processes', async () => {
    writeFileSync(path, '');
    expect(isHeldBy(path, [process.pid])).toBe(false);
    const { open: openFile } = await import('node:fs/promises');
    const file = await openFile(path, 'r');
    expect(isHeldBy(path, [process.pid])).toBe(true);
    await file.close();
    expect(isHeldBy(path, [2 ** 30])).toBeUndefined();
  });
});

describe('a session’s transcript', () => {
  /** A reader whose records are the lines themselves. */
  const face = (more: Partial<Transcript['place']> = {}): Transcript => ({
    place: { dir, depth: 0, name: /^main-.*\.jsonl$/, ...more },
    beside: (main) => ({ dir: main.replace(/\.jsonl$/, ''), depth: 0, name: /^sub-/ }),
    reader: () => ({
      unknown: 0,
      flush: () => [],
      file: () => ({
        feed: (chunk, options) => (options?.history ? [] : [{ kind: 'text', text: Buffer.from(chunk).toString() }]),
      }),
    }),
  });
  function watched(transcript: Transcript, pids: number[] = []) {
    const told: string[] = [];
    const session = new SessionTranscript({
      transcript,
      cwd: dir,
      since: Date.now() - 60_000,
      clock: systemClock,
      pids: () => pids,
      told: (output: AgentOutput) => told.push('text' in output ? String(output.text) : output.kind),
    });
    open.push(session);
    return { session, told };
  }

  it('is found by its name when it appears, with what lies beside it; the end brings the last of it', async () => {
    const { session, told } = watched(face());
    writeFileSync(join(dir, 'main-1.jsonl'), 'one');
    await vi.waitFor(() => expect(told).toEqual(['one']), 5000);
    mkdirSync(join(dir, 'main-1'));
    writeFileSync(join(dir, 'main-1', 'sub-1'), 'nested');
    appendFileSync(join(dir, 'main-1.jsonl'), 'two');
    await session.end();
    await session.end();
    expect(told.join(' ').split(' ').sort()).toEqual(['nested', 'one', 'two']);
  });

  it('one that is gone on with tells only what is new', async () => {
    writeFileSync(join(dir, 'main-1.jsonl'), 'old');
    const { session, told } = watched(face());
    appendFileSync(join(dir, 'main-1.jsonl'), 'new');
    await session.end();
    expect(told).toEqual(['new']);
  });

  it('a file a hook names is read too', async () => {
    const { session, told } = watched(face());
    writeFileSync(join(dir, 'elsewhere'), 'hooked');
    session.at(join(dir, 'elsewhere'));
    session.at(join(dir, 'elsewhere'));
    await session.end();
    expect(told).toEqual(['hooked']);
  });

  it('of two that could be it, the one that the agent holds open is; a stranger’s is left alone', async () => {
    writeFileSync(join(dir, 'main-1.jsonl'), 'theirs');
    const { open: openFile } = await import('node:fs/promises');
    const changing = face({ changes: true, owns: () => true });
    const { session, told } = watched(changing, [process.pid]);
    writeFileSync(join(dir, 'main-2.jsonl'), 'ours\n');
    writeFileSync(join(dir, 'main-1.jsonl'), 'theirs\n');
    const held = await openFile(join(dir, 'main-2.jsonl'), 'r');
    await session.end();
    await held.close();
    expect(told).toEqual(['ours\n']);
  });
});
