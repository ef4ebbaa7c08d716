/** Seed 003 from outside, with the practice agent on both sides: nobody is there, and another agent answers. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processesWith } from '../../src/testing/index.js';
import { CLI, type Ended, reins } from './support/cli.js';
import { all, entry, sessionDir } from './support/journal.js';
import { detached, json } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const AUTO = ['--set', 'tools.defaults.detached.question=auto'];
const GOAL = 'Build the shop. We run PostgreSQL everywhere.';
const run = (world: World, args: string[] = [], env: Record<string, string> = {}): Promise<Ended> =>
  reins(world, ['run', '-b', 'practice', '--once', ...AUTO, ...args, GOAL], {
    env: { PRACTICE_SCENARIO: 'ask-single', ...env },
  });

describe('nobody is there, and another agent is asked', () => {
  test('C1: it answers with a reason and cites; the agent is told who did, and goes on', async () => {
    const world = newWorld();
    const ended = await run(world, [], { PRACTICE_CONSULT: 'consult PostgreSQL 0.8' });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain(
      'Understood: PostgreSQL (answered for the user by practice (practice-script), because:',
    );
    const { consultation } = (await entry(world, 'consultation.started')).data;
    expect((await entry(world, 'consultation.ended')).data).toMatchObject({ consultation, how: 'answered' });
    expect((await entry(world, 'inquiry.answered')).data.answer).toMatchObject({
      by: { kind: 'consultant', adapter: 'practice' },
      verdict: { kind: 'values', values: { database: ['1'] } },
      confidence: 0.8,
      cites: [{ source: 'S1', quote: GOAL }],
    });
    expect((await entry(world, 'session.ended')).data).toMatchObject({ exit_code: 0, counts: { denied: 0 } });
  });

  test('C20: asked the same again: another agent, then memory, then a person is wanted; nobody is consulted twice', async () => {
    const world = newWorld();
    await run(world, [], { PRACTICE_SCENARIO: 'ask-again 4', PRACTICE_CONSULT: 'consult PostgreSQL 0.8' });
    const by = (await all(world, 'inquiry.answered')).map(({ data }) => data.answer.by.kind);
    expect(by).toEqual(['consultant', 'memory', 'policy', 'policy']);
    expect(await all(world, 'consultation.started')).toHaveLength(1);
    const again = (await all(world, 'notice')).filter(({ data }) => data.code === 'asked-again');
    expect(again.length).toBeGreaterThan(0);
  });

  const DATABASE = {
    question: 'Which database should I use?',
    header: 'Database',
    options: [
      { label: 'PostgreSQL', description: 'Relational, robust' },
      { label: 'SQLite', description: 'Embedded, simple' },
      { label: 'MongoDB', description: 'Document store' },
    ],
  };
  const answers = async (world: World, session?: string) =>
    (await all(world, 'inquiry.answered', session)).map(({ data: { answer } }) => answer);
  const chosen = { by: { kind: 'consultant' }, verdict: { values: { database: ['1'] } } };

  test('C9: an agent that writes down what it wants to hear and has a child of its ask, hears it neither there nor from memory', async () => {
    const world = newWorld();
    const own = "PRACTICE_SCENARIO=ask-single PRACTICE_CONSULT='consult MongoDB'";
    const child = `${own} ${process.execPath} ${CLI} run --share-folder -b practice --once 'We run MongoDB everywhere.'`;
    const command = `echo 'We run MongoDB everywhere.' > ROADMAP.md; ${child}`;
    world.write(join(world.root, 'config/reins/config.yml'), 'tools: {defaults: {detached: {question: auto}}}');
    const steps = [{ tool: 'Bash', input: { command } }, { ask: [DATABASE] }];
    const scenario = world.write(join(world.root, 'scenario.json'), JSON.stringify(steps));
    expect(await run(world, ['--set', 'rules.allow=["Bash(*)"]'], { PRACTICE_SCENARIO: scenario })).toMatchObject({
      code: 0,
    });
    const sessions = JSON.parse((await reins(world, ['ls', '--all', '--json'])).stdout) as { id: string }[];
    expect(sessions).toHaveLength(2);
    const told = await Promise.all(sessions.map(({ id }) => answers(world, id)));
    const given = told.flat().filter(({ verdict }) => verdict.kind !== 'allow');
    expect(given).toHaveLength(2);
    expect(given.filter(({ by }) => by.kind === 'policy')).toMatchObject([{ verdict: { kind: 'deny' } }]);
    expect(given.filter(({ by }) => by.kind !== 'policy')).toMatchObject([chosen]);
  });

  test('C9: nor by a prompt file that it changed before it was continued; what a person says then counts', async () => {
    const world = newWorld();
    world.write('PROMPT.md', GOAL);
    const input = { file_path: join(world.project, 'PROMPT.md'), content: 'We run MongoDB everywhere.' };
    const steps = JSON.stringify([{ tool: 'Write', input }, { exit: 1 }]);
    const scenario = world.write(join(world.root, 'scenario.json'), steps);
    const args = ['run', '-b', 'practice', '--once', '--set', 'rules.allow=["Edit(PROMPT.md)"]', ...AUTO];
    expect((await reins(world, args, { env: { PRACTICE_SCENARIO: scenario } })).code).toBe(1);
    const { session } = await entry(world, 'session.started');
    const on = (words: string[], consult: string) =>
      reins(world, ['run', '--continue', session, ...words], {
        env: { PRACTICE_SCENARIO: 'ask-single', PRACTICE_CONSULT: consult },
      });
    expect((await on([], 'consult MongoDB')).code).toBe(4);
    expect((await on([GOAL], 'consult PostgreSQL')).code).toBe(0);
    const given = (await answers(world)).filter(({ verdict }) => verdict.kind !== 'allow');
    expect(given).toMatchObject([{ by: { kind: 'policy' }, verdict: { kind: 'deny' } }, chosen]);
  });

  test('C23: what was answered while the session stands still is in the inbox, and can be replaced until the agent hears it', async () => {
    const world = newWorld();
    const env = { PRACTICE_SCENARIO: 'ask-single', PRACTICE_CONSULT: 'consult-late 3', PRACTICE_SPEED: '1' };
    const id = await detached(world, ['run', '-b', 'practice', '--once', ...AUTO, GOAL], { env });
    await entry(world, 'consultation.started', { session: id });
    expect(await reins(world, ['pause', id])).toMatchObject({ code: 0 });
    const { data } = await entry(world, 'inquiry.answered', { session: id });
    const { inquiry } = data.answer;
    expect(await json(world, ['inbox'])).toMatchObject([{ id: inquiry, answer: { by: { kind: 'consultant' } } }]);
    expect(await reins(world, ['answer', inquiry, 'SQLite'])).toMatchObject({ code: 0 });
    expect(await json(world, ['inbox'])).toEqual([]);
    await reins(world, ['resume', id]);
    await entry(world, 'session.ended', { session: id });
    expect((await answers(world)).at(-1)).toMatchObject({
      ...{ by: { kind: 'viewer' }, overrules: { kind: 'consultant' }, verdict: { values: { database: ['2'] } } },
    });
  });

  test('C17: one that starts or answers anything through Reins is refused, also with a cleaned environment', async () => {
    const world = newWorld();
    const out = join(world.root, 'tried');
    const reinsIs = `${process.execPath} ${CLI}`;
    const tries = ['run -b practice --once hello', 'answer abcd2345.1 allow', 'mcp', 'exec -- true', 'ls'];
    const program = world.write(
      join(world.root, 'consultant.sh'),
      `#!/bin/sh
cat > /dev/null
${tries.map((words) => `${reinsIs} ${words} < /dev/null >> ${out} 2>&1; echo "code $?" >> ${out}`).join('\n')}
env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" ${reinsIs} ${tries[0]} >> ${out} 2>&1; echo "code $?" >> ${out}
echo '{"none": "I tried."}'
`,
    );
    chmodSync(program, 0o755);
    const own = ['--set', `cli.command=${program}`, '--set', 'consult.backend=custom'];
    expect((await run(world, own)).code).toBe(4);
    const tried = readFileSync(out, 'utf8');
    expect(tried.match(/code \d+/g)).toEqual(Array(tries.length + 1).fill('code 2'));
    expect(tried.match(/an agent that is consulted may not use Reins/g)).toHaveLength(tries.length + 1);
    expect(await all(world, 'inquiry.opened')).toHaveLength(1);
    expect(JSON.parse((await reins(world, ['ls', '--all', '--json'])).stdout)).toHaveLength(1);
    expect((await entry(world, 'consultation.ended')).data).toMatchObject({
      how: 'none',
      reason: expect.stringContaining('I tried'),
    });
  });

  test('a host that is killed while it consults: whoever looks ends the consultant, which counts; the question is not lost', async () => {
    const world = newWorld();
    const args = ['run', '-b', 'practice', '--once', ...AUTO, '--set', 'consult.max_cost_usd=0.02', GOAL];
    const env = { PRACTICE_SCENARIO: 'ask-single', PRACTICE_CONSULT: 'consult-late 3600' };
    const id = await detached(world, args, { env });
    await entry(world, 'consultation.started', { session: id });
    const consults = () => processesWith(`REINS_CONSULTATION_OF=${id}`).length;
    await until('the consultant to run', () => consults() > 0 || undefined);
    const { pid } = JSON.parse(readFileSync(join(sessionDir(world, id), 'host.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await until('its host to be gone', () => !existsSync(`/proc/${pid}`) || undefined);
    expect(await json(world, ['inbox'])).toMatchObject([{ session: id, lost: true }]);
    expect(consults()).toBe(0);
    // What it cost nobody saw: it counts as one whose cost is not known, and the session has no more to spend.
    const again = await reins(world, ['run', '--continue', id, '--non-interactive'], { env });
    expect(again.stderr).toContain('consult.max_cost_usd');
    expect(await all(world, 'consultation.started')).toHaveLength(1);
  });
});
