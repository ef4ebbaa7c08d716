/** Seed 001 "Prompt Delivery": how the prompt reaches the agent, from one word to a megabyte, by every adapter. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Call, call, fakeAgent } from './support/agents.js';
import { reins, sha256 } from './support/cli.js';
import { newWorld, type World } from './support/world.js';

/** Linux refuses a single argument of 128 KiB; this is far beyond, with characters of several bytes across every border. */
const LARGE = 'größer 漢字 🙂 '.repeat(45_000).trim();

const CUSTOM = ['run', '-b', 'custom', '--trust', 'full', '--once', '--set', 'cli.command=my-ai'];

function runCustom(world: World, config: string[], prompt = 'test') {
  fakeAgent(world, 'my-ai', { reads: true });
  return reins(world, [...CUSTOM, ...config.flatMap((set) => ['--set', set]), '-p', prompt]);
}

/** Where the whole prompt is to be found in what the agent got. */
function received({ argv, stdin }: Call): string {
  if (stdin) return stdin;
  return argv.at(-1)!.replace(/^--prompt=/, '');
}

describe('prompt delivery', () => {
  test('Given a backend with prompt_mode: "arg" and prompt_flag: "-p", When executing with prompt "test", Then the command is invoked as <cmd> <args> -p "test"', async () => {
    const world = newWorld();
    const ended = await runCustom(world, ['cli.args=["--headless"]', 'cli.prompt_mode=arg', 'cli.prompt_flag=-p']);
    expect(ended).toMatchObject({ code: 0, stdout: 'done by my-ai\n' });
    expect((await call(world, 'my-ai')).argv).toEqual(['--headless', '-p', 'test']);
  });

  test('Given a backend with prompt_mode: "arg" and no prompt_flag (positional), When executing with prompt "test", Then the command is invoked as <cmd> <args> "test" (prompt appended without flag)', async () => {
    const world = newWorld();
    await runCustom(world, ['cli.args=["--headless"]', 'cli.prompt_mode=arg']);
    expect((await call(world, 'my-ai')).argv).toEqual(['--headless', 'test']);
  });

  test('Given a backend with prompt_mode: "stdin", When executing with prompt "test", Then "test" is written to the process stdin', async () => {
    const world = newWorld();
    await runCustom(world, ['cli.prompt_mode=stdin']);
    expect(await call(world, 'my-ai')).toMatchObject({ argv: [], stdin: 'test' });
  });

  test('a prompt is one argument, whatever it holds', async () => {
    const world = newWorld();
    const prompt = 'say "hi" $(touch pwned) `id` ; rm -rf *\nsecond line\t🙂';
    await runCustom(world, ['cli.prompt_mode=arg'], prompt);
    expect((await call(world, 'my-ai')).argv).toEqual([prompt]);
  });

  test('a prompt that looks like a flag is never taken for one', async () => {
    const world = newWorld();
    await runCustom(world, ['cli.prompt_mode=arg'], '--help me');
    expect((await call(world, 'my-ai')).argv).toEqual([' --help me']);
  });

  test.each([
    ['claude', 'claude'],
    ['gemini', 'gemini'],
    ['codex', 'codex'],
    ['amp', 'amp'],
  ])('a prompt of a megabyte reaches %s whole, through its stdin', async (backend, command) => {
    const world = newWorld();
    fakeAgent(world, command, { reads: true });
    world.write('large.md', LARGE);
    const ended = await reins(world, ['run', '-b', backend, '--trust', 'full', '--once', '-P', 'large.md']);
    expect(ended).toMatchObject({ code: 0, stdout: `done by ${command}\n` });
    expect(sha256(received(await call(world, command)))).toBe(sha256(LARGE));
  });

  test('a prompt of a megabyte reaches kiro, which reads no stdin, by a private file it is told to read', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `const file = /Read the file (\\S+) completely/.exec(process.argv.at(-1))[1];
say(require('node:crypto').createHash('sha256').update(fs.readFileSync(file)).digest('hex') + ' ' + (fs.statSync(file).mode & 0o777).toString(8));`,
    });
    world.write('large.md', LARGE);
    const ended = await reins(world, ['run', '-b', 'kiro', '--trust', 'full', '--once', '-P', 'large.md']);
    expect(ended).toMatchObject({ code: 0, stdout: `${sha256(LARGE)} 600\n` });
  });

  test.each(['arg', 'stdin'])(
    'Prompt too large for arg mode: a custom backend in %s mode gets a megabyte through stdin',
    async (mode) => {
      const world = newWorld();
      fakeAgent(world, 'my-ai', { reads: true });
      const ended = await reins(world, [...CUSTOM, '--set', `cli.prompt_mode=${mode}`], { stdin: LARGE });
      expect(ended.code).toBe(0);
      expect(sha256(received(await call(world, 'my-ai')))).toBe(sha256(LARGE));
    },
  );

  test.each(['full', 'guarded'])('a prompt of a megabyte reaches the practice agent under trust %s', async (trust) => {
    const world = newWorld();
    world.write('large.md', LARGE);
    const env = { PRACTICE_SCENARIO: 'echo' };
    const ended = await reins(world, ['run', '-b', 'practice', '--trust', trust, '--once', '-P', 'large.md'], { env });
    expect(ended.code).toBe(0);
    expect(ended.stdout.split('\n')[0]).toBe(`bytes=${Buffer.byteLength(LARGE)} sha256=${sha256(LARGE)}`);
  });

  test.each([
    ['-p', ['-p', 'from the flag'], 'from the flag'],
    ['words', ['from', 'the', 'words'], 'from the words'],
    ['-P', ['-P', 'file.md'], 'from the file'],
  ])('the prompt by %s beats what the config says', async (_name, args, expected) => {
    const world = newWorld();
    fakeAgent(world, 'my-ai');
    world.write('file.md', 'from the file');
    world.write('reins.yml', 'event_loop:\n  prompt: from the config\n');
    await reins(world, [...CUSTOM, ...args]);
    expect((await call(world, 'my-ai')).argv).toEqual([expected]);
  });

  test('without a word on the command line: event_loop.prompt, then event_loop.prompt_file, then PROMPT.md', async () => {
    const world = newWorld();
    world.write('PROMPT.md', 'from PROMPT.md');
    world.write('task.md', 'from task.md');
    const prompts: string[] = [];
    for (const config of [
      'event_loop: {prompt: from the config, prompt_file: task.md}',
      'event_loop: {prompt_file: task.md}',
      '{}',
    ]) {
      world.write('reins.yml', `${config}\n`);
      fakeAgent(world, 'my-ai', { body: `say(process.argv.at(-1))` });
      prompts.push((await reins(world, CUSTOM)).stdout.trim());
    }
    expect(prompts).toEqual(['from the config', 'from task.md', 'from PROMPT.md']);
  });

  test('R3: a PROMPT.md nobody named is not followed out of the folder; one that is named is', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai', { body: `say(process.argv.at(-1))` });
    writeFileSync(join(world.root, 'home', 'secret'), 'a secret of this machine');
    mkdirSync(join(world.project, 'docs'));
    world.write('docs/task.md', 'a task of the folder');
    symlinkSync(join(world.root, 'home', 'secret'), join(world.project, 'PROMPT.md'));
    const followed = await reins(world, CUSTOM);
    expect(followed).toMatchObject({ code: 2, stdout: '' });
    expect(followed.stderr).toContain('outside this folder');
    expect((await reins(world, [...CUSTOM, '-P', 'PROMPT.md'])).stdout.trim()).toBe('a secret of this machine');
    rmSync(join(world.project, 'PROMPT.md'));
    symlinkSync('docs/task.md', join(world.project, 'PROMPT.md'));
    expect((await reins(world, CUSTOM)).stdout.trim()).toBe('a task of the folder');
  });

  test('piped stdin is content: context behind a prompt, the prompt itself without one', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai', { body: `say(JSON.stringify(process.argv.at(-1)))` });
    const both = await reins(world, [...CUSTOM, '-p', 'explain'], { stdin: 'line 1\nline 2\n' });
    expect(JSON.parse(both.stdout)).toBe('explain\n\nline 1\nline 2');
    const alone = await reins(world, CUSTOM, { stdin: 'fix this\n' });
    expect(JSON.parse(alone.stdout)).toBe('fix this');
  });
});
