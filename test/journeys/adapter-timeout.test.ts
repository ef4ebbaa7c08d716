/** Seed 001 "Adapter Timeout", with small numbers: seconds stand for the seed's minute. */
import { describe, expect, test } from 'vitest';
import { calls, fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { all, entry } from './support/journal.js';
import { newWorld } from './support/world.js';

const NOTES_SIGNALS = `
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
  fs.appendFileSync('signals', signal + ' ');
  if (signal === 'SIGTERM') process.exit(0);
});
say('started'); forever();`;

describe('adapter timeout', () => {
  test('Given adapters.claude.timeout: 60, When Claude runs for more than 60 seconds, Then Ralph sends SIGTERM and marks the iteration as timed out', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude', { body: NOTES_SIGNALS });
    world.write('ralph.yml', 'cli:\n  backend: claude\nadapters:\n  claude:\n    timeout: 1\n');
    const ended = await reins(world, ['run', '--once', '-p', 'x']);
    expect(ended).toMatchObject({ code: 124, stdout: 'started\n' });
    expect(ended.stderr).toContain('adapters.claude.timeout');
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(`${world.project}/signals`, 'utf8')).toContain('SIGTERM');
    expect((await entry(world, 'iteration.ended')).data).toMatchObject({ iteration: 1, outcome: 'timed-out' });
    expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'timed-out', exit_code: 124 });
  });

  test('Backend times out: SIGTERM sent, then SIGKILL after grace period', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `process.on('SIGTERM', () => say('not now')); say('started'); forever();` });
    world.write('ralph.yml', 'cli:\n  backend: kiro\nadapters:\n  kiro:\n    timeout: 1\n');
    const ended = await reins(world, ['run', '--once', '-p', 'x']);
    expect(ended).toMatchObject({ code: 124, stdout: 'started\nnot now\n' });
    const [call] = calls(world, 'kiro-cli');
    const { processes, left } = (await entry(world, 'process.stopped')).data;
    expect(processes.find(({ pid }) => pid === call!.pid)).toMatchObject({ how: 'killed' });
    expect(left).toBe(0);
  });

  test('--timeout overrides the adapter’s own, and 0 leaves it alone', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `say('started'); forever();` });
    world.write('ralph.yml', 'cli:\n  backend: kiro\nadapters:\n  kiro:\n    timeout: 1\n');
    const short = await reins(world, ['run', '--once', '-p', 'x', '--timeout', '0.2']);
    expect(short.code).toBe(124);
    expect(short.stderr).toContain('■ timed-out: still running after 0.2 s (--timeout)');
    const own = await reins(world, ['run', '--once', '-p', 'x', '--timeout', '0']);
    expect(own.code).toBe(124);
    expect(own.stderr).toContain('still running after 1 s (adapters.kiro.timeout)');
  });

  test('an agent that is done in time is not touched by the clock', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    world.write('ralph.yml', 'cli:\n  backend: kiro\nadapters:\n  kiro:\n    timeout: 60\n');
    expect((await reins(world, ['run', '--once', '-p', 'x'])).code).toBe(0);
    expect(await all(world, 'process.stopped')).toEqual([]);
  });

  test('in a loop the iteration that timed out is followed by the next one', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `if (!fs.existsSync('second')) { fs.writeFileSync('second', ''); forever(); } else { say('LOOP_COMPLETE'); done(); }`,
    });
    world.write('ralph.yml', 'cli:\n  backend: kiro\nadapters:\n  kiro:\n    timeout: 1\n');
    const ended = await reins(world, ['run', '-p', 'x']);
    expect(ended.code).toBe(0);
    expect((await all(world, 'iteration.ended')).map(({ data }) => data.outcome)).toEqual(['timed-out', 'completed']);
  });
});
