/** What a newcomer meets first: odd terminals, a folder that is gone, a wrong word, the way back. N2 to N7 of the outside test. */
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entries, sessions } from './support/journal.js';
import { reinsInTerminal, shellInTerminal } from './support/terminal.js';
import { newWorld } from './support/world.js';

describe('N2: where reins is started', () => {
  test.each([
    ['exec', ['exec', '--', 'true']],
    ['run', ['run', '-b', 'practice', '--once', 'hello']],
  ])(
    'N2: a folder that is gone, and a shell that does not know it (PWD empty): %s is 21, no stack',
    async (_name, args) => {
      const world = newWorld();
      const cwd = world.folder('gone');
      for (const PWD of ['', 'not/absolute']) {
        const shell = await shellInTerminal(world, { cwd: world.folder('gone') });
        rmSync(cwd, { recursive: true });
        shell.type(`PWD='${PWD}' reins ${args.join(' ')}; echo "code $?"\r`);
        await shell.waitFor('code 21');
        expect(shell.screen()).toContain('inaccessible');
        expect(shell.screen()).not.toMatch(/^\s+at /m);
        shell.type('exit\r');
        await shell.exit();
      }
    },
  );

  test('N2: a terminal that says it has 0 columns and 0 rows is used as one of 80x24', async () => {
    const world = newWorld();
    const shell = await shellInTerminal(world);
    shell.type(
      '/usr/bin/env stty cols 0 rows 0; reins exec -- sh -c "/usr/bin/env stty size; exit 4"; echo "code $?"\r',
    );
    await shell.waitFor('code 4');
    expect(shell.screen()).toMatch(/^24 80/m);
    shell.type('exit\r');
    await shell.exit();
  });
});

describe('N3: a wrong word', () => {
  test('N3: a backend that does not exist is a mistake of the command line (2), in a file one of the configuration (10)', async () => {
    const world = newWorld();
    const flag = await reins(world, ['run', '-b', 'claud', 'x']);
    expect(flag).toMatchObject({ code: 2, stdout: '' });
    expect(flag.stderr).toContain('did you mean claude?');
    world.write('reins.yml', 'cli: {backend: nope}\n');
    expect((await reins(world, ['run', 'x'])).code).toBe(10);
  });

  test.each([[[]], [['-d']], [['-i', '-d']], [['--tui', '-d']]])(
    'N3: an agent that cannot be gated is refused before anything starts, once, with what to do: run %j',
    async (flags) => {
      const world = newWorld();
      const ended = await reins(world, ['run', '-b', 'custom', '--set', 'cli.command=sh', ...flags, 'x']);
      expect(ended).toMatchObject({ code: 20, stdout: '' });
      expect(ended.stderr.match(/cannot be started under trust guarded/g)).toHaveLength(1);
      expect(ended.stderr).toContain('--trust full');
      expect(ended.stderr).not.toContain('--continue');
      expect((await reins(world, ['ls', '--all', '--json'])).stdout.trim()).toBe('[]');
    },
  );
});

describe('N5: the way back', () => {
  test('N5: an agent that was idle too long says which it was, why, and how to get it back; the line works as printed', async () => {
    const world = newWorld();
    const shell = await shellInTerminal(world);
    shell.type('reins run -i -b practice --idle-timeout 1 hello; echo "code $?"\r');
    await shell.waitFor('code 124');
    const said = /Go on with it: (reins run -i --continue (\w+) --idle-timeout 0)/.exec(shell.screen());
    expect(said, shell.screen()).not.toBeNull();
    expect(shell.screen()).toContain(`[${said![2]} has ended: idle for 1 s`);
    const again = await reins(world, [...said![1]!.split(' ').slice(1), '-d']);
    expect(again).toMatchObject({ code: 0, stdout: `${said![2]}\n` });
    expect((await reins(world, ['kill', said![2]!])).code).toBe(0);
    shell.type('exit\r');
    await shell.exit();
    await world.empty();
  });

  test('N5: the same after Ctrl-C twice', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, ['run', '-i', '-b', 'practice', '--idle-timeout', '0']);
    await terminal.waitFor('practice');
    terminal.type('\x03');
    terminal.type('\x03');
    expect(await terminal.exit()).toBe(130);
    expect(terminal.screen()).toMatch(/Go on with it: reins run -i --continue \w+/);
  });
});

