/** Seed 000 "User Input" and "Output": who types reaches the agent only in interactive mode, and what is shown is what was meant. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { reinsInTerminal } from './support/terminal.js';
import { newWorld } from './support/world.js';

const RUN = ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x'];

/** Says every byte it is given, in hex, without the terminal's help. */
const RAW = `
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => { say('got ' + bytes.toString('hex')); if (bytes.includes(0x71)) done(); });
say('listening');`;

describe('user input', () => {
  test('Given interactive mode, When agent prompts for input (e.g., confirmation), Then user’s keystrokes are forwarded to agent', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `print('Continue? [y/N] '); process.stdin.once('data', (line) => { say('you said ' + line.toString().trim()); done(); });`,
    });
    const terminal = reinsInTerminal(world, [...RUN, '-i']);
    await terminal.waitFor('Continue? [y/N]');
    terminal.type('y\r');
    await terminal.waitFor('you said y');
    expect(await terminal.exit()).toBe(0);
  });

  test('every key arrives as it was typed: arrows, Escape, Tab, Alt, a paste, characters of several bytes', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: RAW });
    const terminal = reinsInTerminal(world, [...RUN, '-i']);
    await terminal.waitFor('listening');
    for (const keys of ['\x1b[A', '\x1b', '\t', '\x1bx', '\x1b[200~a\rb\x1b[201~', 'ü漢🙂', '\x04', '\x1a']) {
      terminal.type(keys);
      await terminal.waitFor((screen) => screen.replaceAll(/\s|got/g, '').includes(Buffer.from(keys).toString('hex')));
    }
    terminal.type('q');
    expect(await terminal.exit()).toBe(0);
  });

  test('Given autonomous mode, When user types, Then input is ignored (not forwarded)', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `let read = 0; process.stdin.on('data', (bytes) => { read += bytes.length; });
say('listening'); whenThere('typed', () => { say('read ' + read + ' bytes'); done(); });`,
    });
    const terminal = reinsInTerminal(world, RUN);
    await terminal.waitFor('listening');
    terminal.type('hello agent\r');
    await terminal.waitFor('hello agent');
    world.write('typed', '');
    await terminal.waitFor('read 0 bytes');
    expect(await terminal.exit()).toBe(0);
  });

  test('the same for claude, which has a terminal in autonomous mode too', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude', {
      body: `let read = 0; process.stdin.on('data', (bytes) => { read += bytes.length; });
say('listening'); whenThere('typed', () => { say('read ' + read + ' bytes'); done(); });`,
    });
    const terminal = reinsInTerminal(world, ['run', '-b', 'claude', '--trust', 'full', '--once', '-p', 'x']);
    await terminal.waitFor('listening');
    terminal.type('hello agent\r');
    await terminal.waitFor('hello agent');
    world.write('typed', '');
    await terminal.waitFor('read 0 bytes');
    expect(await terminal.exit()).toBe(0);
  });
});

describe('output', () => {
  test('Given interactive mode, When agent produces TUI output (colors, spinners), Then output renders correctly (ANSI preserved)', async () => {
    const world = newWorld();
    const drawn = '\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mtrue colour\x1b[0m\r\n⠋ working\r⠙ working\r\x1b[2K✓ done\r\n';
    fakeAgent(world, 'kiro-cli', { body: `print(${JSON.stringify(drawn)}); done();` });
    const terminal = reinsInTerminal(world, [...RUN, '-i']);
    expect(await terminal.exit()).toBe(0);
    expect(terminal.bytes).toContain('\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mtrue colour\x1b[0m');
    expect(terminal.screen().split('\n').slice(0, 2)).toEqual(['red true colour', '✓ done']);
  });

  test('a full-screen program is left behind: alternate screen, mouse, hidden cursor are switched off again', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `print('\\x1b[?1049h\\x1b[?25l\\x1b[?1000h\\x1b[?2004hfull screen'); whenThere('go', () => process.kill(process.pid, 'SIGKILL'))`,
    });
    const terminal = reinsInTerminal(world, [...RUN, '-i']);
    await terminal.waitFor('full screen');
    expect(terminal.alternate).toBe(true);
    world.write('go', '');
    expect(await terminal.exit()).toBe(1);
    await terminal.waitFor(() => !terminal.alternate);
    for (const mode of ['\x1b[?25h', '\x1b[?1000l', '\x1b[?2004l']) expect(terminal.bytes).toContain(mode);
  });

  test('beyond the seed: a resized terminal is resized for the agent', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `const size = () => say(process.stdout.getWindowSize().join('x')); size(); process.stdout.on('resize', size); whenThere('go', done)`,
    });
    const terminal = reinsInTerminal(world, [...RUN, '-i'], { cols: 90, rows: 25 });
    await terminal.waitFor('90x25');
    terminal.resize(120, 40);
    await terminal.waitFor('120x40');
    world.write('go', '');
    expect(await terminal.exit()).toBe(0);
  });

  test('Given autonomous mode, When agent produces output, Then output is piped (ANSI may be lost): no escape reaches stdout, tabs stay', async () => {
    const world = newWorld();
    const drawn = '\x1b[31mred\x1b[0m\ttab \x1b]0;title\x07\x1b[2Kend\n';
    fakeAgent(world, 'kiro-cli', { body: `print(${JSON.stringify(drawn)}); done();` });
    const ended = await reins(world, RUN);
    expect(ended).toMatchObject({ code: 0, stdout: 'red\ttab end\n' });
    expect(ended.stderr).not.toContain('\x1b');
  });

  test('Completion detection and logging: the promise ends the loop, the full output is in .agent/events.jsonl', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `say('first\\nsecond\\nLOOP_COMPLETE'); done();` });
    const ended = await reins(world, ['run', '-b', 'kiro', '--trust', 'full', '-p', 'x']);
    expect(ended).toMatchObject({ code: 0, stdout: 'first\nsecond\nLOOP_COMPLETE\n' });
    expect((await entry(world, 'session.ended')).data).toMatchObject({
      outcome: 'completed',
      counts: { iterations: 1 },
    });
    const logged = readFileSync(join(world.project, '.agent', 'events.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const output = logged
      .map((row) => JSON.parse(row) as Record<string, unknown>)
      .filter((row) => row.type === 'output');
    expect(output.map((row) => row.text).join('')).toBe('first\nsecond\nLOOP_COMPLETE\n');
  });

  test('Event parsing: <event topic="..."> tags trigger hat changes', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `const built = process.argv.at(-1).includes('You review');
say(built ? 'LOOP_COMPLETE' : '<event topic="build.done">all green</event>'); done();`,
    });
    world.write(
      'ralph.yml',
      `cli: {backend: kiro}
hats:
  builder: {triggers: [task.start], publishes: [build.done], instructions: You build}
  reviewer: {triggers: [build.done], publishes: [], instructions: You review}
`,
    );
    const ended = await reins(world, ['run', '-p', 'x']);
    expect(ended.code).toBe(0);
    expect((await entry(world, 'event.published', { is: ({ data }) => data.by === 'text' })).data).toMatchObject({
      topic: 'build.done',
      payload: 'all green',
      accepted: true,
    });
    await entry(world, 'hat.worn', { is: ({ data }) => data.hat === 'reviewer' });
  });
});
