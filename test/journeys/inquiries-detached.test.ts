/** Contract section 5: nobody is there. Each detached mode, seen from outside, with the practice agent at its control door. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, reins, startReins } from './support/cli.js';
import { all, entry, onlySession } from './support/journal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const run = (world: World, scenario: string, args: string[] = []): Promise<Ended> =>
  reins(world, ['run', '-b', 'practice', '--once', ...args, 'go'], { env: { PRACTICE_SCENARIO: scenario } });
const mode = (value: string) => ['--set', `tools.defaults.detached=${value}`];
/** Its own agent would be consulted, and the practice agent has an answer to everything. */
const NO_CONSULTANT = ['--set', 'consult.max_per_session=0'];
const ran = (world: World) => existsSync(join(world.project, 'practice.txt'));
const denials = async (world: World) =>
  (await all(world, 'inquiry.answered')).filter((one) => one.data.answer.verdict.kind === 'deny');

describe('with nobody there', () => {
  test('deny (the default): not run, the agent is told why, exit 4, the line that would allow it is named', async () => {
    const world = newWorld();
    const ended = await run(world, 'ask-permission');
    expect(ended.code).toBe(4);
    expect(ran(world)).toBe(false);
    expect(ended.stdout).toContain('needs a person’s answer');
    expect(ended.stderr).toContain('rules: {allow:');
    expect(ended.stderr).toContain('1 denied because nobody was there');
    expect((await entry(world, 'session.started')).data.presence).toEqual({
      present: false,
      reason: 'no-controlling-tty',
    });
    expect((await entry(world, 'session.ended')).data).toMatchObject({ exit_code: 4, counts: { denied: 1 } });
  });

  test('`--non-interactive` and REINS_FRONTEND say why nobody is', async () => {
    const world = newWorld();
    expect((await run(world, 'ask-permission', ['--non-interactive'])).code).toBe(4);
    expect((await entry(world, 'session.started')).data.presence).toEqual({ present: false, reason: 'flag' });
    const other = newWorld();
    await reins(other, ['run', '-b', 'practice', '--once', 'hello'], { env: { REINS_FRONTEND: 'noninteractive' } });
    expect((await entry(other, 'session.started')).data.presence).toEqual({ present: false, reason: 'env' });
  });

  test('auto: allowed', async () => {
    const world = newWorld();
    expect((await run(world, 'ask-permission', mode('auto'))).code).toBe(0);
    expect(ran(world)).toBe(true);
  });

  test('auto, a question: a consultant without an answer, so on_no_answer (deny) with a reason', async () => {
    const world = newWorld();
    const ended = await run(world, 'ask-single', [...mode('auto'), ...NO_CONSULTANT]);
    expect(ended.code).toBe(4);
    expect(await denials(world)).toHaveLength(1);
  });

  test('auto, a question: the tool’s own on_no_answer counts, and it waits', async () => {
    const world = newWorld();
    const own = ['--set', 'tools.AskUserQuestion.on_no_answer=defer', '--set', 'tools.defaults.on_no_answer=deny'];
    expect((await run(world, 'ask-single', [...mode('auto'), ...NO_CONSULTANT, ...own])).code).toBe(5);
    const id = await onlySession(world);
    expect(JSON.parse((await reins(world, ['inbox', '--json'])).stdout)).toMatchObject([{ session: id }]);
    expect((await reins(world, ['stop', id])).code).toBe(0);
  });

  test('defaults: a run has no default and is denied', async () => {
    const world = newWorld();
    expect((await run(world, 'ask-permission', mode('defaults'))).code).toBe(4);
    expect(ran(world)).toBe(false);
  });

  test('inbox --watch: says that nothing waits, what comes, and what is settled', async () => {
    const world = newWorld();
    const watch = startReins(world, ['inbox', '--watch']);
    await until('the first words', () => watch.stderr.includes('Nothing waits for you yet'));
    const ended = await run(world, 'ask-permission', mode('defer'));
    expect(ended.code).toBe(5);
    const id = `${await onlySession(world)}.1`;
    await until('the inquiry', () => watch.stdout.includes(`reins answer ${id} deny`));
    expect((await reins(world, ['answer', id, 'deny'])).code).toBe(0);
    const second = await reins(world, ['answer', id, 'allow']);
    expect(second.code).toBe(31);
    expect(second.stderr).toContain('answered by `reins answer`');
    await until('its end', () => watch.stderr.includes(`${id} no longer waits`));
    watch.signal('SIGINT');
    expect((await watch.done).signal).toBe('SIGINT');
    await entry(world, 'session.ended');
  });

  test('defer: the run ends with 5, the session waits, `reins answer` resumes it', async () => {
    const world = newWorld();
    const parked = await run(world, 'ask-permission', mode('defer'));
    expect(parked).toMatchObject({ code: 5 });
    expect(parked.stderr).toContain('reins answer');
    const id = await onlySession(world);
    const open = JSON.parse((await reins(world, ['inbox', '--json'])).stdout);
    expect(open).toMatchObject([{ id: `${id}.1`, session: id, kind: 'run', tool: 'Bash', exclusive: false }]);
    expect(ran(world)).toBe(false);
    expect(JSON.parse((await reins(world, ['ls', '--json'])).stdout)).toMatchObject([
      { id, state: 'asking', inquiries: 1 },
    ]);
    expect((await reins(world, ['answer', `${id}.1`, 'allow'])).code).toBe(0);
    expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'completed', exit_code: 0 });
    expect(ran(world)).toBe(true);
    expect((await reins(world, ['answer', `${id}.1`, 'deny'])).code).toBe(31);
  });

  test('a ladder: asks for a moment, then the next rung', async () => {
    const world = newWorld();
    expect((await run(world, 'ask-permission', mode('[{ask: 1s}, auto]'))).code).toBe(0);
    expect(ran(world)).toBe(true);
  });

  test('an agent may not answer its own inquiry', async () => {
    const world = newWorld();
    const ended = await reins(world, ['answer', 'abcd2345.1', 'allow'], { env: { REINS_SESSION: 'abcd2345' } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('an agent may not answer');
  });
});