describe('N6: what users of gh, docker and tmux look for', () => {
  const started = async (world: ReturnType<typeof newWorld>, name: string) =>
    (await reins(world, ['exec', '-d', '--name', name, '--', 'sh', '-c', 'sleep 60'])).stdout.trim();

  test('N6: ls -q prints ids alone', async () => {
    const world = newWorld();
    const id = await started(world, 'one');
    expect((await reins(world, ['ls', '-q'])).stdout).toBe(`${id}\n`);
    await reins(world, ['kill', id]);
    expect((await reins(world, ['ls', '-q'])).stdout).toBe('');
    expect((await reins(world, ['ls', '-q', '--all'])).stdout).toBe(`${id}\n`);
  });

  test('N6: a name means one session: one in use is refused, the usual one gets a number', async () => {
    const world = newWorld();
    const id = await started(world, 'mine');
    const twice = await reins(world, ['exec', '-d', '--name', 'mine', '--', 'sh', '-c', 'sleep 60']);
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain('a session called mine is running');
    for (const _ of [1, 2]) await reins(world, ['exec', '-d', '--', 'sh', '-c', 'sleep 60']);
    const rows = JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string; name: string }[];
    expect(rows.map(({ name }) => name).sort()).toEqual(['mine', 'sh', 'sh-2']);
    for (const row of rows) await reins(world, ['kill', row.id]);
    expect(await started(world, 'mine')).not.toBe(id);
    await reins(world, ['kill', 'mine']);
    await world.empty();
  });

  test('N6: attach without an id: none is 30, the only one is taken, among several a person picks', async () => {
    const world = newWorld();
    const none = await reins(world, ['attach']);
    expect(none.code).toBe(30);
    const say = (word: string) => ['exec', '-d', '--name', word, '--', 'sh', '-c', `echo this is ${word}; sleep 60`];
    await reins(world, say('first'));
    const only = reinsInTerminal(world, ['attach']);
    await only.waitFor('this is first');
    only.type('\x1d');
    await only.exit();
    await reins(world, say('second'));
    const blind = await reins(world, ['attach']);
    expect(blind.code).toBe(2);
    expect(blind.stderr).toContain('2 sessions run');
    const pick = reinsInTerminal(world, ['attach']);
    await pick.waitFor('Which one? [1-2]');
    pick.type('9\r');
    await pick.waitFor(/Which one\?[\s\S]*Which one\?/);
    pick.type('first\r');
    await pick.waitFor('this is first');
    pick.type('\x1d');
    await pick.exit();
    for (const name of ['first', 'second']) await reins(world, ['kill', name]);
    await world.empty();
  });

  test('N6: rm and prune remove ended sessions, never a live one, never the project’s files', async () => {
    const world = newWorld();
    world.write('precious', 'x');
    const live = await started(world, 'live');
    const over = await started(world, 'over');
    await reins(world, ['kill', over]);
    const refused = await reins(world, ['rm', live]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`reins stop ${live} first`);
    expect((await reins(world, ['rm', 'nobody', over])).code).toBe(30);
    expect(sessions(world)).toHaveLength(2);
    expect(await reins(world, ['rm', over])).toMatchObject({ code: 0, stdout: `${over}\n` });
    expect(sessions(world)).toHaveLength(1);
    const old = await started(world, 'old');
    await reins(world, ['kill', old]);
    expect((await reins(world, ['prune'])).stdout).toBe('');
    const dir = join(world.env.XDG_STATE_HOME!, 'reins', 'sessions', old);
    const then = new Date(Date.now() - 31 * 86_400_000);
    utimesSync(join(dir, 'journal.jsonl'), then, then);
    expect((await reins(world, ['prune', '--dry-run'])).stdout).toBe(`${old}\n`);
    expect(existsSync(dir)).toBe(true);
    expect((await reins(world, ['prune'])).stdout).toBe(`${old}\n`);
    expect(existsSync(dir)).toBe(false);
    expect(existsSync(join(world.project, 'precious'))).toBe(true);
    await reins(world, ['kill', live]);
    await world.empty();
  });

  test('N6: sessions.keep_days does it by itself, and a project’s file has no say in it', async () => {
    const world = newWorld();
    const id = await started(world, 'old');
    await reins(world, ['kill', id]);
    const dir = join(world.env.XDG_STATE_HOME!, 'reins', 'sessions', id);
    const then = new Date(Date.now() - 3 * 86_400_000);
    const age = () => utimesSync(join(dir, 'journal.jsonl'), then, then);
    age();
    world.write('reins.yml', 'sessions: {keep_days: 1}\n');
    await reins(world, ['run', '-b', 'practice', '--once', 'hello']);
    expect(existsSync(dir)).toBe(true);
    rmSync(join(world.project, 'reins.yml'));
    rmSync(join(world.env.XDG_STATE_HOME!, 'reins', 'pruned'), { force: true });
    age();
    await reins(world, ['run', '-b', 'practice', '--once', '--set', 'sessions.keep_days=1', 'hello']);
    expect(existsSync(dir)).toBe(false);
  });

  test('N6: completion knows commands, flags, sessions and inquiries; the bash script works in a real bash', async () => {
    const world = newWorld();
    const id = await started(world, 'one');
    const next = async (...words: string[]) =>
      (await reins(world, ['__complete', '--', ...words])).stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(await next('at')).toEqual(['attach', '']);
    expect(await next('run', '--tr')).toContain('--trust');
    expect(await next('run', '--trust', '')).toEqual(['guarded', 'full', '']);
    expect(await next('run', '-b', 'cl')).toEqual(['claude', '']);
    expect(await next('attach', '')).toEqual([id, '']);
    expect(await next('config', 's')).toEqual(['show', 'schema', '']);
    expect(await next('exec', '--', 'x')).toEqual(['']);
    for (const shell of ['bash', 'zsh', 'fish']) expect((await reins(world, ['completion', shell])).code).toBe(0);
    expect((await reins(world, ['completion', 'cmd'])).code).toBe(2);
    const terminal = await shellInTerminal(world, { env: { PATH: `${world.env.PATH}:/usr/bin:/bin` } });
    terminal.type('source <(reins completion bash)\r');
    terminal.type(`reins attach ${id.slice(0, 2)}\t`);
    await terminal.waitFor(`reins attach ${id}`);
    terminal.type('\x15exit\r');
    await terminal.exit();
    await reins(world, ['kill', id]);
  });

  test('N6: Ctrl-Z at the prompt stops the run as any job, fg shows the prompt again, and the answer counts', async () => {
    const world = newWorld();
    const shell = await shellInTerminal(world);
    shell.type('reins run -b practice --once "ask for permission"; echo "code $?"\r');
    await shell.waitFor('asks ·');
    await shell.waitFor(/\[y\]/);
    shell.type('\x1a');
    await shell.waitFor(/Stopped/);
    shell.type('fg\r');
    await shell.waitFor(/Stopped[\s\S]*asks ·[\s\S]*\[y\]/);
    for (let tries = 0; tries < 20 && !(await shell.sees(/allowed/, 300)); tries += 1) shell.type('y');
    await shell.waitFor('completed: the agent finished');
    shell.type('exit\r');
    await shell.exit();
  });
});

