/** Part 4's loop on the real agents: plan, build, review, a gate that fails twice, rehearsed from a scenario file. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LabAgent } from '../../src/testing/lab/index.js';
import { reins } from '../journeys/support/cli.js';
import { all, entry } from '../journeys/support/journal.js';
import { newWorld } from '../journeys/support/world.js';

const CONFIG = `
event_loop:
  max_iterations: 10
  gates: [{name: test, run: "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; [ $n -ge 3 ]"}]
hats:
  planner: {triggers: [task.start], publishes: [plan.done], instructions: Plan it.}
  builder: {triggers: [plan.done, review.rejected], publishes: [build.done], instructions: Build it.}
  reviewer: {triggers: [build.done], publishes: [review.rejected], instructions: Review it.}
`;

const SCENARIO = {
  turns: [
    { text: 'Planned.\n<event topic="plan.done">one step</event>' },
    { text: 'I build. ', bash: 'echo built > built.txt' },
    { text: 'Built.\n<event topic="build.done">built.txt</event>' },
    ...['Reviewed.', 'Reviewed again.', 'And again.'].map((words) => ({ text: `${words}\nLOOP_COMPLETE` })),
  ],
};

test.each<LabAgent>(['claude', 'codex', 'gemini'])('%s: three hats, a gate that fails twice, done', async (agent) => {
  const world = newWorld();
  world.write('reins.yml', CONFIG);
  const scenario = world.write('scenario.json', JSON.stringify(SCENARIO));
  const env = { XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache') };
  const args = ['rehearse', scenario, '-b', agent, '--set', 'tools.defaults.detached=auto', 'make it'];
  expect(await reins(world, args, { env })).toMatchObject({ code: 0 });
  const hats = (await all(world, 'iteration.started')).map(({ data }) => data.hat);
  expect(hats).toEqual(['planner', 'builder', 'reviewer', 'reviewer', 'reviewer']);
  expect((await all(world, 'gate.ran')).map(({ data }) => data.ok)).toEqual([false, false, true]);
  expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'completed', exit_code: 0 });
});
