/** Real agents in trouble: their provider refuses, they are killed, interrupted, stopped in the middle of a tool. */
import { describe, expect, it } from 'vitest';
import { reins, startReins } from '../journeys/support/cli.js';
import { all, entry } from '../journeys/support/journal.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, longCommand, openLab, runOnce, session } from './support.js';

const TRUSTS = ['guarded', 'full'];
const allowSleep = ['--set', 'rules.allow=["Bash(nice sleep:*)", "Bash(sleep:*)"]'];

describe.each(AGENTS)('%s, the provider refuses', (agent) => {
  it.each([
    [401, 'guarded'],
    [401, 'full'],
    [500, 'guarded'],
    [500, 'full'],
    [529, 'guarded'],
    [529, 'full'],
  ])('%s, trust %s: its exit code, and the provider’s words', async (error, trust) => {
    const lab = await openLab(agent, `turns: [{error: ${error}, message: the lab says no, times: always}]`);
    const ended = await runOnce(lab, ['--trust', trust]);
    const code = error === 401 ? 20 : 1;
    expect(ended).toMatchObject({ code });
    // Codex has words of its own for a 500.
    expect(ended.stderr).toMatch(agent === 'codex' && error === 500 ? /high demand/ : /the lab says no/);
    expect(ended.stderr).not.toContain('\x1b');
    expect((await entry(lab.world, 'iteration.ended')).data).toMatchObject({ outcome: 'failed' });
    expect((await entry(lab.world, 'session.ended')).data).toMatchObject({ outcome: 'failed', exit_code: code });
  });

  it.each(TRUSTS)('a usage limit, trust %s: said as such, with its end, exit 1', async (trust) => {
    const message = 'You have reached your usage limit. Your quota will reset after 1h2m3s.';
    const lab = await openLab(agent, `turns: [{error: usage-limit, message: "${message}", times: always}]`);
    const ended = await runOnce(lab, ['--trust', trust]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/limit|quota/i);
    const limited = (await all(lab.world, 'state.changed')).find(({ data }) => data.agent_state === 'limited');
    expect(limited?.data.detail).toMatch(/limit|quota/i);
    // Gemini keeps the time to itself.
    if (agent !== 'gemini') expect(Date.parse(limited?.data.until ?? '')).toBeGreaterThan(Date.now());
  });
});

describe.each(AGENTS)('%s dies', (agent) => {
  it.each(TRUSTS)('killed in the middle of its turn, trust %s: a failed iteration that says so', async (trust) => {
    const lab = await openLab(agent, 'turns: [{delay: 60000, text: never}]');
    const running = startReins(lab.world, ['run', '-b', agent, '--once', '--trust', trust, 'go']);
    await until('a request to the model', () => lab.server.main.length > 0);
    process.kill((await entry(lab.world, 'agent.started')).data.pid, 'SIGKILL');
    const ended = await running.done;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('SIGKILL');
    expect((await entry(lab.world, 'iteration.ended')).data).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('SIGKILL'),
    });
  });
});

describe.each(AGENTS)('%s, while a tool runs', (agent) => {
  it.each(TRUSTS)('SIGINT to `reins run`, trust %s: 130, and nothing is left', async (trust) => {
    const { command, runs } = longCommand();
    const lab = await openLab(agent, `turns: [{bash: ${command}}, {text: never}]`);
    const running = startReins(lab.world, ['run', '-b', agent, '--once', '--trust', trust, ...allowSleep, 'go']);
    await until('the tool', runs);
    running.signal('SIGINT');
    expect(await running.done).toMatchObject({ code: 130 });
    expect(runs()).toBe(false);
    await lab.world.empty();
  });

  it.each(TRUSTS)('`reins interrupt`, trust %s: the turn ends, the tool with it', async (trust) => {
    const { command, runs } = longCommand();
    const lab = await openLab(agent, `turns: [{bash: ${command}}, {text: never}]`);
    const running = startReins(lab.world, ['run', '-b', agent, '--once', '--trust', trust, ...allowSleep, 'go']);
    await until('the tool', runs);
    expect(await reins(lab.world, ['interrupt', await session(lab)])).toMatchObject({ code: 0 });
    const ended = await running.done;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/interrupted/i);
    expect(runs()).toBe(false);
    expect(lab.server.main).toHaveLength(1);
  });
});

describe.each(AGENTS)('%s, while the model thinks', (agent) => {
  it('`reins interrupt` ends the turn', async () => {
    const lab = await openLab(agent, 'turns: [{delay: 60000, text: never}]');
    const running = startReins(lab.world, ['run', '-b', agent, '--once', 'go']);
    await until('a request to the model', () => lab.server.main.length > 0);
    expect(await reins(lab.world, ['interrupt', await session(lab)])).toMatchObject({ code: 0 });
    const ended = await running.done;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/interrupted/i);
  });
});