describe('N7: the demo', () => {
  test('N7: it names commands that can be typed here, and leaves no folder', async () => {
    const world = newWorld();
    const temporary = join(world.project, 'tmp');
    mkdirSync(temporary);
    mkdirSync(join(temporary, 'reins-demo-left'));
    const ended = await reins(world, ['demo'], { env: { TMPDIR: temporary } });
    expect(ended.stderr).toMatch(/Next: node \S*dist\/cli\/main\.js ls/);
    expect(ended.stderr).toMatch(/^ {2}http:\/\/127\.0\.0\.1:\d+\/pair#[\w-]{43}$/m);
    expect(ended.stderr + ended.stdout).not.toContain('so that they see');
    expect(readdirSync(temporary).filter((name) => name.startsWith('reins-demo'))).toEqual([]);
    // Its second part: nobody is there, and the newcomer sees who answered and why.
    expect(ended.stdout + ended.stderr).toMatch(/answered by the consultant practice.*: PostgreSQL, because: \S/);
    expect(ended.stdout).toContain('Understood: PostgreSQL (answered for the user by practice');
    const written = sessions(world).flatMap((id) => entries(world, id));
    expect(written.filter(({ type }) => type === 'consultation.ended')).toMatchObject([
      { data: { how: 'answered', cites: [{ quote: expect.stringContaining('PostgreSQL') }] } },
    ]);
    expect(JSON.parse((await reins(world, ['decisions', '--all', '--json'])).stdout)).toEqual([]);
  });
});
