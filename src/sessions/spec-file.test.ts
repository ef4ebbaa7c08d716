import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSpec, specOf, UNSEEN } from './spec-file.js';

function placeWith(spec: unknown) {
  const dir = mkdtempSync(join(tmpdir(), 'spec-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'session.json'), JSON.stringify(spec));
  return { id: 'k7f2m9qd', dir };
}

const TASK = { v: 1, id: 'k7f2m9qd', name: 'x', mode: 'exec', trust: 'guarded', cwd: '/', created_at: 'then' };
const PRESENCE = { present: true, reason: 'tty' };

test('the seat of a session that an earlier build started stood among the task', () => {
  const flat = { size: { cols: 90, rows: 30 }, tied: true, non_interactive: 'env', presence: PRESENCE, term: 'xterm' };
  const { seat, ...task } = specOf(placeWith({ ...TASK, ...flat }))!;
  expect(seat).toEqual({ ...flat, terminal: true });
  expect(task).toEqual(TASK);
});

test('one that says nothing of it is nobody’s', () => {
  expect(specOf(placeWith(TASK))?.seat).toEqual(UNSEEN);
});

test('a seat of its own is taken as it is', () => {
  const seat = { ...UNSEEN, tied: true, presence: PRESENCE };
  expect(specOf(placeWith({ ...TASK, seat }))).toEqual({ ...TASK, seat });
});

test('what a later build writes is not guessed at', () => {
  expect(readSpec(placeWith({ ...TASK, v: 2, reins: '9.9.9' }))).toEqual({
    wrong: 'its session.json was written by another version of Reins (9.9.9)',
  });
});
