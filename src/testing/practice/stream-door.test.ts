import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectNoProcesses } from '../leaks.js';
import { type PracticeWish, scriptedAgent } from '../practice-agent.js';
import { Folder, OnPipes, until } from './harness.cases.js';
import type { PracticeStep } from './script.js';

let folder: Folder;
let agent: OnPipes | undefined;
beforeEach(() => {
  folder = new Folder();
});
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  folder.close();
});

function start(wish: PracticeWish, extra: { env?: Record<string, string> } = {}): OnPipes {
  agent = new OnPipes({ ...wish, ...extra, cwd: folder.path });
  agent.child.stdin.end();
  return agent;
}

async function run(wish: PracticeWish) {
  const started = start(wish);
  const { code } = await started.ended();
  return { code, text: started.out.toString('utf8'), rows: started.rows, err: started.err };
}

const texts = (rows: Record<string, unknown>[]) =>
  rows
    .filter((row) => row.type === 'assistant')
    .flatMap((row) => (row.message as { content: { text?: string }[] }).content.map((block) => block.text ?? ''));

describe('stream door', () => {
  it('prints init, words and a result in the shapes of stream-json', async () => {
    const { code, rows } = await run({
      door: 'stream',
      prompt: 'hello',
      sessionId: '11111111-2222-4333-8444-555555555555',
    });
    expect(code).toBe(0);
    expect(rows.map((row) => row.type)).toEqual(['system', 'assistant', 'result']);
    expect(rows[0]).toMatchObject({
      subtype: 'init',
      session_id: '11111111-2222-4333-8444-555555555555',
      cwd: folder.path,
    });
    expect(rows[2]).toMatchObject({ subtype: 'success', is_error: false, num_turns: 1, total_cost_usd: 0.001 });
    expect(rows[2]?.result).toContain('practice agent');
  });

  it('refuses tools that need permission, runs them when permissions are skipped', async () => {
    const refused = await run({ door: 'stream', scenario: 'ask-permission', prompt: 'go' });
    expect(refused.code).toBe(0);
    expect(refused.rows.at(-1)?.permission_denials).toHaveLength(1);
    expect(existsSync(join(folder.path, 'practice.txt'))).toBe(false);

    const ran = await run({ door: 'stream', scenario: 'ask-permission', prompt: 'go', skipPermissions: true });
    expect(ran.rows.at(-1)?.permission_denials).toEqual([]);
    expect(readFileSync(join(folder.path, 'practice.txt'), 'utf8')).toBe('practised\n');
  });

  it('writes, edits and reads only inside its folder', async () => {
    const outside = new Folder();
    const steps: PracticeStep[] = [
      { tool: 'Write', input: { file_path: 'a/b.txt', content: 'one' } },
      { tool: 'Edit', input: { file_path: 'a/b.txt', old_string: 'one', new_string: '$& two' } },
      { tool: 'Write', input: { file_path: join(outside.path, 'x.txt'), content: 'no' } },
      { tool: 'Write', input: { file_path: '../x.txt', content: 'no' } },
    ];
    agent = new OnPipes({
      cwd: folder.path,
      run: scriptedAgent(steps, { door: 'stream', prompt: 'go', skipPermissions: true }),
    });
    await agent.ended();
    const results = agent.rows
      .filter((row) => row.type === 'user')
      .map((row) => (row.message as { content: { is_error: boolean }[] }).content[0]);
    expect(results.map((result) => result?.is_error)).toEqual([false, false, true, true]);
    expect(readFileSync(join(folder.path, 'a/b.txt'), 'utf8')).toBe('$& two');
    expect(existsSync(join(outside.path, 'x.txt'))).toBe(false);
    outside.close();
  });

  it.each([
    ['fail', 1, undefined],
    ['error-result', 1, { is_error: true, api_error_status: 500, subtype: 'success' }],
    ['usage-limit', 1, { is_error: true, api_error_status: 429 }],
    ['cost 1.5', 0, { total_cost_usd: 1.5 }],
    ['retry', 0, { is_error: false }],
  ])('%s ends with %i', async (scenario, code, result) => {
    const got = await run({ door: 'stream', scenario, prompt: 'go' });
    expect(got.code).toBe(code);
    const last = got.rows.at(-1);
    if (result) expect(last).toMatchObject({ type: 'result', ...result });
    else expect(last?.type).toBe('assistant');
    if (scenario === 'retry') expect(got.rows.filter((row) => row.subtype === 'api_retry')).toHaveLength(3);
  });

  it('takes the prompt from stdin byte for byte and says so', async () => {
    const prompt = `größer 漢字 🙂 "quoted" \\ tab\tend\n${'x'.repeat(300_000)}`;
    agent = new OnPipes({ door: 'stream', scenario: 'echo', cwd: folder.path });
    agent.child.stdin.end(prompt);
    expect((await agent.ended()).code).toBe(0);
    const [facts, echoed] = texts(agent.rows);
    const bytes = Buffer.from(prompt);
    expect(facts).toBe(`bytes=${bytes.length} sha256=${createHash('sha256').update(bytes).digest('hex')}`);
    expect(echoed).toBe(prompt);
  });

  it('SIGINT ends the turn with an error result, and the command it runs dies with it', async () => {
    const steps: PracticeStep[] = [{ tool: 'Bash', input: { command: 'sleep 120' } }];
    const mark = `PRACTICE_MARK=${folder.path}`;
    const command = scriptedAgent(steps, { door: 'stream', prompt: 'go', skipPermissions: true });
    agent = new OnPipes({ cwd: folder.path, run: command, env: { PRACTICE_MARK: folder.path } });
    await agent.row('assistant');
    agent.child.kill('SIGINT');
    expect((await agent.ended()).code).toBe(1);
    expect(agent.rows.at(-1)).toMatchObject({ type: 'result', subtype: 'error_during_execution', is_error: true });
    await expectNoProcesses(mark);
  });

  it('keeps a transcript and resumes it by id; a used id and an unknown one are errors', async () => {
    const home = join(folder.path, 'home');
    const sessionId = '11111111-2222-4333-8444-666666666666';
    expect((await run({ door: 'stream', prompt: 'hello', home, sessionId })).code).toBe(0);
    expect((await run({ door: 'stream', prompt: 'again', home, sessionId })).err).toContain('already in use');
    expect((await run({ door: 'stream', prompt: 'more', home, resume: sessionId })).rows[0]).toMatchObject({
      session_id: sessionId,
    });
    expect((await run({ door: 'stream', prompt: 'x', home, resume: 'nobody' })).err).toContain('No conversation found');
    const file = join(home, 'projects', folder.path.replace(/[^A-Za-z0-9]/g, '-'), `${sessionId}.jsonl`);
    const rows = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.filter((row) => row.type === 'user').map((row) => row.message.content)).toEqual(['hello', 'more']);
  });

  it('a scenario file is played; a bad one and an unknown name are named', async () => {
    const file = join(folder.path, 'mine.json');
    writeFileSync(file, JSON.stringify([{ say: 'you said {{prompt}}' }, { event: 'a.b', payload: 'p' }]));
    const { rows } = await run({ door: 'stream', scenario: file, prompt: 'this' });
    expect(texts(rows)).toEqual(['you said this', '<event topic="a.b">p</event>']);
    writeFileSync(file, JSON.stringify([{ say: 'ok' }, { sing: 'no' }]));
    expect((await run({ scenario: file, prompt: 'x' })).err).toContain('step 2 has none of: say');
    const unknown = await run({ scenario: 'nonsense', prompt: 'x' });
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.err).toContain("unknown scenario 'nonsense'. There are: hello, tour");
  });

  it('loop counts in a file and promises at the end; hats answer to the hat they wear', async () => {
    const once = () => run({ door: 'text', scenario: 'loop 2', prompt: 'go' });
    expect((await once()).text).toContain('<event topic="task.progress">iteration 1 of 2</event>');
    expect((await once()).text).toMatch(/Iteration 2 of 2\.\nAll iterations are done\.\nLOOP_COMPLETE\n$/);
    expect(existsSync(join(folder.path, '.practice-count'))).toBe(false);
    const hat = async (prompt: string) => (await run({ door: 'text', scenario: 'hats', prompt })).text;
    expect(await hat('You are the Builder.')).toContain('<event topic="build.done">');
    expect(await hat('hat: reviewer; after the plan was built')).toMatch(/review\.approved.*LOOP_COMPLETE/s);
    expect(await hat('hats')).toContain('plan.ready');
  });
});

const sessionOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3];

describe('bad habits', () => {
  it('lines: the last one is there, on every door', async () => {
    expect((await run({ door: 'text', scenario: 'lines 5000', prompt: 'x' })).text.trimEnd()).toMatch(
      /\nline 5000 of 5000$/,
    );
    expect(texts((await run({ door: 'stream', scenario: 'lines 5000', prompt: 'x' })).rows).join('\n')).toMatch(
      /line 5000 of 5000$/,
    );
  });

  it('flood, long-line, garbage and split-utf8 keep what they promise', async () => {
    const flood = await run({ door: 'text', scenario: 'flood 2', prompt: 'x' });
    expect(flood.text.length).toBeGreaterThan(2 * 1024 * 1024);
    const long = await run({ door: 'stream', scenario: 'long-line 1', prompt: 'x' });
    expect(texts(long.rows)[0]).toHaveLength(1024 * 1024);
    const garbage = start({ door: 'text', scenario: 'garbage', prompt: 'x' });
    await garbage.ended();
    expect([...new Set(garbage.out.subarray(0, 4096))]).toHaveLength(256);
    const split = await run({ door: 'stream', scenario: 'split-utf8', prompt: 'x', speed: 1 });
    expect(texts(split.rows)).toEqual(['größer 漢字 🙂 é', 'Whole again.']);
  });

  it('die-before-ready says nothing and exits 1; hang says nothing and stays', async () => {
    expect(await run({ scenario: 'die-before-ready', prompt: 'x' })).toMatchObject({ code: 1, text: '' });
    const hanging = start({ scenario: 'hang', prompt: 'x', door: 'stream' });
    // Its own child process would be seen dead here if it had ended at start.
    await until(
      'the hanging agent',
      () =>
        (hanging.child.pid !== undefined && readFileSync(`/proc/${hanging.child.pid}/stat`, 'utf8').includes(') S')) ||
        undefined,
    );
    expect(hanging.out.length).toBe(0);
    expect(hanging.exit).toBeUndefined();
    hanging.child.kill('SIGTERM');
    expect((await hanging.ended()).signal).toBe('SIGTERM');
  });

  it.each(['setsid-child', 'double-fork', 'stubborn'])(
    '%s leaves a child that only its mark gives away',
    async (scenario) => {
      const mark = `PRACTICE_MARK=${folder.path}`;
      const started = start({ door: 'text', scenario, prompt: 'x' }, { env: { PRACTICE_MARK: folder.path } });
      const child = Number(await until('the child', () => /child (\d+)/.exec(started.out.toString())?.[1]));
      if (scenario === 'stubborn') {
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) started.child.kill(signal);
        await expect(expectNoProcesses(mark, 200)).rejects.toThrow(/2 processes still carry/);
        started.child.kill('SIGKILL');
      }
      await started.ended();
      expect(sessionOf(child)).not.toBe(sessionOf(process.pid));
      await expect(expectNoProcesses(mark, 0)).rejects.toThrow(`${child} sleep`);
      process.kill(child, 'SIGKILL');
      await expectNoProcesses(mark);
    },
  );
});
