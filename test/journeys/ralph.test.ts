/** L2: files of ralph's, run for real: with fake agents, from the ralph.yml and from what `config migrate --write` makes of it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { calls, fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { entries, onlySession } from './support/journal.js';
import { ofType } from './support/loop.js';
import { newWorld, type World } from './support/world.js';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'ralph');
const head = (text: string, key: string): string | undefined => new RegExp(`^# ${key}: (.*)$`, 'm').exec(text)?.[1];

const FILES = readdirSync(FOLDER)
  .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }))
  .filter(({ text }) => head(text, 'journey') === 'yes');

/** Each agent says the line of its iteration, whichever agent it is. */
function agents(world: World, text: string): void {
  const says = head(text, 'says')!.split(' | ');
  const body = `
    const file = ${JSON.stringify(join(world.root, 'turns'))};
    fs.appendFileSync(file, 'x');
    const words = (${JSON.stringify(says)}[fs.statSync(file).size - 1] ?? '-').split(' ').filter((word) => word !== '-');
    say(words.map((word) => /^[A-Z_]+$/.test(word) ? word : '<event topic="' + word + '">told</event>').join('\\n') || 'nothing');
    done();`;
  for (const name of ['claude', 'gemini', 'kiro-cli']) fakeAgent(world, name, { body });
  fakeAgent(world, join(world.project, 'agent'), { body });
  fakeAgent(world, join(world.project, 'other-agent'), { body, reads: true });
}

async function run(world: World) {
  const ended = await reins(world, ['run', '-p', 'make it']);
  const all = entries(world, await onlySession(world));
  const hats = ofType(all, 'iteration.started').map(
    ({ data }) => data.hat ?? (data.coordinator ? 'coordinator' : 'none'),
  );
  return { code: ended.code, hats, stderr: ended.stderr };
}

describe.each(FILES)('$name', ({ text }) => {
  const hats = head(text, 'hats')!.split(' ');

  test('L2: runs as it is, with one notice, which is not on stdout', async () => {
    const world = newWorld();
    agents(world, text);
    world.write('ralph.yml', text);
    const { code, stderr, hats: worn } = await run(world);
    expect({ code, worn }, stderr).toEqual({ code: 0, worn: hats });
    expect(stderr.split('without effect here').length - 1).toBe(/checkpoint_interval/.test(text) ? 1 : 0);
    if (text.includes('other-agent')) {
      const [call] = calls(world, 'other-agent');
      expect(call).toMatchObject({ argv: ['--fast', '2'], stdin: expect.stringContaining('make it') });
    }
    if (text.includes('agent: reviewer')) {
      expect(calls(world, 'claude')[0]?.argv.join(' ')).toContain('--model small');
      expect(calls(world, 'kiro-cli')[0]?.argv.join(' ')).toContain('--agent reviewer');
    }
  });

  test('L2: migrated, it runs the same, and the old file is kept', async () => {
    const world = newWorld();
    agents(world, text);
    world.write('ralph.yml', text);
    expect(await reins(world, ['config', 'migrate', '--write'])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(join(world.project, 'ralph.yml'), 'utf8')).toBe(text);
    const { code, stderr, hats: worn } = await run(world);
    expect({ code, worn }, stderr).toEqual({ code: 0, worn: hats });
    expect(stderr).not.toContain('without effect');
  });
});

test('a hat’s own time ends its iteration, and names the key', async () => {
  const world = newWorld();
  fakeAgent(world, join(world.project, 'agent'), {
    body: `if (/hat slow/.test(process.argv.at(-1))) forever(); else { say('LOOP_COMPLETE'); done(); }`,
  });
  world.write(
    'ralph.yml',
    `cli: {backend: custom, command: ./agent}
event_loop: {max_consecutive_failures: 1}
hats: {slow: {name: S, description: s, triggers: [task.start], timeout: 1}}\n`,
  );
  const { code, stderr } = await run(world);
  expect(code).not.toBe(0);
  expect(stderr).toContain('hats.slow.timeout');
});

test('014: tools that a hat may not use need an agent that can be gated, and that is said before the first one starts', async () => {
  const world = newWorld();
  const path = fakeAgent(world, join(world.project, 'agent'), { body: `say('LOOP_COMPLETE'); done();` });
  world.write(
    'ralph.yml',
    `cli: {backend: custom, command: ./agent}
hats:
  first: {name: F, description: f, triggers: [task.start], publishes: [next]}
  second: {name: S, description: s, triggers: [next], disallowed_tools: [Edit]}\n`,
  );
  const ended = await reins(world, ['run', '-p', 'x']);
  expect(ended.code).toBe(20);
  expect(ended.stderr).toContain('the deny rule Edit (hats.second.disallowed_tools, ralph.yml:4:');
  expect(calls(world, path)).toEqual([]);
});

test('R3: a clone’s ralph.yml is not made the user’s own by migrating it', async () => {
  const world = newWorld();
  world.write('ralph.yml', 'hats: {a: {triggers: [task.start], backend: {command: ./evil}}}\n');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
  ])
    execFileSync('git', args, { cwd: world.project, env: world.env });
  for (const flags of [[], ['-c', 'ralph.yml']]) {
    const refused = await reins(world, ['config', 'migrate', '--write', ...flags]);
    expect(refused.code).toBe(10);
    expect(refused.stderr).toContain('hats.a.backend.command: ./evil');
    expect(existsSync(join(world.project, 'reins.yml'))).toBe(false);
  }
  expect((await reins(world, ['config', 'migrate'])).stdout).toContain('command: ./evil');
  await reins(world, ['init', '--trust']);
  expect(await reins(world, ['config', 'migrate', '--write'])).toMatchObject({ code: 0 });
  const again = await reins(world, ['config', 'migrate', '-c', 'ralph.yml', '--write']);
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/exists already and is not replaced[\s\S]*without --write/);
});

test('an agent Reins does not have: the file loads, and run says which there are', async () => {
  const world = newWorld();
  world.write('ralph.yml', 'cli: {backend: pi}\n');
  expect((await reins(world, ['config', 'show', 'cli.backend'])).stdout).toBe('pi\n');
  const ended = await reins(world, ['run', '-p', 'x']);
  expect(ended.code).toBe(10);
  expect(ended.stderr).toMatch(/pi is not a backend Reins knows \(claude, kiro, gemini, codex, amp/);
  fakeAgent(world, 'claude', { body: `say('LOOP_COMPLETE'); done();` });
  expect((await reins(world, ['run', '-b', 'claude', '-p', 'x'])).code).toBe(0);
});
