/**
 * Seed 003's night with everything that goes wrong in it, with the real agents: one claude asks seven things, one codex after
 * another is late, talks, answers, makes an option up, is no longer paid for, and is called off by a person who was faster.
 * Each time the next rung decides; nothing hangs and nothing is made up. And a host that is lost while its agent asks.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LostInquiry } from '../../src/contract/index.js';
import { type LabAgent, processesWith } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { all, entry, sessionDir } from '../journeys/support/journal.js';
import { detached, json } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { beside, openLab, told } from './support.js';

const ROADMAP = 'We run PostgreSQL 16 everywhere; caches are Valkey; queues are NATS.';

/** One turn that asks; what was answered is in the next request. */
const ask = (header: string, question: string, options: string[]) => ({ ask: [{ question, header, options }] });

const ASKED = [
  ask('Database', 'Which database should I use?', ['SQLite', 'PostgreSQL']),
  ask('Cache', 'What keeps the hot pages?', ['Valkey', 'Memcached']),
  ask('Queue', 'How do jobs travel?', ['NATS', 'RabbitMQ']),
  ask('Colour', 'Light or dark theme first?', ['Light', 'Dark']),
  ask('Owner', 'Who signs the release?', ['Ada', 'Grace']),
  ask('Port', 'Where does it listen?', ['8080', '9090']),
  ask('Name', 'How is the service called?', ['shop', 'store']),
];

const says = (question: string, value: string, quote: string) => ({
  text: JSON.stringify({
    answers: { [question]: [value] },
    confidence: 0.92,
    reason: 'The roadmap says so.',
    cites: [{ source: 'S2', quote }],
  }),
});

const NEVER = 600_000;

test('late, garbage, outside the options, over budget, exclusive, a person who is first: the next rung each time, and it goes on', async () => {
  const lab = await openLab('claude', JSON.stringify({ turns: [...ASKED, { text: 'Done.' }] }));
  const { world } = lab;
  world.write('ROADMAP.md', `${ROADMAP}\n`);
  await beside(lab, 'codex', [
    { delay: NEVER, text: 'too late' },
    { text: 'Valkey, I would say. Or maybe not?' },
    says('queue', '1', 'queues are NATS'),
    says('colour', 'Solarized', 'We run PostgreSQL 16 everywhere'),
    { delay: NEVER, text: 'a person was faster' },
  ]);
  const set = [
    'tools.defaults.detached.question=auto',
    'tools.AskUserQuestion.questions.owner.exclusive=true',
    'consult.backend=codex',
    'consult.model=lab-model',
    'consult.timeout_secs=20',
    // No codex says its price: each counts as two cents, and the sixth is one too many.
    'consult.max_cost_usd=0.09',
  ].flatMap((one) => ['--set', one]);
  const id = await detached(world, ['run', '-b', 'claude', '--once', '--name', 'night', ...set, 'go']);
  onTestFinished(async () => {
    await reins(world, ['kill', id]);
  });
  const { data } = await entry(world, 'consultation.started', {
    session: id,
    is: (one) => one.data.consultation.endsWith('.c5'),
  });
  await until('the fifth to have asked its model', () => lab.server.main.length >= 6 || undefined);
  expect(await reins(world, ['answer', data.inquiry, '2'])).toMatchObject({ code: 0 });
  await entry(world, 'session.ended', { session: id });

  const ended = (await all(world, 'consultation.ended')).map(({ data: { how, reason } }) => [how, reason]);
  expect(ended).toEqual([
    ['late', expect.stringContaining('had no answer after 20 s')],
    ['none', 'its answer is not one JSON object'],
    ['answered', 'The roadmap says so.'],
    ['none', 'it chose something that is no option of question colour'],
    ['cancelled', expect.any(String)],
  ]);
  const answers = (await all(world, 'inquiry.answered')).map(({ data: { answer } }) => [
    answer.verdict.kind === 'values' ? Object.values(answer.verdict.values).flat().join() : answer.verdict.kind,
    answer.by.kind,
  ]);
  expect(answers).toEqual([
    ['deny', 'policy'],
    ['deny', 'policy'],
    ['1', 'consultant'],
    ['deny', 'policy'],
    ['deny', 'policy'],
    ['2', 'viewer'],
    ['deny', 'policy'],
  ]);
  expect(told(lab)).toContain('answered for the user by codex (lab-model), because: The roadmap says so.');
  const limits = (await all(world, 'notice')).filter(({ data: notice }) => notice.code === 'consult.limit');
  expect(limits.map(({ data: notice }) => notice.text)).toEqual([expect.stringContaining('(consult.max_cost_usd)')]);
});

