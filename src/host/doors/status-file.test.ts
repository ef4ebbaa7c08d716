import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tuiOf } from '../../../test/recordings/states.js';
import { saysItWaits } from './status-file.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'status-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const { status } = tuiOf('claude');
const tui = () => ({ ...tuiOf('claude'), statusFile: (pid: number) => join(dir, `${pid}.json`), status: status! });
const say = (pid: number, content: string) => writeFileSync(join(dir, `${pid}.json`), content);

it.each([
  ['{"status":"waiting","waitingFor":"dialog open"}', true],
  ['{"status":"waiting","waitingFor":"input needed"}', true],
  ['{"status":"idle"}', false],
  ['{"status":"busy"}', false],
  ['{"peerToken":"x"}', false],
  ['{"status":"wai', false],
  ['x'.repeat(100_000), false],
])('%.60s', (content, waits) => {
  say(7, content);
  expect(saysItWaits(tui(), () => [7])).toBe(waits);
});

it('no file, no status, no reader: it says nothing', () => {
  expect(saysItWaits(tui(), () => [1, 2, 3])).toBe(false);
  expect(saysItWaits(tuiOf('codex'), () => [1])).toBe(false);
});

it('the agent behind a wrapper is found, and a file without a status is passed over', () => {
  say(1, '{"peerToken":"x"}');
  say(2, '{"status":"waiting"}');
  expect(saysItWaits(tui(), () => [1, 2])).toBe(true);
});

it('a pipe in its place does not hold us up', () => {
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(dir, '1.json')]);
  expect(saysItWaits(tui(), () => [1])).toBe(false);
});
