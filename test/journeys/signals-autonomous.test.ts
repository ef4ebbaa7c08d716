/** Seed 000 "Signal Handling" in autonomous mode, and the promise behind it: whatever ends the run, nothing of it stays. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, fakeAgent } from './support/agents.js';
import { reins, startReins } from './support/cli.js';
import { entries, entry, onlySession } from './support/journal.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const RUN = ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x'];
const STUBBORN = ['run', '-b', 'practice', '--trust', 'full', '--once', '-p', 'x'];

/** Notes every signal it gets; ends on SIGTERM after a good-bye. */
const POLITE = `
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(name, () => {
  fs.appendFileSync('signals', name + ' ');
  if (name === 'SIGTERM') { say('goodbye'); process.exit(0); }
});
say('at work'); forever();`;

const signalsOf = (world: World) => {
  const file = join(world.project, 'signals');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
};

/** The practice agent that ignores every polite signal, and its child in a session of its own. */
async function stubborn(world: World, start: () => void): Promise<{ agent: number; child: number }> {
  start();
  const { text } = (await entry(world, 'agent.text')).data;
  const [, agent, child] = /I am (\d+), .* my child (\d+)/.exec(text)!;
  expect(existsSync(`/proc/${agent}`) && existsSync(`/proc/${child}`)).toBe(true);
  return { agent: Number(agent), child: Number(child) };
}

/** What of the agent still runs; the host itself may take a moment longer to leave. */
const agentsOf = (world: World) => world.running().filter((one) => !one.includes('host/main.js'));

