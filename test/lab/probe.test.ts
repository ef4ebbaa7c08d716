/** `reins doctor --probe`: what it says of a real agent, and of one that only has its name. */
import { expect, it } from 'vitest';
import { install } from '../../src/testing/index.js';
import { fakeAgent } from '../journeys/support/agents.js';
import { reins } from '../journeys/support/cli.js';
import { newWorld } from '../journeys/support/world.js';
import { openLab } from './support.js';

interface Report {
  ok: boolean;
  agents: { agent: string; version: string; signs: { sign: string; ok: boolean; detail?: string }[] }[];
}

const broken = (report: Report) => report.agents.flatMap(({ signs }) => signs.filter(({ ok }) => !ok));

it('every sign holds for the real codex, on PATH', async () => {
  const { world } = await openLab('codex', 'turns: []');
  const installed = await install('codex', process.env);
  const probed = await reins(world, ['doctor', '--probe', '--json']);
  const report = JSON.parse(probed.stdout) as Report;
  expect(broken(report)).toEqual([]);
  expect(report.agents).toMatchObject([{ agent: 'codex', version: installed.version }]);
  expect(probed.code).toBe(0);
});

it('drift: an agent that no longer behaves is found out, sign by sign, and nothing is left running', async () => {
  const world = newWorld();
  fakeAgent(world, 'codex', { version: 'codex-cli 99.0.0', body: `print('I am new here\\n'); process.exit(7);` });
  const probed = await reins(world, ['doctor', '--probe']);
  expect(probed.code).toBe(1);
  expect(probed.stdout).toMatch(/codex +99\.0\.0 +NO/);
  expect(probed.stdout).toContain('Some signs no longer hold');
});

it('nothing to probe is said, with what to do', async () => {
  const probed = await reins(newWorld(), ['doctor', '--probe']);
  expect(probed.code).toBe(2);
  expect(probed.stderr).toContain('--pinned');
});
