/** `--tui`: the loop in the agent's own terminal, with a status line. Seed 001 "TUI Mode Compatibility". */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { all, entry } from './support/journal.js';
import { reinsInTerminal } from './support/terminal.js';
import { newWorld } from './support/world.js';

const HATS = `
hats:
  planner: {triggers: [task.start], publishes: [plan.ready]}
  builder: {triggers: [plan.ready], publishes: [build.done]}
  reviewer: {triggers: [build.done], publishes: [review.rejected]}
`;

describe('--tui', () => {
  test('the agent’s live terminal, a status line, the loop’s own end', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, ['run', '-b', 'practice', '--tui', '--max-iterations', '3', 'loop 2'], {
      rows: 24,
    });
    await terminal.waitFor('reins · iteration 1/3');
    await terminal.waitFor('practice agent');
    expect(await terminal.exit()).toBe(0);
    expect((await all(world, 'agent.started')).map(({ data }) => data.door)).toEqual(['tui', 'tui']);
    expect((await entry(world, 'session.ended')).data).toMatchObject({
      outcome: 'completed',
      counts: { iterations: 2 },
    });
    await terminal.waitFor(() => !terminal.alternate);
  });

  test('Given TUI mode (--tui) and backend: "custom", When the custom backend doesn’t render TUI output, Then execution still works (PTY is transparent to simple CLI tools)', async () => {
    const world = newWorld();
    const agent = world.write('agent.sh', '#!/bin/sh\ntest -t 1 && echo "on a terminal"\necho LOOP_COMPLETE\n');
    chmodSync(agent, 0o755);
    const args = ['run', '-b', 'custom', '--set', `cli.command=${join(world.project, 'agent.sh')}`, '--trust', 'full'];
    const terminal = reinsInTerminal(world, [...args, '--tui', 'do it']);
    expect(await terminal.exit()).toBe(0);
    const text = (await all(world, 'agent.text')).map(({ data }) => data.text).join('');
    expect(text).toBe('on a terminal\nLOOP_COMPLETE\n');
    expect((await entry(world, 'session.ended')).data).toMatchObject({
      outcome: 'completed',
      counts: { iterations: 1 },
    });
  });

  test('L1: under full trust the end of each turn is heard, and hats hand over to the promise', async () => {
    const world = newWorld();
    world.write('ralph.yml', HATS);
    const terminal = reinsInTerminal(world, ['run', '-b', 'practice', '--trust', 'full', '--tui', 'hats please']);
    expect(await terminal.exit()).toBe(0);
    const hats = (await all(world, 'iteration.started')).map(({ data }) => data.hat);
    expect(hats).toEqual(['planner', 'builder', 'reviewer']);
    expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'completed' });
  });

  test('L8: a program that hangs and goes on spinning is ended, and the key is named', async () => {
    const world = newWorld();
    const spins = `n=0; while :; do n=$((n+1)); printf '\\r%s Thinking %ss' "$((n % 2))" $n; sleep 0.1; done`;
    const agent = world.write('agent.sh', `#!/bin/sh\n${spins}\n`);
    chmodSync(agent, 0o755);
    const args = ['run', '-b', 'custom', '--set', `cli.command=${join(world.project, 'agent.sh')}`, '--trust', 'full'];
    const short = ['--set', 'adapters.custom.quiet_timeout=1', '--set', 'event_loop.max_consecutive_failures=1'];
    const terminal = reinsInTerminal(world, [...args, ...short, '--tui', 'do it']);
    expect(await terminal.exit()).toBe(124);
    expect((await entry(world, 'iteration.ended')).data).toMatchObject({
      outcome: 'timed-out',
      reason: 'nothing but a spinner for 6 s (6 times adapters.custom.quiet_timeout)',
    });
  });

  test('Ctrl-C twice ends the loop with 130', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, ['run', '-b', 'practice', '--tui', 'slow 60']);
    await entry(world, 'state.changed', { is: ({ data }) => data.agent_state === 'working' });
    await terminal.waitFor('reins · iteration 1');
    terminal.type('\x03');
    terminal.type('\x03');
    expect(await terminal.exit()).toBe(130);
  });
});
