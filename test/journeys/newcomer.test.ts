/** What a newcomer meets first: odd terminals, a folder that is gone, a wrong word, the way back. N2 to N7 of the outside test. */
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { shellInTerminal } from './support/terminal.js';
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
      expect(ended.stderr.match(/has no way to gate/g)).toHaveLength(1);
      expect(ended.stderr).toContain('--trust full');
      expect(ended.stderr).not.toContain('--continue');
      expect((await reins(world, ['ls', '--all', '--json'])).stdout.trim()).toBe('[]');
    },
  );
});
