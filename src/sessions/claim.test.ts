import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { statOf } from '../proc/index.js';
import { withClaim } from './claim.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claim-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const place = () => ({ id: 'k7f2m9qd', dir });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('many at once take turns, and leave nothing behind', async () => {
  const order: string[] = [];
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) =>
      withClaim(place(), async () => {
        order.push(`${name} in`);
        for (let step = 0; step < 5; step += 1) await turn();
        order.push(`${name} out`);
      }),
    ),
  );
  expect(order.length).toBe(8);
  for (let at = 0; at < order.length; at += 2) expect(order[at + 1]).toBe(order[at]!.replace(' in', ' out'));
  expect(readdirSync(dir)).toEqual([]);
});

test('what is claimed is given back when the work fails', async () => {
  await expect(withClaim(place(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await withClaim(place(), async () => 'mine')).toBe('mine');
  expect(readdirSync(dir)).toEqual([]);
});

test('the claim of a process that died counts for nothing, also when its pid was used again', async () => {
  const child = spawn('sleep', ['60']);
  const { startTicks } = statOf(child.pid!)!;
  writeFileSync(join(dir, 'claim'), JSON.stringify({ pid: child.pid, start_ticks: startTicks }));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  let held = true;
  const waits = withClaim(place(), async () => held);
  for (let step = 0; step < 20; step += 1) await turn();
  expect(JSON.parse(readFileSync(join(dir, 'claim'), 'utf8'))).toMatchObject({ pid: child.pid });
  held = false;
  child.kill('SIGKILL');
  await gone;
  expect(await waits).toBe(false);
  writeFileSync(join(dir, 'claim'), JSON.stringify({ pid: process.pid, start_ticks: statOf('self')!.startTicks + 1 }));
  expect(await withClaim(place(), async () => 'taken')).toBe('taken');
});

test('where nothing can be written there is nothing to wait for', async () => {
  expect(await withClaim({ id: 'x', dir: join(dir, 'missing') }, async () => 'done')).toBe('done');
});
