/** Every advice that Reins prints is typed into a shell exactly as it stands there, and does what it promises. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI, type CliOptions, type Ended, reins, startReins } from './support/cli.js';
import { entries, entry, onlySession } from './support/journal.js';
import { ofType, prompts, trusted, worker } from './support/loop.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** A world in whose shell there is a `reins`. */
function newDesk(): World {
  const world = newWorld();
  const launcher = world.write(join(world.bin, 'reins'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(launcher, 0o755);
  return world;
}

const typed = (world: World, line: string, options: CliOptions = {}): Promise<Ended> =>
  reins(world, [line], { ...options, node: '/bin/sh', cli: '-c' });

/** The command lines it names: between backticks, or to the end of the line. None has a gap for somebody to fill. */
function advised({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): string[] {
  const text = `${stdout}\n${stderr}`;
  const ticked = [...text.matchAll(/`((?:cd [^`]+ && )?reins [^`]+)`/g)];
  const bare = [...text.replace(/`[^`]*`/g, '').matchAll(/(?:: | {2}|· )((?:reins|git -C) \S+ ?.*?)(?= · |$)/gm)];
  const aside = [...text.matchAll(/\((reins [a-z]+)\)$/gm)];
  const lines = [...ticked, ...bare, ...aside].map((match) => match[1]!.trim());
  for (const line of lines) expect(line).not.toMatch(/…|<[\w-]+>|\bID\b|\bNAME\b|\|/);
  return lines;
}

const the = (lines: string[], what: string): string => {
  const [line, ...more] = [...new Set(lines.filter((one) => one.includes(what)))];
  expect([line, more], lines.join('\n')).toEqual([expect.any(String), []]);
  return line!;
};

const PRACTICE = ['run', '-b', 'practice'];
const DONE = { env: { PRACTICE_SCENARIO: JSON.stringify([{ say: 'LOOP_COMPLETE' }]) } };
/** Once the file is there it is done at once; until then it does this. */
const untilGoOn = (body: string) => `if (fs.existsSync('go-on')) { say('LOOP_COMPLETE'); done(); } else { ${body} }`;

describe('the end of a loop', () => {
  test.each([
    ['iterations', `say('on'); done();`, ['--max-iterations', '1'], 3, '--max-iterations 2'],
    ['runtime', `say('on'); forever();`, ['--max-runtime', '1'], 3, '--max-runtime '],
    ['standing still', `say('on'); done();`, ['--set', 'event_loop.stall_iterations=1'], 3, ''],
    ['failures', 'process.exitCode = 1;', ['--set', 'event_loop.max_consecutive_failures=1'], 1, ''],
  ])('%s: the line behind next: goes on, and gets it done', async (_, body, flags, code, flag) => {
    const world = newDesk();
    execFileSync('git', ['init', '-q', world.project]);
    const ended = await reins(world, [...worker(world, untilGoOn(body)), ...flags, '-p', 'go']);
    expect(ended.code).toBe(code);
    const id = await onlySession(world);
    const lines = advised(ended);
    const next = the(lines, `reins run --continue ${id}`);
    expect(next).toContain(flag);
    for (const look of lines.filter((line) => line !== next)) {
      expect(look).toBe(`reins logs ${id}`);
      expect(await typed(world, look)).toMatchObject({ code: 0, stderr: expect.stringContaining('iteration 1') });
    }
    world.write('go-on', '');
    expect(await typed(world, next)).toMatchObject({ code: 0, stdout: 'LOOP_COMPLETE\n' });
  });

  test('cost', async () => {
    const world = newDesk();
    const ended = await reins(world, [...PRACTICE, '--max-cost', '0.2', '-p', '[[cost 0.25]]']);
    expect(ended.code).toBe(3);
    expect(await typed(world, the(advised(ended), '--max-cost 0.45'), DONE)).toMatchObject({ code: 0 });
  });

  test('max_activations, also of a hat whose name a shell and a path would read as something else', async () => {
    const world = newDesk();
    const run = worker(world, untilGoOn(`say('<event topic="a.more">x</event>'); done();`));
    const hat = '{triggers: [task.start, "a.*"], publishes: ["a.*"], max_activations: 1}';
    await trusted(world, `hats: {"it's v1.0 $(id)": ${hat}}\n`);
    const ended = await reins(world, [...run, '-p', 'go']);
    expect(ended.code).toBe(3);
    const next = the(advised(ended), 'max_activations=2');
    const again = await typed(world, next);
    expect(again.code).toBe(3);
    expect(again.stderr).toContain('was worn 2 times, its most');
    world.write('go-on', '');
    expect(await typed(world, the(advised(again), 'max_activations=4'))).toMatchObject({ code: 0 });
  });

  test.each(['stopped', 'its host killed'])('%s', async (how) => {
    const world = newDesk();
    const loop = startReins(world, [...worker(world, untilGoOn(`say('here'); forever();`)), '-p', 'go']);
    await entry(world, 'agent.text');
    const id = await onlySession(world);
    if (how === 'stopped') loop.signal('SIGINT');
    else process.kill(ofType(entries(world, id), 'session.started')[0]!.data.host_pid!, 'SIGKILL');
    const ended = await loop.done;
    expect(ended.code).toBe(how === 'stopped' ? 130 : 70);
    world.write('go-on', '');
    const lines = advised(ended);
    for (const look of lines.filter((line) => line.startsWith('reins logs')))
      expect(await typed(world, look)).toMatchObject({ code: 0 });
    expect(await typed(world, the(lines, `reins run --continue ${id}`))).toMatchObject({ code: 0 });
  });

  test('guidance for one that has ended', async () => {
    const world = newDesk();
    const run = worker(world, untilGoOn(`say('on'); done();`));
    await reins(world, [...run, '--once', '-p', 'go']);
    const id = await onlySession(world);
    const kept = await typed(world, the(advised(await reins(world, ['guide', id, ' '])), 'reins guide'));
    expect(kept.code).toBe(0);
    world.write('go-on', '');
    expect(await typed(world, the(advised(kept), `--continue ${id}`))).toMatchObject({ code: 0 });
    expect(prompts(world, id)['002.md']).toContain('Guidance from the user: mind the tests');
  });
});

describe('a person is missing', () => {
  const ASKS = { env: { PRACTICE_SCENARIO: 'ask-permission' } };
  const ran = (world: World) => existsSync(join(world.project, 'practice.txt'));

  test('denied: the command behind next: allows it; so does the line for reins.yml', async () => {
    const world = newDesk();
    const ended = await reins(world, [...PRACTICE, '--once', 'go'], ASKS);
    expect(ended.code).toBe(4);
    expect(await typed(world, the(advised(ended), '--continue'), ASKS)).toMatchObject({ code: 0 });
    expect(ran(world)).toBe(true);
    rmSync(join(world.project, 'practice.txt'));
    world.write('reins.yml', `${/To allow it: (.*)$/m.exec(ended.stderr)?.[1]}\n`);
    expect(await reins(world, [...PRACTICE, '--once', 'go'], ASKS)).toMatchObject({ code: 0 });
    expect(ran(world)).toBe(true);
  });

  test('parked: where it is seen, and each answer', async () => {
    const world = newDesk();
    const run = [...PRACTICE, '--once', '--set', 'tools.defaults.detached=defer', 'go'];
    for (const verdict of ['deny', 'allow']) {
      const ended = await reins(world, run, ASKS);
      expect(ended.code).toBe(5);
      const lines = advised(ended);
      const seen = await typed(world, the(lines, 'reins inbox'));
      const answer = the(advised(seen), ` ${verdict}`);
      expect(lines).toContain(answer);
      expect(ran(world)).toBe(false);
      expect(await typed(world, answer)).toMatchObject({ code: 0 });
      const session = answer.split(' ')[2]!.split('.')[0]!;
      await entry(world, 'session.ended', { session });
      await until('the end of the first', async () => !(await reins(world, ['ls'])).stdout.includes(session));
      expect(ran(world)).toBe(verdict === 'allow');
    }
  });
});

/** A repository with one commit, as a clone has it. */
function clone(world: World, files: Record<string, string>): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', world.project, ...args], { env: world.env });
  for (const [name, text] of Object.entries(files)) world.write(name, text);
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
}

describe('a refusal', () => {
  test('a folder that is not trusted, for a run and for config migrate', async () => {
    const world = newDesk();
    clone(world, { 'ralph.yml': 'cli: {backend: practice}\n', 'sub dir/x': '' });
    const run = ['run', '--once', '-p', 'go'];
    const refused = await reins(world, run, DONE);
    expect(refused.code).toBe(10);
    expect(await reins(world, [...run, /--trust-folder/.exec(refused.stderr)![0]], DONE)).toMatchObject({ code: 0 });
    const cwd = join(world.project, 'sub dir');
    const migrate = await reins(world, ['config', 'migrate', '--write'], { cwd });
    expect(migrate.code).toBe(10);
    expect(migrate.stderr).not.toContain('--trust-folder');
    expect(await typed(world, the(advised(migrate), 'init --trust'), { cwd })).toMatchObject({ code: 0 });
    expect(await reins(world, ['config', 'migrate', '--write'], { cwd })).toMatchObject({ code: 0 });
    expect(await reins(world, run, DONE)).toMatchObject({ code: 0 });
  });

  test('a second loop in the folder, and a worktree that is gone', async () => {
    const world = newDesk();
    clone(world, { 'a.txt': 'a' });
    const run = worker(world, untilGoOn(`say('on'); forever();`));
    const first = startReins(world, [...run, '-p', 'go']);
    await entry(world, 'agent.text');
    const id = await onlySession(world);
    const busy = await reins(world, [...run, '-p', 'go']);
    expect(busy.code).toBe(2);
    expect(busy.stderr).toMatch(/--worktree .*--share-folder/);
    const [, folder] = [world.write('go-on', ''), join(world.project, '.reins/worktrees/night')];
    expect(await reins(world, [...run, '-p', 'go', '--share-folder'])).toMatchObject({ code: 0 });
    const own = worker(world, `say('LOOP_COMPLETE'); done();`);
    const beside = await reins(world, [...own, '-p', 'go', '--worktree', '--name', 'night']);
    expect(beside.code).toBe(0);
    expect(await typed(world, the(advised(beside), 'reins worktree merge'))).toMatchObject({ code: 0 });
    first.signal('SIGTERM');
    expect((await first.done).code).toBe(143);
    rmSync(folder, { recursive: true });
    const gone = await reins(world, ['run', '--continue', 'night']);
    expect(gone.code).toBe(21);
    expect(await typed(world, the(advised(gone), 'git -C'))).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'a.txt'))).toBe(true);
    expect(await typed(world, the(advised(first), `--continue ${id}`))).toMatchObject({ code: 0 });
  });

  test('a session nobody knows, and commands without their words', async () => {
    const world = newDesk();
    const unknown = await reins(world, ['logs', 'nothing']);
    expect(unknown.code).toBe(30);
    const none = await typed(world, the(advised(unknown), 'reins ls --all'));
    expect(none.code).toBe(0);
    expect(await reins(world, ['init', '--agent', 'practice'])).toMatchObject({ code: 0 });
    expect(await typed(world, the(advised(none), 'reins run').split(', ')[0]!, DONE)).toMatchObject({ code: 0 });
    const init = await reins(world, ['init', '--force', '--agent', 'practice', '--preset', 'tdd']);
    const lines = advised(init);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(await typed(world, line, DONE), line).toMatchObject({ code: 0 });
    expect(advised(await reins(world, ['exec']))).toEqual(['reins exec -- npm test']);
    expect((await reins(world, ['trust', '--help'])).stdout).not.toContain('…');
  });
});
