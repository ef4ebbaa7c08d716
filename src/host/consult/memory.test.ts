/** What is remembered of answers, and what memory answers: the real desk, journal and files. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { ConfigSchema } from '../../config/schema.js';
import { type By, type Entry, nameOf, type Question, type Verdict } from '../../contract/index.js';
import type { Decisions } from '../../decisions/index.js';
import { readJournal } from '../../journal/index.js';
import { ASK, ann, away, clock, desk, dir, entries, journal, rule, session, settledDown } from '../desk.cases.js';
import type { Consulted, Draft, Settlement } from '../desk-ports.js';
import { loadMemory, watchAnswers } from './answers.js';
import { decidedBefore } from './decided.js';
import { decisionsAt } from './project.js';

const DATABASE: Question = {
  id: 'db',
  text: 'Which database should I use?',
  options: [
    { id: '1', label: 'PostgreSQL' },
    { id: '2', label: 'SQLite' },
  ],
  multi: false,
  free_text: true,
};
const ASKED: Draft = { kind: 'question', tool: 'AskUserQuestion', questions: [DATABASE], exclusive: false };
const codex: By = { kind: 'consultant', adapter: 'codex', model: 'small' };
const chosen = (value: string): Verdict => ({ kind: 'values', values: { db: [value] } });
const config = ConfigSchema.parse({});
const spec = { id: session, cwd: '', config };

/** A desk where nobody is there and the consultant answers; `asked` counts how often it was asked. */
function withMemory(
  options: { before?: Entry[]; says?: Consulted; noAnswer?: 'deny' | 'defer'; attended?: true } = {},
) {
  const env = { XDG_STATE_HOME: join(dir, 'state') };
  const answers = watchAnswers({ spec: { ...spec, cwd: dir }, env, journal, before: options.before ?? [], clock });
  const said: Consulted = {
    verdict: chosen('1'),
    by: codex,
    confidence: 0.9,
    reason: 'the roadmap says so',
    cites: [],
  };
  const count = { consulted: 0 };
  const why: string[] = [];
  const refused = {
    do: 'settle',
    verdict: { kind: 'deny' },
    by: { kind: 'policy', rule },
    reason: 'no',
    rule,
  } as const;
  const made = desk({
    route: async () =>
      options.attended
        ? ASK
        : {
            do: 'consult',
            onNoAnswer: options.noAnswer === 'defer' ? { do: 'defer', rule } : refused,
            rule,
          },
    consult: async (inquiry) => {
      const known = await answers.recall(inquiry);
      if (known && 'none' in known) why.push(known.none);
      if (known) return known;
      count.consulted += 1;
      return options.says ?? said;
    },
  });
  made.present.now = away;
  const ask = async (draft: Draft = ASKED) => {
    const asked = made.desk.open(draft);
    let is: Settlement | 'waiting' = 'waiting';
    void asked.settled.then((how) => {
      is = how ?? is;
    });
    for (const end = Date.now() + 20_000; is === 'waiting' && !made.desk.parked && Date.now() < end; )
      await settledDown();
    return { ...asked, is };
  };
  const decisions: Decisions = decisionsAt(dir, env);
  return { ...made, answers, ask, count, why, decisions };
}

const bys = () => entries.flatMap((entry) => (entry.type === 'inquiry.answered' ? [entry.data.answer.by.kind] : []));
const notices = () => entries.flatMap((entry) => (entry.type === 'notice' ? [entry.data] : []));

