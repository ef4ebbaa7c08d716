import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Transcript } from '../adapters/index.js';
import { type AgentOutput, systemClock } from '../contract/index.js';
import { SessionTranscript } from './transcript.js';

const PID = 4711;
let dir: string;
let told: AgentOutput[];
let transcript: SessionTranscript;

/** Each line of a file is a text. */
const follow = (since: number): SessionTranscript => {
  const place = (id: string) => ({ dir: join(dir, 'files'), depth: 0, name: new RegExp(`^${id}$`) });
  const how: Transcript = {
    place: place('first'),
    note: { file: (pid) => join(dir, `${pid}.note`), conversation: (content) => content || undefined, place },
    reader: () => ({
      unknown: 0,
      flush: () => [],
      file: () => ({
        feed: (bytes, about) => (about?.history ? [] : [{ kind: 'text', text: Buffer.from(bytes).toString() }]),
      }),
    }),
  };
  const pids = () => [1, PID];
  return new SessionTranscript({
    transcript: how,
    cwd: dir,
    since,
    clock: systemClock,
    pids,
    told: (o) => told.push(o),
  });
};
const write = (id: string, text: string) => writeFileSync(join(dir, 'files', id), text);
const note = (id: string) => writeFileSync(join(dir, `${PID}.note`), id);

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'transcript-'));
  mkdirSync(join(dir, 'files'));
  told = [];
});

afterEach(async () => {
  await transcript.close();
  rmSync(dir, { recursive: true });
});

it('the agent’s own note names a new conversation: its file is followed as well', async () => {
  transcript = follow(Date.now());
  note('first');
  write('first', 'before');
  await vi.waitFor(() => expect(told).toContainEqual({ kind: 'text', text: 'before' }), 5_000);
  note('second');
  write('second', 'after');
  await vi.waitFor(() => expect(told).toContainEqual({ kind: 'text', text: 'after' }), 5_000);
  expect(told.flatMap((one) => (one.kind === 'conversation' ? [one.id] : []))).toEqual(['first', 'second']);
});

it('a note from before this launch is somebody else’s', async () => {
  note('theirs');
  const old = new Date(Date.now() - 60_000);
  utimesSync(join(dir, `${PID}.note`), old, old);
  write('theirs', 'not ours');
  transcript = follow(Date.now());
  write('first', 'ours');
  await vi.waitFor(() => expect(told).toContainEqual({ kind: 'text', text: 'ours' }), 5_000);
  await transcript.end();
  expect(told).toEqual([{ kind: 'text', text: 'ours' }]);
});
