import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HandClock, type SessionId, type SessionRow } from '../contract/index.js';
import { Journal } from '../journal/index.js';
import { keepRow, type RowInFile } from './row-file.js';

/** As it stands here: only the fields that change. */
function kept(options: { says?: (number: number) => void } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'row-file-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dir = join(root, 'session');
  mkdirSync(dir);
  const clock = new HandClock();
  const { journal } = Journal.open({ file: join(root, 'j'), session: 's' as SessionId, clock });
  onTestFinished(() => journal.close());
  const state = { row: { state: 'working', inquiries: 0 } as SessionRow };
  const numbers: number[] = [];
  const counts = options.says ?? ((number: number) => void numbers.push(number));
  const telling = { counts, close: () => undefined };
  const keeper = keepRow({ dir, journal, clock, row: () => state.row, telling })!;
  const file = join(dir, 'row.json');
  const read = () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RowInFile) : undefined);
  const entry = () => journal.append('notice', { level: 'info', code: 'x', text: 'x' });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { dir, clock, state, numbers, keeper, read, entry, turn, file };
}

it('a change counts at the end of its turn; the file follows, once for many', async () => {
  const { clock, state, numbers, read, entry, turn } = kept();
  clock.advance(100);
  expect([numbers, read()]).toEqual([[1], expect.objectContaining({ number: 1, row: state.row, pid: process.pid })]);
  state.row = { ...state.row, state: 'asking' };
  entry();
  state.row = { ...state.row, inquiries: 1 };
  entry();
  await turn();
  expect([numbers, read()!.number]).toEqual([[1, 2], 1]);
  state.row = { ...state.row, inquiries: 2 };
  entry();
  await turn();
  expect([numbers, read()!.number]).toEqual([[1, 2, 3], 1]);
  clock.advance(100);
  expect(read()).toMatchObject({ number: 3, row: { state: 'asking', inquiries: 2 } });
});

it('entries that change nothing in the row cost no write and leave no timer', async () => {
  const { clock, numbers, entry, turn, file } = kept();
  clock.advance(100);
  rmSync(file);
  for (let count = 0; count < 10; count += 1) entry();
  await turn();
  // Only for the file that was removed.
  clock.advance(100);
  expect([numbers, existsSync(file), clock.waiting]).toEqual([[1], true, 0]);
});

it('a disk that does not take it leaves the older one, which does not count; it is tried again', async () => {
  const { dir, clock, state, numbers, read, keeper } = kept();
  clock.advance(100);
  rmSync(dir, { recursive: true });
  state.row = { ...state.row, state: 'idle' };
  keeper.look();
  clock.advance(100);
  expect([numbers, read()]).toEqual([[1, 2], undefined]);
  mkdirSync(dir);
  keeper.look();
  clock.advance(100);
  expect(read()).toMatchObject({ number: 2, row: { state: 'idle' } });
});

it('what cannot be taken back by a number is removed', () => {
  const says = vi.fn();
  const { clock, state, keeper, file } = kept({ says });
  clock.advance(100);
  says.mockImplementation(() => {
    throw new Error('refused');
  });
  state.row = { ...state.row, state: 'idle' };
  keeper.look();
  expect(existsSync(file)).toBe(false);
});

it('is gone with its session', async () => {
  const { clock, state, numbers, keeper, entry, turn, file } = kept();
  clock.advance(100);
  keeper.close();
  state.row = { ...state.row, state: 'ended' };
  entry();
  await turn();
  keeper.look();
  clock.advance(1000);
  expect([numbers, existsSync(file)]).toEqual([[1], false]);
});