describe('C20: the same question again', () => {
  it('is answered once from memory, then a person is wanted, and a loop of asking ends with the story', async () => {
    const { ask, count, why, decisions } = withMemory();
    for (let round = 0; round < 5; round += 1) await ask();
    expect(bys()).toEqual(['consultant', 'memory', 'policy', 'policy', 'policy']);
    expect(count.consulted).toBe(1);
    expect(why[0]).toMatch(
      /is asked again: it was answered “PostgreSQL” by the consultant codex .* a person is wanted/,
    );
    expect(notices().map(({ code }) => code)).toEqual(['asked-again', 'asked-again', 'asked-again']);
    const [decision] = decisions.list();
    expect(
      entries.find((one) => one.type === 'inquiry.answered' && one.data.answer.by.kind === 'memory')?.data,
    ).toMatchObject({
      answer: { by: { kind: 'memory', decision: decision?.id }, confidence: 0.9, verdict: chosen('1') },
    });
    // An answer from memory is no new decision.
    expect(decisions.list()).toMatchObject([{ by: codex, model: 'small', used: { times: 1, sessions: [session] } }]);
  });

  it('waits for a person where the policy defers, and what that person says counts once more', async () => {
    const { ask, desk: one } = withMemory({ noAnswer: 'defer' });
    await ask();
    await ask();
    const third = await ask();
    expect(third.is).toBe('waiting');
    one.answer({ inquiry: third.id, verdict: chosen('2'), by: ann });
    expect((await ask()).is).toMatchObject({ verdict: chosen('2') });
    expect((await ask()).is).toBe('waiting');
    expect(bys()).toEqual(['consultant', 'memory', 'viewer', 'memory']);
  });

  it('is counted over a restart of the host', async () => {
    const first = withMemory();
    await first.ask();
    await first.ask();
    const before = readJournal(join(dir, 'journal.jsonl'));
    const second = withMemory({ before });
    expect(await second.answers.recall({ ...ASKED, id: 'x.9', session, opened_at: '' } as never)).toEqual({
      none: expect.stringContaining('a person is wanted'),
    });
  });

  it('is another question if what an option says of itself is another, or one may choose several', async () => {
    const { ask, count } = withMemory();
    await ask();
    const options = [{ ...DATABASE.options[0]!, description: 'and drop the old one' }, DATABASE.options[1]!];
    await ask({ ...ASKED, questions: [{ ...DATABASE, options }] });
    await ask({ ...ASKED, questions: [{ ...DATABASE, multi: true }] });
    await ask({ ...ASKED, questions: [DATABASE, { ...DATABASE, id: 'other', text: 'Another?' }] });
    expect([count.consulted, bys().includes('memory')]).toEqual([4, false]);
  });

  it('is not answered by what stands in the project’s copy, by a revoked or a too unsure decision', async () => {
    const { ask, count, decisions, answers } = withMemory();
    await ask();
    const inquiry = { ...ASKED, id: 'x.9', session, opened_at: '' } as never;
    const [decision] = decisions.list();
    expect(await answers.recall(inquiry)).toMatchObject({ by: { decision: decision?.id } });
    const unsure = watchAnswers({
      spec: { ...spec, cwd: dir, config: { ...config, consult: { ...config.consult, min_confidence: 0.95 } } },
      ...{ env: { XDG_STATE_HOME: join(dir, 'state') }, journal, before: [], clock },
    });
    expect(await unsure.recall(inquiry)).toBe(undefined);
    decisions.revoke(decision!.id, { at: 1 });
    expect(await answers.recall(inquiry)).toBe(undefined);
    expect(count.consulted).toBe(1);
  });
});

test('C21: a like question is told what was decided and by whom, an unverified line as such, and neither answers it', async () => {
  const { ask, answers, decisions } = withMemory();
  await ask();
  const copy = join(dir, '.reins', 'decisions.jsonl');
  const id = decisions.list()[0]!.id;
  writeFileSync(
    copy,
    readFileSync(copy, 'utf8') + readFileSync(copy, 'utf8').replace('"values":["1"]', '"values":["2"]'),
  );
  const like = { ...ASKED, questions: [{ ...DATABASE, text: 'Which database for the orders?' }] };
  const inquiry = { ...like, id: 'x.9', session, opened_at: '' } as never;
  expect(await answers.recall(inquiry)).toBe(undefined);
  const env = { XDG_STATE_HOME: join(dir, 'state') };
  expect(decidedBefore(inquiry, { env, cwd: dir })).toMatchObject([
    { id: `earlier decision ${id}`, text: expect.stringMatching(/answered: PostgreSQL\nby: the consultant codex/) },
    { id: `earlier decision ${id}`, text: expect.stringContaining('answered: SQLite'), unverified: true },
  ]);
});

test('lines of the copy that are made to stumble over hide nothing of what is on record', async () => {
  const { ask, decisions } = withMemory();
  await ask();
  const copy = join(dir, '.reins', 'decisions.jsonl');
  const line = JSON.parse(readFileSync(copy, 'utf8'));
  const odd = [
    { by: { kind: 'rule' } },
    { by: { kind: 'toString' }, reason: { x: 1 }, cites: 'S1', confidence: 'sure', model: {} },
    {
      scope: 'everywhere',
      cites: [null],
      question: { ...line.question, header: 7, options: [{ id: 'a', label: 'b', description: 9 }] },
    },
    { session: '__proto__', correction: 1, used: 2, revoked: 3, unverified: null },
  ];
  writeFileSync(copy, odd.map((one, at) => `${JSON.stringify({ ...line, id: `d-${at}`, ...one })}\n`).join(''));
  const env = { XDG_STATE_HOME: join(dir, 'state') };
  const [first, ...rest] = decidedBefore({ ...ASKED, id: 'x.9', session, opened_at: '' } as never, { env, cwd: dir });
  expect([first?.unverified, rest.length > 0, rest.every((one) => one.unverified)]).toEqual([undefined, true, true]);
  const claimed = decisions.list().filter(({ unverified }) => unverified !== undefined);
  expect(claimed.map(({ by, cites, confidence }) => [nameOf(by), cites, confidence])).toEqual(
    odd.map(() => ['unknown', undefined, undefined]),
  );
});

