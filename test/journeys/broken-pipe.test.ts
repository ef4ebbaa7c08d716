/** Whoever reads our stdout may stop reading: the run ends quietly with 141, and the agent with it. */
import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { fakeAgent } from './support/agents.js';
import { CLI, startReins } from './support/cli.js';
import { entry } from './support/journal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** In a shell's pipe, with every command's own exit code. */
async function piped(world: World, command: string): Promise<{ codes: number[]; stdout: string; stderr: string }> {
  const script = `reins() { '${process.execPath}' '${CLI}' "$@"; }; ${command}; echo "\${PIPESTATUS[@]}" >&3`;
  const child = spawn('bash', ['-c', script], {
    cwd: world.project,
    env: world.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const texts = ['', '', ''];
  for (const [index, stream] of child.stdio.slice(1).entries())
    stream?.on('data', (chunk: Buffer) => (texts[index] += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return { stdout: texts[0]!, stderr: texts[1]!, codes: texts[2]!.trim().split(' ').map(Number) };
}

describe('a broken pipe on stdout', () => {
  test('reins run … | head -n 1: 141, no stack trace, the agent stopped', async () => {
    const world = newWorld();
    const ended = await piped(
      world,
      `PRACTICE_SCENARIO='flood 200' reins run -b practice --trust full --once -p x | head -n 1`,
    );
    expect(ended.codes).toEqual([141, 0]);
    expect(ended.stdout.split('\n')).toHaveLength(2);
    expect(ended.stderr).not.toMatch(/EPIPE|at .*\.js:\d+/);
    await world.empty();
    expect((await entry(world, 'session.ended')).data.outcome).toBe('stopped');
  });

  test('an agent that says little is stopped with the first word nobody reads', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `say('first'); whenThere('closed', () => say('second')); forever();` });
    const run = startReins(world, ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x']);
    await until('the first word', () => run.stdout.includes('first'));
    run.child.stdout!.destroy();
    world.write('closed', '');
    expect((await run.done).code).toBe(141);
    await world.empty();
  });

  test('reins exec … | head -n 1: the command is stopped too', async () => {
    const world = newWorld();
    const ended = await piped(world, `reins exec --no-pty -- sh -c 'while :; do echo again; done' | head -n 1`);
    expect(ended).toMatchObject({ codes: [141, 0], stdout: 'again\n' });
    await world.empty();
  });

  test('--format json: the same', async () => {
    const world = newWorld();
    const ended = await piped(
      world,
      `PRACTICE_SCENARIO='flood 200' reins --format json run -b practice --trust full --once -p x | head -n 3`,
    );
    expect(ended.codes).toEqual([141, 0]);
    await world.empty();
  });

  test('nobody reading stderr is no reason to stop', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `say('first'); whenThere('closed', () => { say('second'); done(); });` });
    const run = startReins(world, ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x']);
    await until('the first word', () => run.stdout.includes('first'));
    run.child.stderr!.destroy();
    world.write('closed', '');
    expect(await run.done).toMatchObject({ code: 0, stdout: 'first\nsecond\n' });
  });
});
