/** Seed 001 "Custom Backend" and "TUI Mode Compatibility": any program, as the user configured it. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, calls, fakeAgent } from './support/agents.js';
import { dryRun, reins } from './support/cli.js';
import { entry, onlySession, sessions } from './support/journal.js';
import { detached, row } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const config = (...lines: string[]) => `cli:\n  backend: custom\n${lines.map((line) => `  ${line}\n`).join('')}`;
const RUN = ['run', '--once', '-p', 'do it'];

describe('custom backend', () => {
  test('Given backend: "custom" with command: "my-ai" and prompt_mode: "stdin", When Ralph executes an iteration, Then the prompt is written to my-ai stdin', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai', { reads: true });
    world.write('ralph.yml', config('command: my-ai', 'prompt_mode: stdin'));
    expect(await reins(world, RUN)).toMatchObject({ code: 0, stdout: 'done by my-ai\n' });
    expect(await call(world, 'my-ai')).toMatchObject({ argv: [], stdin: 'do it' });
  });

  test('Given backend: "custom" with args: ["--headless", "--json"], When Ralph builds the command, Then the args are included before the prompt', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai');
    world.write('ralph.yml', config('command: my-ai', 'args: ["--headless", "--json"]'));
    expect((await dryRun(world, ['--once', '-p', 'do it'])).argv).toEqual(['my-ai', '--headless', '--json', 'do it']);
    await reins(world, RUN);
    expect((await call(world, 'my-ai')).argv).toEqual(['--headless', '--json', 'do it']);
  });

  test('Given backend: "custom" without command specified, When Ralph starts, Then an error indicates custom backend requires a command', async () => {
    const world = newWorld();
    world.write('ralph.yml', config('prompt_mode: stdin'));
    const ended = await reins(world, RUN);
    expect(ended).toMatchObject({ code: 10, stdout: '' });
    expect(ended.stderr).toContain('the custom backend requires a command');
    expect(ended.stderr).toContain('cli.command');
    expect(sessions(world)).toEqual([]);
  });

  test('a command may be a path: absolute, or relative to where it runs', async () => {
    const world = newWorld();
    const path = fakeAgent(world, `${world.project}/agent.js`);
    for (const command of [path, './agent.js']) {
      expect(
        (await reins(world, [...RUN, '--trust', 'full', '-b', 'custom', '--set', `cli.command=${command}`])).stdout,
      ).toBe('done by agent.js\n');
    }
    expect(calls(world, 'agent.js')).toHaveLength(2);
  });

  test('a command that is not there, or may not be run, is exit 20 with its name', async () => {
    const world = newWorld();
    const path = fakeAgent(world, `${world.project}/agent.js`);
    chmodSync(path, 0o644);
    for (const command of ['no-such-ai', './agent.js']) {
      const ended = await reins(world, [...RUN, '--trust', 'full', '-b', 'custom', '--set', `cli.command=${command}`]);
      expect(ended).toMatchObject({ code: 20, stdout: '' });
      expect(ended.stderr).toContain(command.replace('./', ''));
    }
  });

  test('Backend exits non-zero: iteration marked failed, output captured for debugging', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai', { body: `say('half done'); fs.writeSync(2, 'disk is full\\n'); process.exit(7)` });
    world.write('ralph.yml', config('command: my-ai'));
    const ended = await reins(world, RUN);
    expect(ended).toMatchObject({ code: 1, stdout: 'half done\n' });
    expect(ended.stderr).toContain('disk is full');
    expect((await entry(world, 'agent.text')).data.text).toBe('half done\n');
    expect((await entry(world, 'agent.ended')).data).toMatchObject({ exit_code: 7, ok: false });
    expect((await entry(world, 'iteration.ended')).data.outcome).toBe('failed');
    expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'failed', exit_code: 1 });
  });

  test('an agent that dies of a signal has failed, and the signal is named', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai', { body: `process.kill(process.pid, 'SIGSEGV'); forever()` });
    world.write('ralph.yml', config('command: my-ai'));
    const ended = await reins(world, RUN);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('SIGSEGV');
    expect((await entry(world, 'agent.ended')).data).toMatchObject({ exit_code: null, signal: 'SIGSEGV' });
  });

  test('in interactive mode it gets a terminal and the prompt where it was configured', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai', { body: `say('in a terminal: ' + process.stdout.isTTY); done()` });
    world.write('ralph.yml', config('command: my-ai', 'prompt_flag: --prompt'));
    const terminal = reinsInTerminal(world, ['run', '-i', '-p', 'do it']);
    expect(await terminal.exit()).toBe(0);
    expect(terminal.screen()).toContain('in a terminal: true');
    expect((await call(world, 'my-ai')).argv).toEqual(['--prompt', 'do it']);
  });

  test('Given TUI mode (--tui) and backend: "custom", When the custom backend doesn’t render TUI output, Then execution still works (PTY is transparent to simple CLI tools)', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai', {
      body: `say('plain words in ' + (process.stdout.isTTY ? 'a terminal' : 'a pipe')); whenThere('go', done)`,
    });
    world.write('ralph.yml', config('command: my-ai'));
    const terminal = reinsInTerminal(world, [...RUN, '--tui']);
    await terminal.waitFor('plain words in a terminal');
    world.write('go', '');
    expect(await terminal.exit()).toBe(0);
  });
});

describe('D5: a custom agent in its terminal', () => {
  /** Says when it is there, and writes down every line it is given. */
  const START = 'echo here; while read -r line; do echo "$line" >> got.txt; done';
  const got = (world: World, lines: string) =>
    until('what was typed', () => {
      const file = join(world.project, 'got.txt');
      return (existsSync(file) && readFileSync(file, 'utf8') === lines) || undefined;
    });
  const flags = ['-i', '-b', 'custom', '--trust', 'full', '--set', 'cli.command=./agent.sh'];

  function agent(): World {
    const world = newWorld();
    world.write('agent.sh', `#!/bin/sh\n${START}\n`);
    chmodSync(join(world.project, 'agent.sh'), 0o755);
    return world;
  }

  test('is typed to, and nothing is claimed: `no-evidence`, exit 1', async () => {
    const world = agent();
    const id = await detached(world, ['run', ...flags]);
    const sent = await reins(world, ['send', id, 'hello there', '--json']);
    expect([sent.code, JSON.parse(sent.stdout)]).toMatchObject([1, { verdict: 'no-evidence' }]);
    await got(world, 'hello there\n');
    // No picture of it is taken for a dialog.
    expect(await row(world, id)).toMatchObject({ inquiries: 0 });
  });

  test('in the foreground, too, and its first prompt is typed when it has no place on the command line', async () => {
    const world = agent();
    const terminal = reinsInTerminal(world, ['run', ...flags, '--set', 'cli.prompt_mode=stdin', 'the first']);
    await terminal.waitFor('here');
    await got(world, 'the first\n');
    const id = await onlySession(world);
    expect(await reins(world, ['send', id, 'the second'])).toMatchObject({ code: 1 });
    await got(world, 'the first\nthe second\n');
    await reins(world, ['kill', id]);
    await terminal.exit();
  });
});
