/** What a killed host left in the temporary folder is taken away; what lives, or is young or not ours, is not. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ownIdentity } from '../proc/peer.js';
import { newEmitFolder, sweepEmitFolders } from './emit-folder.js';

const DAYS = 24 * 60 * 60 * 1000;
const DEAD = '4194303-1';

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'emit-folder-'));
  vi.stubEnv('TMPDIR', dir);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

it('of a dead host’s folder nothing is left after a day; a living one’s stays however old', () => {
  const dir = temporary();
  const own = newEmitFolder();
  const { pid, startTicks } = ownIdentity();
  expect(own.startsWith(join(dir, `reins-emit-${pid}-${startTicks}-`))).toBe(true);
  const left = join(dir, `reins-emit-${DEAD}-aBc123`);
  mkdirSync(left);
  writeFileSync(join(left, 'x.ask'), 'x');
  sweepEmitFolders(Date.now());
  expect(existsSync(left)).toBe(true);
  sweepEmitFolders(Date.now() + 2 * DAYS);
  expect(readdirSync(dir)).toEqual([own.slice(dir.length + 1)]);
});

it('a pid that is another process by now counts as dead; links, other names and folders inside are not followed', () => {
  const dir = temporary();
  const beside = join(dir, 'beside');
  mkdirSync(beside);
  writeFileSync(join(beside, 'mine'), 'x');
  symlinkSync(beside, join(dir, `reins-emit-${DEAD}-linked`));
  mkdirSync(join(dir, 'reins-emit-other'));
  const deep = join(dir, `reins-emit-${DEAD}-deep00`);
  mkdirSync(join(deep, 'a', 'b'), { recursive: true });
  const reused = join(dir, `reins-emit-${process.pid}-1-reused`);
  mkdirSync(reused);
  for (const folder of [deep, reused]) utimesSync(folder, new Date(0), new Date(0));
  sweepEmitFolders(Date.now() + 2 * DAYS);
  expect(readdirSync(dir).sort()).toEqual([
    'beside',
    `reins-emit-${DEAD}-deep00`,
    `reins-emit-${DEAD}-linked`,
    'reins-emit-other',
  ]);
  expect(existsSync(join(beside, 'mine'))).toBe(true);
});
