/**
 * C2 with the real agents: one asks which database, another answers, each on a scripted model of its own; and consultants
 * that fail, or whose model obeys an injection and calls a tool.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { all, entry, onlySession } from '../journeys/support/journal.js';
import { beside, type Lab, openLab, runOnce, told } from './support.js';

const ROADMAP = 'We run PostgreSQL 16 everywhere; new services use it too.';
const AUTO = ['--set', 'tools.defaults.detached.question=auto'];
const asks = (more = '') => `turns:
  - ask: [{question: "Which database should I use?${more}", header: Database, options: [SQLite, PostgreSQL]}]
  - text: "I was told: {{result}}"`;

const answer = (question: string) =>
  JSON.stringify({
    answers: { [question]: ['2'] },
    confidence: 0.92,
    reason: 'The roadmap asks for PostgreSQL.',
    cites: [{ source: 'S2', quote: 'We run PostgreSQL 16 everywhere' }],
  });

async function withConsultant(asker: LabAgent, consultant: LabAgent, turns: object[]) {
  const lab = await openLab(asker, asks());
  lab.world.write('ROADMAP.md', `${ROADMAP}\n`);
  const server = await beside(lab, consultant, turns);
  const consult = ['--set', `consult.backend=${consultant}`, '--set', 'consult.model=lab-model'];
  return { lab, server, run: () => runOnce(lab, [...AUTO, ...consult]) };
}

const PAIRS: [LabAgent, LabAgent, string][] = [
  ['claude', 'codex', 'codex (lab-model)'],
  ['codex', 'claude', 'claude (lab-model)'],
  ['claude', 'gemini', 'gemini (lab-model)'],
];

test.each(PAIRS)(
  'C2: %s asks, %s answers, with a reason and a cite; the agent is told who',
  async (asker, other, who) => {
    const question = asker === 'codex' ? 'q1' : 'database';
    const { lab, server, run } = await withConsultant(asker, other, [{ text: answer(question) }]);
    const ended = await run();
    const story = JSON.stringify(await all(lab.world, 'consultation.ended'));
    expect(ended.code, story).toBe(0);
    expect((await entry(lab.world, 'inquiry.answered')).data.answer).toMatchObject({
      by: { kind: 'consultant', adapter: other, model: 'lab-model' },
      confidence: 0.92,
      cites: [{ name: 'ROADMAP.md', quote: 'We run PostgreSQL 16 everywhere' }],
    });
    expect(told(lab)).toContain('PostgreSQL');
    expect(told(lab)).toContain(`answered for the user by ${who}, because: The roadmap asks for PostgreSQL`);
    const [asked] = server.main;
    // No tool that runs, reads or writes anything reaches the model.
    expect(asked!.tools.filter((tool) => !['request_user_input', 'update_plan'].includes(tool))).toEqual([]);
    expect(leftIn(lab, await onlySession(lab.world))).toEqual([]);
  },
);

test.each<LabAgent>(['claude', 'codex', 'gemini'])(
  'C9: the model of %s obeys an injection and calls a tool: nothing runs, there is no answer',
  async (other) => {
    const asker = other === 'claude' ? 'codex' : 'claude';
    const question = asker === 'codex' ? 'q1' : 'database';
    const { lab, run } = await withConsultant(asker, other, [
      { bash: 'touch /tmp/reins-consult-pwned; touch pwned.txt' },
      { text: answer(question) },
    ]);
    await run();
    expect((await entry(lab.world, 'consultation.ended')).data).toMatchObject({
      how: 'failed',
      reason: expect.stringContaining('tried to use a tool'),
    });
    expect((await entry(lab.world, 'inquiry.answered')).data.answer.verdict).toEqual({ kind: 'deny' });
    expect(existsSync('/tmp/reins-consult-pwned') || existsSync(join(lab.world.project, 'pwned.txt'))).toBe(false);
  },
);

test('C18: a consultant whose login is refused: no answer at once, with the reason', async () => {
  const { lab, run } = await withConsultant('claude', 'codex', [{ error: 401, times: 'always' }]);
  await run();
  expect((await entry(lab.world, 'consultation.ended')).data).toMatchObject({
    how: 'failed',
    reason: expect.stringMatching(/401/),
  });
});

/** What is left of private folders. */
function leftIn({ world }: Lab, id: string): string[] {
  const dir = join(world.env.XDG_STATE_HOME ?? '', 'reins/sessions', id, 'consult');
  return existsSync(dir) ? readdirSync(dir) : [];
}
