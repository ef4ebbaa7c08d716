/**
 * Seed 002: prompts are drawn on and read from /dev/tty, with stdin, stdout and stderr all redirected. The practice
 * agent asks at its control door; a person answers at the keys.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { all, entry } from './support/journal.js';
import { shellInTerminal, type Terminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

async function asked(world: World, scenario: string, extra = ''): Promise<Terminal> {
  const shell = await shellInTerminal(world, { env: { PRACTICE_SCENARIO: scenario } });
  shell.type(`reins run -b practice --once ${extra} go >out 2>err <in; echo "code $?"\r`);
  await shell.waitFor('practice asks');
  return shell;
}

/** Type-ahead must not answer: the asker ignores keys for a moment, so a key is pressed until it shows. */
async function press(shell: Terminal, key: string, until: string | RegExp): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    shell.type(key);
    const seen = await shell.sees(until, 500);
    if (seen) return;
  }
  throw new Error(`pressing ${key} never led to ${until}\n${shell.screen()}`);
}

function world(): World {
  const made = newWorld();
  made.write('in', 'y\ny\ny\n');
  return made;
}

const read = (made: World, name: string) => readFileSync(join(made.project, name), 'utf8');

describe('a permission on /dev/tty', () => {
  test('y allows; what is piped into stdin never answers', async () => {
    const made = world();
    const shell = await asked(made, 'ask-permission');
    expect(existsSync(join(made.project, 'practice.txt'))).toBe(false);
    await press(shell, 'y', 'allowed');
    await shell.waitFor('code 0');
    expect(read(made, 'practice.txt')).toBe('practised\n');
    expect(read(made, 'out')).not.toContain('practice asks');
    expect((await entry(made, 'inquiry.answered')).data.answer).toMatchObject({
      verdict: { kind: 'allow' },
      by: { kind: 'viewer' },
    });
    expect((await entry(made, 'inquiry.closed')).data.how).toBe('delivered');
  });

  test('n denies', async () => {
    const made = world();
    const shell = await asked(made, 'ask-permission');
    await press(shell, 'n', 'denied');
    await shell.waitFor('code 0');
    expect(existsSync(join(made.project, 'practice.txt'))).toBe(false);
  });

  test('r denies with a reason that the agent is told', async () => {
    const made = world();
    const shell = await asked(made, 'ask-permission');
    await press(shell, 'r', 'Why not?');
    await press(shell, 'use the other file', 'use the other file');
    shell.type('\r');
    await shell.waitFor('code 0');
    expect(read(made, 'out')).toContain('use the other file');
  });

  test('e edits the input before it runs', async () => {
    const made = world();
    const shell = await asked(made, 'ask-permission');
    await press(shell, 'e', /Enter/);
    await press(shell, '; echo edited >> practice.txt', 'edited');
    shell.type('\r');
    await shell.waitFor('code 0');
    expect(read(made, 'practice.txt')).toBe('practised\nedited\n');
  });

  test('several pending calls queue; each gets its own answer', async () => {
    const made = world();
    const shell = await asked(made, 'parallel');
    await shell.waitFor('1 of 3');
    await press(shell, 'y', '1 of 2');
    await press(shell, 'n', /parallel-three/);
    await press(shell, 'y', 'code 0');
    const verdicts = (await all(made, 'inquiry.answered')).map(({ data }) => data.answer.verdict.kind);
    expect(verdicts.sort()).toEqual(['allow', 'allow', 'deny']);
    const files = ['one', 'two', 'three'].filter((name) => existsSync(join(made.project, `parallel-${name}.txt`)));
    expect(files).toHaveLength(2);
  });

  test('Ctrl-C at the question is the loop’s Ctrl-C', async () => {
    const made = world();
    const shell = await asked(made, 'ask-permission');
    await press(shell, '\x03', 'code 130');
    expect(existsSync(join(made.project, 'practice.txt'))).toBe(false);
    expect((await entry(made, 'inquiry.closed')).data.how).toBe('cancelled');
  });

  test('an answer from elsewhere closes it here', async () => {
    const made = world();
    const shell = await asked(made, 'ask-permission');
    const { id } = (await entry(made, 'inquiry.opened')).data.inquiry;
    const other = await shellInTerminal(made);
    other.type(`reins answer ${id} allow; echo "said $?"\r`);
    await other.waitFor('said 0');
    await shell.waitFor('code 0');
    expect(read(made, 'practice.txt')).toBe('practised\n');
    other.type(`reins answer ${id} deny; echo "late $?"\r`);
    await other.waitFor(/late 3[01]/);
  });
});

describe('a question on /dev/tty', () => {
  test('single: a digit moves, Enter answers', async () => {
    const made = world();
    const shell = await asked(made, 'ask-single');
    await press(shell, '2', /❯ 2\./);
    await press(shell, '\r', 'code 0');
    const { verdict } = (await entry(made, 'inquiry.answered')).data.answer;
    expect(verdict.kind).toBe('values');
  });

  test('multi-select: digits toggle, Enter answers', async () => {
    const made = world();
    const shell = await asked(made, 'ask-multi');
    await press(shell, '1', /\[[x✓●]\] 1|◉ 1|☑ 1/);
    shell.type('2');
    await shell.waitFor(/(\[[x✓●]\]|◉|☑) 2/);
    await press(shell, '\r', 'code 0');
    const { verdict } = (await entry(made, 'inquiry.answered')).data.answer;
    expect(verdict.kind === 'values' && Object.values(verdict.values)[0]).toHaveLength(2);
  });

  test('free text', async () => {
    const made = world();
    const shell = await asked(made, 'ask-free');
    await press(shell, 'grüße 🌍', 'grüße 🌍');
    await press(shell, '\r', 'code 0');
    expect(read(made, 'out')).toContain('grüße 🌍');
  });
});
