/** Answers that were given for one thing and are asked for another: none of them may come out of memory. */
import { describe, expect, test } from 'vitest';
import { ConfigSchema } from '../../config/schema.js';
import type { Answer, By, Inquiry, Question, ViewerId } from '../../contract/index.js';
import { DATABASE, sandbox } from '../../decisions/decisions.cases.js';
import { clock, journal } from '../desk.cases.js';
import { decidedBefore } from './decided.js';
import { createMemory } from './memory.js';
import { decisionsAt } from './project.js';

const ann: By = { kind: 'viewer', viewer: 'v-ann' as ViewerId };
const ASKED = {
  id: 'k7f2m9qd.1',
  session: 'k7f2m9qd',
  kind: 'question',
  tool: 'AskUserQuestion',
  questions: [DATABASE],
  exclusive: false,
  opened_at: '2026-01-02T03:04:05Z',
} as Inquiry;
const YES_NO: Question = {
  id: 'go',
  text: 'Shall I go on with this plan?',
  options: [
    { id: '1', label: 'Yes' },
    { id: '2', label: 'No, stop' },
  ],
  multi: false,
  free_text: true,
};

function memories() {
  const box = sandbox();
  const env = { XDG_STATE_HOME: box.dir };
  const decisions = decisionsAt(box.project.root, env);
  const of = (id: string) =>
    createMemory({
      spec: { id: id as Inquiry['session'], cwd: box.project.root, config: ConfigSchema.parse({}) },
      ...{ env, journal, before: [], clock, decisions },
    });
  const answered = (inquiry: Inquiry, by: By, value = '1') =>
    of(inquiry.session).answered({
      inquiry,
      answer: {
        inquiry: inquiry.id,
        verdict: { kind: 'values', values: { [inquiry.questions![0]!.id]: [value] } },
        by,
        ...(by.kind === 'consultant' ? { confidence: 0.9 } : {}),
      },
      ts: '2026-01-02T03:04:06Z',
    });
  return { box, env, decisions, of, answered };
}

const later = { ...ASKED, id: 'zzzzzzz2.1', session: 'zzzzzzz2' } as Inquiry;

describe('what memory must not answer', () => {
  test('what an agent answered its child: it would answer itself, in every session of the project', () => {
    const { of, answered, decisions } = memories();
    answered(ASKED, { kind: 'parent', session: 'aaaaaaa1' as Inquiry['session'] });
    expect(decisions.list()).toMatchObject([{ scope: 'once', by: { kind: 'parent' } }]);
    expect(of(later.session).recall(later)).toBeUndefined();
  });

  test('what only a person was to answer, asked again without saying so', () => {
    const { of, answered } = memories();
    answered({ ...ASKED, exclusive: true }, ann);
    expect(of(later.session).recall(later)).toBeUndefined();
  });

  test('a prompt at a terminal: the same words may be another program’s', () => {
    const { of, answered } = memories();
    answered({ ...ASKED, tool: 'terminal' }, ann);
    expect(of(ASKED.session).recall(ASKED)).toBeUndefined();
  });

  test('a yes of another session: it was said to what stood there, not to these words', () => {
    const { of, answered } = memories();
    answered({ ...ASKED, questions: [YES_NO] }, ann);
    expect(of(later.session).recall({ ...later, questions: [YES_NO] })).toBeUndefined();
    expect(of(ASKED.session).recall({ ...ASKED, questions: [YES_NO] })).toMatchObject({ by: { kind: 'memory' } });
  });

  test('an older decision that a newer one had replaced, when the newer one is revoked', () => {
    const { of, answered, decisions } = memories();
    answered(ASKED, { kind: 'consultant', adapter: 'codex' });
    answered(ASKED, ann, '2');
    expect(of(later.session).recall(later)).toMatchObject({ verdict: { values: { db: ['2'] } } });
    decisions.revoke(decisions.list().at(-1)!.id, { at: 1 });
    expect(of(later.session).recall(later)).toBeUndefined();
  });
});

test.each([
  ['a refusal', { verdict: { kind: 'deny' } }],
  ['an answer for this once', { verdict: { kind: 'values', values: { db: ['2'] } }, scope: 'once' }],
] as const)('a consultant’s answer that a person overruled with %s does not come back', (_, given) => {
  const { of, answered, decisions } = memories();
  const codex = { kind: 'consultant', adapter: 'codex' } as const;
  answered(ASKED, codex);
  const answer = { ...given, inquiry: ASKED.id, by: ann, overrules: codex } as unknown as Answer;
  of(ASKED.session).answered({ inquiry: ASKED, answer, ts: '2026-01-02T03:04:07Z' });
  expect(of(later.session).recall(later)).toBeUndefined();
  expect(decisions.list()[0]).toMatchObject({ revoked: { reason: expect.stringContaining('overruled') } });
});

test('what a parent’s agent answered proves nothing to a consultant', () => {
  const { box, env, answered } = memories();
  answered(ASKED, { kind: 'parent', session: 'aaaaaaa1' as Inquiry['session'] });
  const found = decidedBefore(later, { env, cwd: box.project.root });
  expect(found).toMatchObject([{ text: expect.stringContaining('PostgreSQL'), unverified: true }]);
});
