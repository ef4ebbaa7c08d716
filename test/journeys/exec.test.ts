/** `reins exec`: any one command, its terminal and its exit code passed on; detached, it can be looked at, typed into, left and stopped. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reins, startReins } from './support/cli.js';
import { entries, entry, sessions } from './support/journal.js';
import { reinsInTerminal, shellInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const PIPE = ['exec', '--no-pty', '--'];
const PTY = ['exec', '--'];

describe('the end of the command', () => {
  test.each([
    ['exit 0', 0],
    ['exit 3', 3],
    ['exit 255', 255],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['kill -SEGV $$', 139],
  ])('%s is %i, in a terminal and on pipes', async (command, code) => {
    const world = newWorld();
    for (const how of [PTY, PIPE]) {
      expect(await reins(world, [...how, 'sh', '-c', command])).toMatchObject({
        code,
        signal: null,
        stdout: '',
        stderr: '',
      });
    }
    expect(await reinsInTerminal(world, [...PTY, 'sh', '-c', command]).exit()).toBe(code);
  });

  test('its environment is the user’s, and its own folder; nothing that only the host was told', async () => {
    const world = newWorld();
    const env = { PWD: '/nowhere', MALLOC_ARENA_MAX: '3' };
    for (const how of [PTY, PIPE]) {
      const { stdout } = await reins(world, [...how, 'env'], { env });
      const told = Object.fromEntries(stdout.split(/\r?\n/).map((line) => line.split('=', 2)));
      expect(told).toMatchObject({ PWD: world.project, MALLOC_ARENA_MAX: '3', HOME: world.env.HOME });
      expect(Object.keys(told).filter((name) => /^(MALLOC_[^A]|REINS_HOST)/.test(name))).toEqual([]);
    }
  });

  test('no command is a usage error, an unknown one is not found, a directory cannot be run', async () => {
    const world = newWorld();
    expect((await reins(world, ['exec'])).code).toBe(2);
    const unknown = await reins(world, [...PTY, 'no-such-command']);
    expect(unknown.code).toBe(20);
    expect(unknown.stderr).toContain('no-such-command');
    expect((await reins(world, [...PTY, world.project])).code).toBe(20);
    expect(sessions(world)).toEqual([]);
  });

  test('--timeout stops it: 124, and why', async () => {
    const world = newWorld();
    const ended = await reins(world, ['exec', '--timeout', '0.5', '--', 'sleep', '60']);
    expect(ended.code).toBe(124);
    expect(ended.stderr).toContain('still running after 0.5 s');
    await world.empty();
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('%s to reins exec ends the whole tree: %i', async (signal, code) => {
    const world = newWorld();
    const run = startReins(world, [...PIPE, 'sh', '-c', 'setsid sleep 60 & echo ready; wait']);
    await until('the command', () => run.stdout.includes('ready'));
    run.signal(signal);
    expect((await run.done).code).toBe(code);
    await world.empty();
  });

  test('-C: where it runs; a directory that is not there is 21', async () => {
    const world = newWorld();
    world.folder('sub');
    expect((await reins(world, ['exec', '--no-pty', '-C', 'sub', '--', 'sh', '-c', 'pwd -P'])).stdout).toBe(
      `${join(world.project, 'sub')}\n`,
    );
    expect((await reins(world, ['exec', '-C', 'nowhere', '--', 'sh'])).code).toBe(21);
  });
});

describe('streams', () => {
  test('--no-pty: stdout and stderr stay apart, byte for byte', async () => {
    const world = newWorld();
    const ended = await reins(world, [
      ...PIPE,
      'sh',
      '-c',
      'printf "out\\t\\033[31mred\\033[0m\\r\\n"; printf err >&2',
    ]);
    expect(ended).toMatchObject({ code: 0, stdout: 'out\t\x1b[31mred\x1b[0m\r\n', stderr: 'err' });
  });

  test('--no-pty: our stdin is the command’s, to its end', async () => {
    const world = newWorld();
    const text = 'größer\n'.repeat(50_000);
    expect(await reins(world, [...PIPE, 'cat'], { stdin: text })).toMatchObject({ code: 0, stdout: text });
  });

  test('--no-pty: a line that is there before the command runs is not lost', async () => {
    const world = newWorld();
    const runs = Array.from({ length: 6 }, () => reins(world, [...PIPE, 'cat'], { stdin: 'abc\n' }));
    for (const ended of await Promise.all(runs)) expect(ended).toMatchObject({ code: 0, stdout: 'abc\n' });
  });

  test('--no-pty: a command that reads late gets all of its input', async () => {
    const world = newWorld();
    const text = `${'x'.repeat(99)}\n`.repeat(60_000);
    const run = startReins(world, [...PIPE, 'sh', '-c', ': > begun; until [ -e go ]; do sleep 0.05; done; cat'], {
      stdin: text,
    });
    await until('the command to run', () => existsSync(join(world.project, 'begun')));
    await entry(world, 'input.sent');
    const [id] = sessions(world);
    const taken = entries(world, id!).reduce((sum, one) => sum + (one.type === 'input.sent' ? one.data.bytes : 0), 0);
    // The rest waits where it came from: nobody hoards what the command will read later.
    expect(taken).toBeLessThan(text.length / 2);
    world.write('go', '');
    const ended = await run.done;
    expect({ code: ended.code, length: ended.stdout.length }).toEqual({ code: 0, length: text.length });
  });

  test('--no-pty: bytes that would be Ctrl-C and Ctrl-\\ at a keyboard are data', async () => {
    const world = newWorld();
    const text = 'a\x03\x03b\x1cc\x1d\x1b[200~d\n';
    expect(await reins(world, [...PIPE, 'cat'], { stdin: text })).toMatchObject({ code: 0, stdout: text });
  });

  test('in a terminal: a piped line that is there before the command runs is not lost', async () => {
    const world = newWorld();
    const read = ['sh', '-c', 'read -r line; echo "got <$line>"'];
    const runs = Array.from({ length: 4 }, () => reins(world, [...PTY, ...read], { stdin: 'abc\n' }));
    for (const ended of await Promise.all(runs)) expect(ended.stdout).toContain('got <abc>');
  });

  test('N4: redirected streams get the command’s own bytes, apart; --pty gives it a terminal all the same', async () => {
    const world = newWorld();
    const asks = '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal || echo none';
    const says = ['sh', '-c', `printf 'a\\nb\\000\\377'; printf 'e\\nf' >&2`];
    expect((await reins(world, ['exec', '--pty', '--', 'sh', '-c', asks])).stdout).toBe('terminal\r\n');
    expect((await reins(world, [...PTY, 'sh', '-c', asks])).stdout).toBe('none\n');
    expect((await reins(world, [...PIPE, 'sh', '-c', asks])).stdout).toBe('none\n');
    expect(await reins(world, [...PTY, ...says])).toMatchObject({ stdout: 'a\nb\0\ufffd', stderr: 'e\nf', code: 0 });
  });

  test.each([
    ['stderr', '2> err', '[ -t 0 ] && [ -t 1 ] && ! [ -t 2 ]'],
    ['stdin', '< in', '! [ -t 0 ] && [ -t 1 ] && [ -t 2 ]'],
    ['both', '< in 2> err', '! [ -t 0 ] && [ -t 1 ] && ! [ -t 2 ]'],
  ])('N4: in a terminal with %s redirected, only that is a pipe, byte for byte', async (_which, redirect, asks) => {
    const world = newWorld();
    // Bytes that a terminal would act on: Ctrl-C, Ctrl-D, Ctrl-\\, CR, LF, and half a character.
    writeFileSync(join(world.project, 'in'), Buffer.from([3, 4, 0x1c, 13, 10, 0xff, 10]));
    const shell = await shellInTerminal(world);
    const takes = redirect.includes('in') ? 'cat > got' : 'true';
    shell.type(
      `reins exec -- sh -c '${asks} && echo right; ${takes}; printf "x\\ny" >&2; exit 7' ${redirect}; echo "code $?"\r`,
    );
    await shell.waitFor('code 7');
    expect(shell.screen()).toMatch(/^right/m);
    if (redirect.includes('in')) expect(readFileSync(join(world.project, 'got'), 'hex')).toBe('03041c0d0aff0a');
    if (redirect.includes('err')) expect(readFileSync(join(world.project, 'err'), 'utf8')).toBe('x\ny');
    shell.type('exit\r');
    await shell.exit();
    await world.empty();
  });

  test('N4: a megabyte on a redirected stderr and stdin comes whole, and a command that reads nothing keeps nobody', async () => {
    const world = newWorld();
    writeFileSync(join(world.project, 'in'), 'x'.repeat(1024 * 1024));
    const shell = await shellInTerminal(world);
    shell.type('reins exec -- sh -c "cat >&2" < in 2> err; echo "code $?"\r');
    await shell.waitFor('code 0');
    expect(statSync(join(world.project, 'err')).size).toBe(1024 * 1024);
    shell.type('reins exec -- sh -c "exit 5" < in; echo "code $?"\r');
    await shell.waitFor('code 5');
    shell.type('exit\r');
    await shell.exit();
  });

  test('N4: TERM is passed on; where it says nothing, the command gets one our screen understands', async () => {
    const world = newWorld();
    const shell = await shellInTerminal(world);
    const kinds = {
      'screen-256color': 'screen-256color',
      dumb: 'dumb',
      '': 'xterm-256color',
      unknown: 'xterm-256color',
    };
    for (const [term, seen] of Object.entries(kinds)) {
      shell.type(`TERM=${term} reins exec -- sh -c 'echo "given ${term}: $TERM."'; echo "over: ${term}"\r`);
      await shell.waitFor(`given ${term}: ${seen}.`);
      // Typed earlier, it would be typed at the command.
      await shell.waitFor(new RegExp(`^over: ${term}$`, 'm'));
    }
    shell.type('exit\r');
    await shell.exit();
  });

  test('a command that ignores its input does not keep us', async () => {
    const world = newWorld();
    const run = startReins(world, [...PIPE, 'sh', '-c', ':'], { stdin: 'open' });
    expect((await run.done).code).toBe(0);
  });

  test('in a terminal: keys go in, the screen comes out, the size is ours', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, [...PTY, 'sh', '-c', 'stty size; read -r line; echo "got <$line>"'], {
      cols: 77,
      rows: 22,
    });
    await terminal.waitFor('22 77');
    terminal.type('hello\r');
    await terminal.waitFor('got <hello>');
    expect(await terminal.exit()).toBe(0);
  });
});

describe('detached', () => {
  async function detached(world: World, script: string): Promise<string> {
    const started = await reins(world, ['exec', '-d', '--', 'sh', '-c', script]);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(started.stdout).toMatch(/^[a-z0-9]+\n$/);
    return started.stdout.trim();
  }
  const screenOf = async (world: World, id: string) => (await reins(world, ['screen', id])).stdout;

  test('send, screen, attach, detach with Ctrl-], stop', async () => {
    const world = newWorld();
    const id = await detached(world, 'while read -r line; do echo "got <$line>"; done');
    const sent = await reins(world, ['send', id, 'hello', 'there', '--json']);
    expect(sent.code).toBe(0);
    expect(JSON.parse(sent.stdout)).toMatchObject({ verdict: 'submitted' });
    await until('the answer on the screen', async () => (await screenOf(world, id)).includes('got <hello there>'));

    const terminal = reinsInTerminal(world, ['attach', id]);
    await terminal.waitFor('got <hello there>');
    terminal.type('typed\r');
    await terminal.waitFor('got <typed>');
    terminal.type('\x1d');
    expect(await terminal.exit()).toBe(0);
    expect(terminal.screen()).toContain(`reins attach ${id}`);

    expect((await reins(world, ['send', id, 'still there?'])).code).toBe(0);
    await until('the answer after leaving', async () => (await screenOf(world, id)).includes('got <still there?>'));
    const listed = JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string; state: string }[];
    expect(listed).toMatchObject([{ id, mode: 'exec', state: 'working', viewers: 0 }]);

    expect((await reins(world, ['stop', id])).code).toBe(0);
    await world.empty();
    expect(JSON.parse((await reins(world, ['ls', '--json'])).stdout)).toEqual([]);
    expect((await reins(world, ['send', id, 'too late'])).code).toBe(30);
  });

  test('keys: --keys "C-c" is a Ctrl-C', async () => {
    const world = newWorld();
    const id = await detached(world, 'trap "echo caught" INT; echo ready; while :; do sleep 0.1; done');
    await until('the trap', async () => (await screenOf(world, id)).includes('ready'));
    expect((await reins(world, ['send', id, '--keys', 'C-c'])).code).toBe(0);
    await until('the trap’s word', async () => (await screenOf(world, id)).includes('caught'));
    expect((await reins(world, ['kill', id])).code).toBe(0);
    expect((await entry(world, 'session.ended', { session: id })).data.exit_code).toBe(137);
  });

  test('two viewers: the second one watches until it takes over; whoever leaves, the session lives on', async () => {
    const world = newWorld();
    const id = await detached(world, 'while read -r line; do echo "got <$line>"; done');
    const first = reinsInTerminal(world, ['attach', id]);
    first.type('one\r');
    await first.waitFor('got <one>');
    const second = reinsInTerminal(world, ['attach', id]);
    await second.waitFor('got <one>');
    await second.waitFor('you watch');
    second.type('two\r');
    first.type('three\r');
    await second.waitFor('got <three>');
    expect(second.screen()).not.toContain('got <two>');
    first.close();
    const third = reinsInTerminal(world, ['attach', id, '--take']);
    third.type('four\r');
    await second.waitFor('got <four>');
    expect((await reins(world, ['stop', id])).code).toBe(0);
    expect(await second.exit()).toBe(143);
    expect(await third.exit()).toBe(143);
  });

  test('an unknown id is 30 for every command', async () => {
    const world = newWorld();
    for (const command of [['attach'], ['screen'], ['stop'], ['kill'], ['logs'], ['interrupt'], ['send', 'x']]) {
      const [name, ...more] = command;
      expect(await reins(world, [name!, 'nosuch', ...more])).toMatchObject({ code: 30, stdout: '' });
    }
  });
});