test('C23: a correction is what the same question is answered with from then on', async () => {
  const { ask, decisions } = withMemory();
  await ask();
  decisions.correct(decisions.list()[0]!.id, { at: 1, values: ['2'], reason: 'one file is enough' });
  expect((await ask()).is).toMatchObject({
    verdict: chosen('2'),
    reason: expect.stringContaining('a person’s correction'),
  });
  // What spoke for the other answer does not speak for this one.
  const last = entries.flatMap((entry) => (entry.type === 'inquiry.answered' ? [entry.data.answer] : [])).at(-1);
  expect(last).not.toHaveProperty('cites');
  expect(last).not.toHaveProperty('confidence');
});

describe('what is remembered', () => {
  it('is on disk before the agent hears the answer', async () => {
    await loadMemory();
    const { desk: one, decisions } = withMemory({ attended: true });
    let known = -1;
    const { id } = one.open(ASKED);
    await settledDown();
    journal.subscribe((entry) => {
      if (entry.type === 'inquiry.answered') known = decisions.list().length;
    });
    one.answer({ inquiry: id, verdict: chosen('2'), by: ann, reason: 'small' });
    expect(known).toBe(1);
    expect(decisions.list()).toMatchObject([
      { by: ann, values: ['2'], reason: 'small', inquiry: id, tool: 'AskUserQuestion' },
    ]);
  });

  it('is no secret, no own words of an exclusive question, no denial, no rule’s answer, no call', async () => {
    await loadMemory();
    const { desk: one, decisions } = withMemory();
    const given = (draft: Partial<Draft>, answer: { verdict: Verdict; by?: By; scope?: 'once' }) =>
      one.settled({ ...ASKED, ...draft }, { by: ann, ...answer });
    const own = chosen('hunter2');
    given({ questions: [{ ...DATABASE, secret: true, options: [] }] }, { verdict: own });
    given({ exclusive: true }, { verdict: own });
    given(
      { exclusive: true, questions: [{ ...DATABASE, multi: true }] },
      { verdict: { kind: 'values', values: { db: ['1', 'hunter2'] } } },
    );
    given({}, { verdict: { kind: 'deny' } });
    given({}, { verdict: chosen('1'), by: { kind: 'policy', rule } });
    given({}, { verdict: chosen('1'), by: { kind: 'default' } });
    given({ kind: 'run' }, { verdict: { kind: 'allow' } });
    await settledDown();
    expect(decisions.list()).toEqual([]);
    expect(JSON.stringify(readdirSync(dir, { recursive: true }))).not.toContain('decisions.jsonl');
    given({ exclusive: true }, { verdict: chosen('2') });
    given({}, { verdict: { kind: 'values', values: { db: ['PostgreSQL'] }, free: ['db'] } });
    await settledDown();
    expect(decisions.list()).toMatchObject([{ values: ['2'] }, { values: ['PostgreSQL'], scope: 'once' }]);
    expect(readFileSync(join(dir, '.reins', 'decisions.jsonl'), 'utf8')).not.toContain('hunter2');
  });

  it('never answers an exclusive or a secret question', async () => {
    const { ask, answers } = withMemory();
    await ask();
    const inquiry = { ...ASKED, id: 'x.9', session, opened_at: '' };
    expect(await answers.recall({ ...inquiry, exclusive: true } as never)).toBe(undefined);
    expect(await answers.recall({ ...inquiry, questions: [{ ...DATABASE, secret: true }] } as never)).toBe(undefined);
    expect(await answers.recall(inquiry as never)).toMatchObject({ by: { kind: 'memory' } });
  });

  it('that cannot be written is told once, and nothing else stops', async () => {
    const { ask } = withMemory();
    writeFileSync(join(dir, 'state'), 'in the way');
    expect((await ask()).is).toMatchObject({ verdict: chosen('1') });
    await ask();
    expect(notices().filter(({ code }) => code === 'decisions')).toMatchObject([
      { level: 'warn', text: expect.stringContaining('cannot be remembered') },
    ]);
  });
});