describe('autonomous mode', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s to reins run: SIGTERM to the agent, its last words heard, journal closed, exit %i',
    async (signal, code) => {
      const world = newWorld();
      fakeAgent(world, 'kiro-cli', { body: POLITE });
      const run = startReins(world, RUN);
      await until('the agent at work', () => run.stdout.includes('at work'));
      run.signal(signal);
      expect(await run.done).toMatchObject({ code, signal: null, stdout: 'at work\ngoodbye\n' });
      expect(signalsOf(world)).toEqual(['SIGTERM']);
      expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'stopped', exit_code: code });
      expect((await entry(world, 'process.stopped')).data).toMatchObject({ left: 0 });
    },
  );

  test('Ctrl+\\ (SIGQUIT): Send SIGKILL to agent immediately, then exit Ralph', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: POLITE });
    const run = startReins(world, RUN);
    await until('the agent at work', () => run.stdout.includes('at work'));
    run.signal('SIGQUIT');
    expect(await run.done).toMatchObject({ code: 131, stdout: 'at work\n' });
    expect(signalsOf(world)).toEqual([]);
    const { pid } = await call(world, 'kiro-cli');
    const { processes } = (await entry(world, 'process.stopped')).data;
    expect(processes.find((one) => one.pid === pid)).toMatchObject({ how: 'killed' });
  });

  test('Given autonomous mode, When user presses Ctrl+C, Then Ralph sends SIGTERM to agent, waits up to 5s, then SIGKILL if needed', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: POLITE });
    const terminal = reinsInTerminal(world, RUN);
    await terminal.waitFor('at work');
    terminal.type('\x03');
    expect(await terminal.exit()).toBe(130);
    expect(signalsOf(world)).toEqual(['SIGTERM']);
    await terminal.waitFor('goodbye');
  });

  test('Ctrl+\\ at the terminal kills at once', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: POLITE });
    const terminal = reinsInTerminal(world, RUN);
    await terminal.waitFor('at work');
    terminal.type('\x1c');
    expect(await terminal.exit()).toBe(131);
    expect(signalsOf(world)).toEqual([]);
  });

  test('an agent that ignores SIGTERM and has a setsid’d grandchild: Ctrl-C ends both, exit 130, each pid with its end on record', async () => {
    const world = newWorld();
    const env = { PRACTICE_SCENARIO: 'stubborn' };
    let run = undefined as ReturnType<typeof startReins> | undefined;
    const { agent, child } = await stubborn(world, () => (run = startReins(world, STUBBORN, { env })));
    run!.signal('SIGINT');
    expect((await run!.done).code).toBe(130);
    expect(agentsOf(world)).toEqual([]);
    const stopped = (await entry(world, 'process.stopped')).data;
    expect(stopped.left).toBe(0);
    expect(stopped.processes.find(({ pid }) => pid === agent)).toMatchObject({ how: 'killed', signal: 'SIGKILL' });
    expect(stopped.processes.find(({ pid }) => pid === child)).toMatchObject({ how: 'terminated', signal: 'SIGTERM' });
    const all = entries(world, await onlySession(world));
    const last = (type: string) => Date.parse(all.findLast((one) => one.type === type)!.ts);
    // By the journal's own clock: the grace period was really given.
    expect(last('process.stopped') - last('agent.text')).toBeGreaterThan(4900);
  });

  test('a second Ctrl-C does not wait for the grace period', async () => {
    const world = newWorld();
    const env = { PRACTICE_SCENARIO: 'stubborn' };
    let run = undefined as ReturnType<typeof startReins> | undefined;
    await stubborn(world, () => (run = startReins(world, STUBBORN, { env })));
    run!.signal('SIGINT');
    await until('the first word about it', () => run!.stderr.includes('again to kill it'));
    run!.signal('SIGINT');
    expect((await run!.done).code).toBe(130);
    expect(agentsOf(world)).toEqual([]);
  });

  test('kill -9 of reins run itself: all gone, no orphan host', async () => {
    const world = newWorld();
    const env = { PRACTICE_SCENARIO: 'stubborn' };
    let run = undefined as ReturnType<typeof startReins> | undefined;
    await stubborn(world, () => (run = startReins(world, STUBBORN, { env })));
    run!.signal('SIGKILL');
    await run!.done;
    await world.empty();
    const ended = (await entry(world, 'session.ended')).data;
    expect(ended).toMatchObject({ outcome: 'stopped', exit_code: 129 });
  });

  test('the terminal goes away: the same', async () => {
    const world = newWorld();
    const env = { PRACTICE_SCENARIO: 'stubborn' };
    let terminal = undefined as ReturnType<typeof reinsInTerminal> | undefined;
    await stubborn(world, () => (terminal = reinsInTerminal(world, STUBBORN, { env })));
    terminal!.close();
    await world.empty();
    await entry(world, 'session.ended');
  });

  test.each(['setsid-child', 'double-fork'])(
    'a child left behind by an agent that ended well (%s) is ended as well, and told of',
    async (scenario) => {
      const world = newWorld();
      const ended = await reins(world, STUBBORN, { env: { PRACTICE_SCENARIO: scenario } });
      expect(ended.code).toBe(0);
      expect(agentsOf(world)).toEqual([]);
      const child = Number(/child (\d+)/.exec(ended.stdout)![1]);
      const { processes } = (await entry(world, 'process.stopped')).data;
      expect(processes.map(({ pid }) => pid)).toContain(child);
    },
  );

  test('a signal to the host ends its session, not only itself', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: POLITE });
    const run = startReins(world, RUN);
    await until('the agent at work', () => run.stdout.includes('at work'));
    process.kill((await entry(world, 'session.started')).data.host_pid, 'SIGTERM');
    expect((await run.done).code).toBe(143);
    expect(signalsOf(world)).toEqual(['SIGTERM']);
    await world.empty();
  });

  test('kill -9 of the host: the run ends what it left behind, says so, and exits 70', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: POLITE });
    const run = startReins(world, RUN);
    await until('the agent at work', () => run.stdout.includes('at work'));
    process.kill((await entry(world, 'session.started')).data.host_pid, 'SIGKILL');
    const ended = await run.done;
    expect(ended.code).toBe(70);
    expect(ended.stderr).toContain('the host of session');
    expect(world.running()).toEqual([]);
  });

  test('a detached session does not mind that its starter is gone; reins stop ends it and names every process', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: POLITE });
    const started = await reins(world, [...RUN, '-d']);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    const id = started.stdout.trim();
    const { pid } = await call(world, 'kiro-cli');
    await entry(world, 'agent.text', { session: id });
    const stopped = await reins(world, ['stop', id, '--json']);
    expect(stopped.code).toBe(0);
    const report = JSON.parse(stopped.stdout) as { left: number; processes: { pid: number; how: string }[] };
    expect(report.left).toBe(0);
    expect(report.processes.map((one) => one.pid)).toContain(pid);
    await world.empty();
    const ended = await entry(world, 'session.ended', { session: id });
    expect(ended.data.outcome).toBe('stopped');
  });
});
