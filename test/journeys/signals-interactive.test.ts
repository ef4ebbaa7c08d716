/** Seed 000 "Signal Handling", "Idle Timeout" and "Terminal State" in interactive mode, at a real terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processesWith } from '../../src/testing/index.js';
import { fakeAgent } from './support/agents.js';
import { CLI } from './support/cli.js';
import { all, entry } from './support/journal.js';
import { reinsInTerminal, shellInTerminal, type Terminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const RUN = ['run', '-i', '-b', 'kiro', '--trust', 'full', '-p', 'x'];

/** Reads keys raw, as agents do, and notes signals; a Ctrl-C is its own affair. */
const agent = (onTerm: string) => `
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  for (const byte of bytes) say(byte === 3 ? 'interrupted, going on' : 'key ' + String.fromCharCode(byte));
  if (bytes.includes(0x71)) done();
  if (bytes.includes(0x66)) process.exit(3);
});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {
  fs.appendFileSync('signals', name + ' ');
  if (name === 'SIGTERM') { ${onTerm} }
});
say('listening');`;
const ENDS = agent('process.exit(0)');
const IGNORES = agent('');

const signalsOf = (world: World) => {
  const file = join(world.project, 'signals');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
};

async function listening(body = ENDS, ...args: string[]): Promise<{ world: World; terminal: Terminal }> {
  const world = newWorld();
  fakeAgent(world, 'kiro-cli', { body });
  const terminal = reinsInTerminal(world, [...RUN, ...args]);
  await terminal.waitFor('listening');
  return { world, terminal };
}

describe('Ctrl-C and Ctrl-\\', () => {
  test('Given interactive mode, When user presses Ctrl+C once, Then Ctrl+C is forwarded to agent (agent handles it); agent may prompt for confirmation or cancel current operation (not exit)', async () => {
    const { world, terminal } = await listening();
    terminal.type('\x03');
    await terminal.waitFor('interrupted, going on');
    terminal.type('z');
    await terminal.waitFor('key z');
    terminal.type('q');
    expect(await terminal.exit()).toBe(0);
    expect(signalsOf(world)).toEqual([]);
  });

  test('an agent that left its terminal as it was gets SIGINT from it, as it would without us', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `process.on('SIGINT', () => { say('cancelled'); done(); }); say('listening'); forever();`,
    });
    const terminal = reinsInTerminal(world, RUN);
    await terminal.waitFor('listening');
    terminal.type('\x03');
    await terminal.waitFor('cancelled');
    expect(await terminal.exit()).toBe(0);
  });

  test('Given interactive mode, When user presses Ctrl+C twice within 1 second, Then Ralph sends SIGTERM to agent', async () => {
    const { world, terminal } = await listening();
    terminal.type('\x03\x03');
    expect(await terminal.exit()).toBe(130);
    expect(signalsOf(world)).toContain('SIGTERM');
    expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'stopped', exit_code: 130 });
  });

  test('two Ctrl+C more than a second apart are both the agent’s', async () => {
    const { world, terminal } = await listening();
    terminal.type('\x03');
    const first = Date.now();
    await until('the end of the window', () => Date.now() - first > 1200);
    terminal.type('\x03');
    await terminal.waitFor((screen) => screen.split('interrupted, going on').length === 3);
    terminal.type('q');
    expect(await terminal.exit()).toBe(0);
    expect(signalsOf(world)).toEqual([]);
  });

  test('Given interactive mode and SIGTERM sent to agent, When agent does not exit within 5 seconds, Then Ralph sends SIGKILL to force termination', async () => {
    const { world, terminal } = await listening(IGNORES);
    terminal.type('\x03\x03');
    expect(await terminal.exit()).toBe(130);
    expect(signalsOf(world)).toContain('SIGTERM');
    const { processes } = (await entry(world, 'process.stopped')).data;
    expect(processes.map(({ how }) => how)).toContain('killed');
  });

  test('Given interactive mode, When user presses Ctrl+\\, Then Ralph sends SIGKILL immediately (no grace period)', async () => {
    const { world, terminal } = await listening(IGNORES);
    terminal.type('\x1c');
    expect(await terminal.exit()).toBe(131);
    expect(signalsOf(world)).toEqual([]);
    expect((await entry(world, 'agent.ended')).data.signal).toBe('SIGKILL');
  });
});