test('C18: a consultant that is killed while it thinks: the next rung at once, with the reason, and the agent goes on', async () => {
  const lab = await openLab('claude', JSON.stringify({ turns: [ASKED[0], { text: 'Done.' }] }));
  const { world } = lab;
  const model = await beside(lab, 'codex', [{ delay: NEVER, text: 'never said' }]);
  const set = ['tools.defaults.detached.question=auto', 'consult.backend=codex', 'consult.model=lab-model'];
  const id = await detached(world, ['run', '-b', 'claude', '--once', ...set.flatMap((one) => ['--set', one]), 'go']);
  onTestFinished(async () => {
    await reins(world, ['kill', id]);
  });
  await until('the consultant to have asked its model', () => model.main.length > 0 || undefined);
  const consultants = processesWith(`REINS_CONSULTATION_OF=${id}`);
  expect(consultants.length).toBeGreaterThan(0);
  for (const { pid } of consultants) process.kill(pid, 'SIGKILL');
  expect((await entry(world, 'session.ended', { session: id })).data).toMatchObject({
    outcome: 'denied',
    exit_code: 4,
  });
  expect(await all(world, 'consultation.ended')).toMatchObject([
    { data: { how: 'failed', reason: expect.any(String) } },
  ]);
  expect(await all(world, 'inquiry.answered')).toMatchObject([
    { data: { answer: { by: { kind: 'policy' }, verdict: { kind: 'deny' } } } },
  ]);
  expect(processesWith(`REINS_CONSULTATION_OF=${id}`)).toEqual([]);
});

async function lost(agent: LabAgent) {
  const again = ask('Database', 'Which database should I use?', ['SQLite', 'PostgreSQL']);
  const turns = [again, again, { text: 'I was told: {{result}}' }];
  const lab = await openLab(agent, JSON.stringify({ turns }));
  const { world } = lab;
  const defer = ['--set', 'tools.defaults.detached=defer'];
  const id = await detached(world, ['run', '-b', agent, '--once', ...defer, 'go']);
  const { data } = await entry(world, 'inquiry.opened', { session: id });
  const { pid } = JSON.parse(readFileSync(join(sessionDir(world, id), 'host.json'), 'utf8')) as { pid: number };
  // As when the machine goes down: all at once. An agent that is left alone for a while asks its model on and on.
  const agents = processesWith(`REINS_SESSION=${id}`).map((one) => one.pid);
  for (const one of [pid, ...agents]) process.kill(one, 'SIGKILL');
  await until('its host to be gone', () => !existsSync(`/proc/${pid}`) || undefined);
  return { lab, id, inquiry: data.inquiry.id };
}

test.each<LabAgent>(['claude', 'codex'])(
  '%s asks and its host is killed: the question stays in the inbox, and asked again it is given what was answered',
  async (agent) => {
    const { lab, id, inquiry } = await lost(agent);
    const line = `reins run --continue ${id}`;
    expect(await json<LostInquiry[]>(lab.world, ['inbox'])).toMatchObject([
      { id: inquiry, lost: true, continue: line },
    ]);
    expect(await json(lab.world, ['answer', inquiry, 'PostgreSQL'])).toMatchObject({ kept: true, continue: line });
    const ended = await reins(lab.world, ['run', '--continue', id, '--non-interactive']);
    expect(ended.code, ended.stderr).toBe(0);
    const answers = (await all(lab.world, 'inquiry.answered')).map(({ data }) => data.answer);
    expect(answers.filter(({ earlier }) => earlier !== undefined)).toMatchObject([
      { by: { kind: 'viewer' }, earlier: inquiry, verdict: { kind: 'values' } },
    ]);
    expect(told(lab)).toContain('PostgreSQL');
  },
);
