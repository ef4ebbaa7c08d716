import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder, OnPipes, type Row, until } from './harness.cases.js';

let folder: Folder;
let agent: OnPipes;
beforeEach(() => {
  folder = new Folder();
  agent = new OnPipes({ door: 'control', cwd: folder.path });
});
afterEach(async () => {
  await agent.close();
  folder.close();
});

const request = (row: Row) => (row as unknown as { request: Record<string, unknown> }).request;
const file = (name: string) => join(folder.path, name);
const resultOf = (row: Row) => (row.message as { content: { content: string; is_error: boolean }[] }).content[0]!;

describe('control door', () => {
  it('says nothing before it is spoken to, answers initialize, then one init per turn', async () => {
    agent.send({ type: 'control_request', request_id: 'i1', request: { subtype: 'initialize' } });
    expect((await agent.row('control_response')).response).toMatchObject({ subtype: 'success', request_id: 'i1' });
    expect(agent.rows).toHaveLength(1);
    agent.say('hello');
    await agent.row('result');
    agent.say('hello');
    await agent.row('result', 1);
    expect(agent.rows.filter((row) => row.subtype === 'init')).toHaveLength(2);
    agent.child.stdin.end();
    expect((await agent.ended()).code).toBe(0);
  });

  it('runs a tool after allow with the input that was sent back', async () => {
    agent.say('ask-permission');
    const asked = await agent.row('control_request');
    expect(request(asked)).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'echo practised > practice.txt' },
    });
    agent.answer(asked, { behavior: 'allow', updatedInput: { command: 'echo changed > practice.txt' } });
    await agent.row('result');
    expect(readFileSync(file('practice.txt'), 'utf8')).toBe('changed\n');
  });

  it.each([
    ['deny', { behavior: 'deny', message: 'not today' }, 'not today'],
    ['an allow without updatedInput', { behavior: 'allow' }, 'updatedInput is required'],
    ['nonsense', { hello: 1 }, 'no usable answer'],
  ])('does not run it after %s, and the turn goes on', async (_what, response, told) => {
    agent.say('ask-permission');
    agent.answer(await agent.row('control_request'), response);
    expect(resultOf(await agent.row('user'))).toMatchObject({ is_error: true, content: expect.stringContaining(told) });
    expect(await agent.row('result')).toMatchObject({ is_error: false });
    expect(existsSync(file('practice.txt'))).toBe(false);
  });

  it('an error response, or the end of input while it asks, means not run', async () => {
    agent.say('ask-permission');
    const { request_id } = (await agent.row('control_request')) as unknown as { request_id: string };
    agent.send({ type: 'control_response', response: { subtype: 'error', request_id, error: 'broken' } });
    await agent.row('result');
    agent.say('ask-permission');
    await agent.row('control_request', 1);
    agent.child.stdin.end();
    expect((await agent.ended()).code).toBe(0);
    expect(existsSync(file('practice.txt'))).toBe(false);
  });

  it('deny with interrupt ends the turn', async () => {
    agent.say('ask-permission');
    agent.answer(await agent.row('control_request'), { behavior: 'deny', message: 'stop', interrupt: true });
    expect(await agent.row('result')).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  });

  it('a line that is not JSON ends it with 1', async () => {
    agent.child.stdin.write('this is not json\n');
    expect((await agent.ended()).code).toBe(1);
  });

  it.each([
    ['ask-single', { 'Which database should I use?': 'SQLite' }, 'Understood: SQLite.'],
    ['ask-multi', { 'Which features do you want to enable?': 'Auth, Metrics' }, 'Understood: Auth, Metrics.'],
    ['ask-free', { 'What should the project be called?': 'Über 🙂' }, 'Understood: Über 🙂.'],
    [
      'ask-several',
      {
        'Which database should I use?': 'MongoDB',
        'Which features do you want to enable?': 'Cache',
        'What should the project be called?': 'x',
      },
      'Understood: MongoDB; Cache; x.',
    ],
  ])('%s takes its answers in updatedInput', async (scenario, answers, said) => {
    agent.say(scenario);
    const asked = await agent.row('control_request');
    const { input } = request(asked) as { input: { questions: { question: string }[] } };
    expect(input.questions.map(({ question }) => question)).toEqual(Object.keys(answers));
    agent.answer(asked, { behavior: 'allow', updatedInput: { ...input, answers } });
    expect((await agent.row('result')).result).toBe(said);
  });

  it('parallel: three requests are open at once and may be answered in any order', async () => {
    agent.say('parallel');
    const third = await agent.row('control_request', 2);
    const [first, second] = [await agent.row('control_request', 0), await agent.row('control_request', 1)];
    agent.answer(third, { behavior: 'allow', updatedInput: request(third).input });
    agent.answer(first, { behavior: 'deny', message: 'no' });
    agent.answer(second, { behavior: 'allow', updatedInput: request(second).input });
    await agent.row('result');
    expect(readdirSync(folder.path).sort()).toEqual(['parallel-three.txt', 'parallel-two.txt']);
  });

  it('interrupt takes open requests back; a withdrawn request is taken back while the turn goes on', async () => {
    agent.say('ask-permission');
    const asked = (await agent.row('control_request')) as unknown as { request_id: string };
    agent.send({ type: 'control_request', request_id: 'int', request: { subtype: 'interrupt' } });
    expect(await agent.row('control_cancel_request')).toMatchObject({ request_id: asked.request_id });
    expect(await agent.row('result')).toMatchObject({ subtype: 'error_during_execution' });
    agent.say('withdraw');
    await agent.row('control_cancel_request', 1);
    expect((await agent.row('result', 1)).result).toBe('Not done: The request was withdrawn.');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('interrupt ends a slow turn, a message meanwhile waits its turn', async () => {
    agent.say('slow 60');
    await agent.row('assistant');
    agent.say('hello');
    agent.send({ type: 'control_request', request_id: 'int', request: { subtype: 'interrupt' } });
    expect(await agent.row('result')).toMatchObject({ is_error: true });
    expect(await agent.row('result', 1)).toMatchObject({ is_error: false });
    await until('only two turns', () => agent.rows.filter((row) => row.type === 'result').length === 2);
  });
});
