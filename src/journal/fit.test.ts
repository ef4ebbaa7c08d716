import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Entry, encodeFrame, HandClock, MAX_FRAME, type SessionId } from '../contract/index.js';
import { Journal, readJournal } from './index.js';

function open() {
  const dir = mkdtempSync(join(tmpdir(), 'journal-fit-'));
  const file = join(dir, 'journal.jsonl');
  const { journal } = Journal.open({ file, session: 'k7f2m9qd' as SessionId, clock: new HandClock() });
  onTestFinished(() => {
    journal.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return { journal, file };
}

it.each<[string, unknown]>([
  ['one text', 'x'.repeat(MAX_FRAME)],
  ['a text that grows when it is written', '\u0001'.repeat(MAX_FRAME / 6)],
  ['a text deep inside', { a: [{ b: 'é'.repeat(MAX_FRAME / 2) }] }],
  ['many texts', Array.from({ length: 300 }, () => 'y'.repeat(100_000))],
  ['many small things', Array.from({ length: 5_000_000 }, () => 12_345)],
  ['names of fields', { ['k'.repeat(MAX_FRAME)]: 1 }],
])('of an entry that would not go through a link, %s is cut, for the file and for all who are told', (_, input) => {
  const { journal, file } = open();
  const told: Entry[] = [];
  journal.subscribe((entry) => told.push(entry));
  const entry = journal.append('tool.called', { call: 'c1', tool: 'Bash', input });
  expect(entry.data).toMatchObject({ call: 'c1', tool: 'Bash' });
  expect(() => encodeFrame({ kind: 'json', json: { t: 'entry', entry: entry as Entry } })).not.toThrow();
  expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThanOrEqual(MAX_FRAME / 2);
  expect(told).toEqual([entry]);
  expect(readJournal(file)).toEqual([entry]);
});

it('what was cut says so; what fits is as it was', () => {
  const { journal } = open();
  const fits = { text: 'x'.repeat(MAX_FRAME / 2 - 1000) };
  expect(journal.append('agent.text', fits).data).toBe(fits);
  const { text } = journal.append('agent.text', { text: 'x'.repeat(MAX_FRAME) }).data;
  expect(text.endsWith(`x… (${MAX_FRAME} characters, cut)`)).toBe(true);
});