describe('idle timeout', () => {
  test('Given interactive mode with idle_timeout_secs: 30, When neither agent nor user produces activity for 30 seconds, Then Ralph sends SIGTERM to agent', async () => {
    const { world, terminal } = await listening(ENDS, '--idle-timeout', '1');
    expect(await terminal.exit()).toBe(124);
    expect(signalsOf(world)).toEqual(['SIGTERM']);
    expect(terminal.screen()).toContain('idle for 1 s');
    expect((await entry(world, 'session.ended')).data.outcome).toBe('timed-out');
  });

  test('Idle timeout: Ralph sends SIGTERM, then SIGKILL after 5s grace', async () => {
    const { world, terminal } = await listening(IGNORES, '--idle-timeout', '1');
    expect(await terminal.exit()).toBe(124);
    expect((await entry(world, 'process.stopped')).data.processes.map(({ how }) => how)).toContain('killed');
  });

  test('Given interactive mode with idle_timeout_secs: 30, When user presses a key at 29 seconds of inactivity, Then timeout resets', async () => {
    const world = newWorld();
    // Silent: what keeps it alive is the typing alone.
    fakeAgent(world, 'kiro-cli', {
      body: `process.stdin.setRawMode(true); process.stdin.on('data', () => undefined); say('listening');`,
    });
    const terminal = reinsInTerminal(world, [...RUN, '--idle-timeout', '3']);
    await terminal.waitFor('listening');
    const start = Date.now();
    for (const second of [1.5, 3, 4.5]) {
      await until('the next key', () => Date.now() - start > second * 1000);
      terminal.type('k');
    }
    expect(await all(world, 'agent.ended')).toEqual([]);
    expect(await terminal.exit()).toBe(124);
  });

  test('agent output (any bytes from PTY) resets it too', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `let n = 0; setInterval(() => { say('.'); if (++n === 12) done(); }, 300);` });
    const terminal = reinsInTerminal(world, [...RUN, '--idle-timeout', '2']);
    expect(await terminal.exit()).toBe(0);
  });

  test('Given interactive mode with idle_timeout_secs: 0, When agent and user are idle, Then no timeout (wait indefinitely); the flag beats the config', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `setTimeout(() => { say('still here'); done(); }, 2500);` });
    world.write('ralph.yml', 'cli:\n  backend: kiro\n  idle_timeout_secs: 1\n');
    expect(await reinsInTerminal(world, ['run', '-i', '-p', 'x', '--idle-timeout', '0']).exit()).toBe(0);
    world.write('ralph.yml', 'cli:\n  backend: kiro\n  idle_timeout_secs: 1\n');
    expect(await reinsInTerminal(world, ['run', '-i', '-p', 'x']).exit()).toBe(124);
  });
});

describe('terminal state', () => {
  /** The viewer's process, the host's, or the agent's. */
  function pidOf(world: World, who: RegExp): number {
    const found = processesWith(world.mark).find(({ command }) => who.test(command));
    if (!found) throw new Error(`no process like ${who}: ${world.running().join('; ')}`);
    return found.pid;
  }
  const VIEWER = new RegExp(`${CLI.replaceAll('.', '\\.')} run`);
  const signal = (name: NodeJS.Signals, who: RegExp) => (world: World) => process.kill(pidOf(world, who), name);

  test.each<[string, (world: World, terminal: Terminal) => void, number]>([
    ['completes with success', (_world, terminal) => terminal.type('q'), 0],
    ['completes with failure', (_world, terminal) => terminal.type('f'), 1],
    ['is stopped with Ctrl-C twice', (_world, terminal) => terminal.type('\x03\x03'), 130],
    ['is killed with Ctrl-\\', (_world, terminal) => terminal.type('\x1c'), 131],
    ['loses its agent to SIGKILL', signal('SIGKILL', /bin\/kiro-cli/), 1],
    ['receives SIGTERM', signal('SIGTERM', VIEWER), 143],
    ['receives SIGINT', signal('SIGINT', VIEWER), 130],
    ['loses its host', signal('SIGKILL', /host\/main\.js/), 70],
  ])(
    'Given interactive mode, When it %s, Then terminal is restored to original state (raw mode disabled)',
    async (_how, end, code) => {
      const world = newWorld();
      fakeAgent(world, 'kiro-cli', { body: `print('\\x1b[?1049h\\x1b[?1000h');${ENDS}` });
      const shell = await shellInTerminal(world, { cols: 120 });
      shell.type(`stty -a >before; reins ${RUN.join(' ')}; code=$?; stty -a >after; echo "ended: $code"\r`);
      await shell.waitFor('listening');
      expect(shell.alternate).toBe(true);
      end(world, shell);
      await shell.waitFor(/ended: \d+/);
      expect(/ended: (\d+)/.exec(shell.screen())![1]).toBe(String(code));
      const settings = (name: string) => readFileSync(join(world.project, name), 'utf8');
      expect(settings('before')).toContain(' icanon');
      expect(settings('after')).toBe(settings('before'));
      expect(shell.alternate).toBe(false);
      // The next key is the shell's: nothing of ours still reads.
      shell.type('echo typed-later\r');
      await shell.waitFor(/^typed-later/m);
      shell.type('exit\r');
      await shell.exit();
    },
  );

  test('Given interactive mode is active, When Ralph crashes or is killed with SIGKILL, Then terminal may be in raw mode (user can recover with reset command), and nothing is left running', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: IGNORES });
    const shell = await shellInTerminal(world);
    shell.type(`reins ${RUN.join(' ')}\r`);
    await shell.waitFor('listening');
    process.kill(pidOf(world, VIEWER), 'SIGKILL');
    await until('everything but the shell is gone', () => world.running().every((one) => one.includes('bash')));
    shell.type('\x15stty sane; echo "usable: $((6 * 7))"\n');
    await shell.waitFor('usable: 42');
    shell.type('exit\r');
    await shell.exit();
  });
});