describe('rules', () => {
  test('an allow rule runs it unasked, a deny rule beats trust full', async () => {
    const world = newWorld();
    world.write('reins.yml', 'rules: {allow: ["Bash(echo practised:*)"]}\n');
    const allowed = await run(world, 'ask-permission');
    expect(allowed.code).toBe(0);
    expect(ran(world)).toBe(true);
    expect((await entry(world, 'inquiry.answered')).data.answer.by).toMatchObject({
      kind: 'rule',
      rule: { source: expect.stringMatching(/^reins\.yml:1/) },
    });
    const other = newWorld();
    other.write('reins.yml', 'trust: full\nrules: {deny: ["Bash(echo:*)"]}\n');
    await run(other, 'ask-permission');
    expect(ran(other)).toBe(false);
    expect(await denials(other)).toHaveLength(1);
  });

  test('a permissive file that git tracks needs the user’s word first', async () => {
    const world = newWorld();
    world.write('reins.yml', 'rules: {allow: ["Bash(echo practised:*)"]}\n');
    const { execFileSync } = await import('node:child_process');
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: world.project, env: world.env, stdio: 'ignore' });
    git('init', '-q');
    git('add', 'reins.yml');
    const refused = await run(world, 'ask-permission');
    expect(refused.code).toBe(10);
    expect(refused.stderr).toContain('reins init --trust');
    expect((await reins(world, ['init', '--trust'])).code).toBe(0);
    expect((await run(world, 'ask-permission')).code).toBe(0);
    expect(readFileSync(join(world.project, 'reins.yml'), 'utf8')).toBe('rules: {allow: ["Bash(echo practised:*)"]}\n');
  });

  test('children of an unattended run are told not to prompt', async () => {
    const world = newWorld();
    world.write('reins.yml', 'rules: {allow: ["Bash"]}\n');
    const asked = 'echo "[$GIT_TERMINAL_PROMPT][$GH_PROMPT_DISABLED][$DEBIAN_FRONTEND]" > practice.txt';
    world.write('steps.json', JSON.stringify([{ tool: 'Bash', input: { command: asked } }]));
    await run(world, join(world.project, 'steps.json'), []);
    expect(readFileSync(join(world.project, 'practice.txt'), 'utf8')).toBe('[0][1][noninteractive]\n');
  });
});
