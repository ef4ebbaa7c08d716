/** What a person answered after the host was lost, and the agent that asks again: the same, the like, and twice. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer, Entry, Inquiry } from '../contract/index.js';
import { lostMark } from '../disk/index.js';
import { lostIn } from '../journal/lost.js';
import { readJournal } from '../journal/read.js';
import type { Decision } from '../policy/index.js';
import {
  ASK,
  allow,
  ann,
  away,
  deny,
  desk,
  dir,
  entries,
  journal,
  RUN,
  settle,
  settledDown,
  story,
} from './desk.cases.js';
import type { Draft } from './desk.js';
import { FoundAgain, isSameAsked, markLost } from './lost-inquiries.js';

const WHICH: Draft = {
  kind: 'question',
  tool: 'AskUserQuestion',
  exclusive: false,
  questions: [
    {
      id: 'db',
      text: 'Which database?',
      options: [
        { id: 'pg', label: 'PostgreSQL' },
        { id: 'my', label: 'MySQL' },
      ],
      multi: false,
      free_text: true,
    },
  ],
};
const PG: Answer['verdict'] = { kind: 'values', values: { db: ['pg'] } };

/** A host that asked this and was lost; then somebody answered. */
function lost(draft: Draft, verdict?: Answer['verdict'], scope?: 'session'): Inquiry {
  const { desk: before } = desk({}, entries.filter(({ type }) => type === 'inquiry.opened').length);
  const { id } = before.open(draft);
  if (verdict) {
    const answer: Answer = { inquiry: id, verdict, by: ann, reason: 'because', ...(scope ? { scope } : {}) };
    journal.append('inquiry.answered', { answer, kept: true });
  }
  return entries.findLast((entry): entry is Entry<'inquiry.opened'> => entry.type === 'inquiry.opened')!.data.inquiry;
}

/** The next host, with what policy would say. */
function goesOn(route: Decision = ASK, present = true) {
  const found = new FoundAgain([...entries], { journal, dir: join(dir, 'sessions', 'x') });
  found.begun();
  const opened = entries.filter(({ type }) => type === 'inquiry.opened').length;
  const made = desk({ route: async () => route, kept: (draft, decision) => found.instead(draft, decision) }, opened);
  if (!present) made.present.now = away;
  return { ...made, found };
}

describe('the same again', () => {
  test('a call is settled by what the person said, with who and for which inquiry', async () => {
    const earlier = lost(RUN, allow);
    const { desk: next } = goesOn({ do: 'defer', rule: { text: 'x', source: 'y' } }, false);
    const asked = next.open(RUN);
    expect(await asked.settled).toEqual({ verdict: allow, reason: 'because' });
    const answered = entries.findLast((entry): entry is Entry<'inquiry.answered'> => entry.type === 'inquiry.answered');
    expect(answered?.data.answer).toMatchObject({ inquiry: asked.id, by: ann, earlier: earlier.id });
    expect(lostIn(entries)).toEqual({ waiting: [], kept: [] });
  });

  test('a question', async () => {
    lost(WHICH, PG);
    const { desk: next } = goesOn();
    expect(await next.open(WHICH).settled).toMatchObject({ verdict: PG });
  });

  test('where the agent has a dialog of its own, before it shows it', async () => {
    lost(RUN, allow);
    const { desk: next } = goesOn(settle(deny, 'policy'), false);
    expect(await next.atOnce(RUN)).toMatchObject({ verdict: allow });
    expect(await next.atOnce(RUN)).toMatchObject({ verdict: deny });
  });

  test('also where nobody is there and policy would refuse', async () => {
    lost(RUN, allow);
    const { desk: next, unasked } = goesOn(settle(deny, 'policy'), false);
    expect(await next.open(RUN).settled).toMatchObject({ verdict: allow });
    expect(unasked).toEqual([]);
  });
});

describe('attacked', () => {
  const ALIKE: [string, Draft, Draft][] = [
    ['another command', RUN, { ...RUN, input: { command: 'ls ' } }],
    ['one more field', RUN, { ...RUN, input: { command: 'ls', env: { A: '1' } } }],
    ['one field less', { ...RUN, input: { command: 'ls', cwd: '/a' } }, RUN],
    ['a number for a text', { ...RUN, input: { n: 1 } }, { ...RUN, input: { n: '1' } }],
    ['another tool', RUN, { ...RUN, tool: 'Shell' }],
    ['no input', RUN, { kind: 'run', tool: 'Bash', exclusive: false }],
    ['a sub-agent that asks it', RUN, { ...RUN, parent: 'sub' }],
    ['its result', RUN, { ...RUN, kind: 'deliver', result: { text: 'a', truncated: false } }],
    [
      'a result that is not seen whole',
      { ...RUN, kind: 'deliver', result: { text: 'a', truncated: true } },
      { ...RUN, kind: 'deliver', result: { text: 'a', truncated: true } },
    ],
    [
      'a secret, which nobody wrote down',
      { ...WHICH, questions: [{ ...WHICH.questions![0]!, secret: true }] },
      { ...WHICH, questions: [{ ...WHICH.questions![0]!, secret: true }] },
    ],
    [
      'another question',
      WHICH,
      { ...WHICH, questions: [{ ...WHICH.questions![0]!, text: 'Which database to drop?' }] },
    ],
    [
      'the same option with another meaning',
      WHICH,
      { ...WHICH, questions: [{ ...WHICH.questions![0]!, options: [{ id: 'pg', label: 'Drop PostgreSQL' }] }] },
    ],
  ];
  test.each(ALIKE)('%s is asked anew', async (_name, then, now) => {
    lost(then, then.kind === 'question' ? PG : allow);
    const { desk: next } = goesOn();
    next.open(now);
    await settledDown();
    expect(next.list()).toHaveLength(1);
    expect(lostIn(entries).kept).toHaveLength(1);
    expect(isSameAsked(then, now)).toBe(false);
  });

  test('twice, one after the other and at the same time: it counts once', async () => {
    lost(RUN, allow);
    const { desk: next } = goesOn();
    next.open(RUN);
    next.open(RUN);
    await settledDown();
    expect(next.list()).toHaveLength(1);
    next.open(RUN);
    await settledDown();
    expect(next.list()).toHaveLength(2);
  });

  test('twice, with the host killed in between: it counts once', async () => {
    lost(RUN, allow);
    goesOn().desk.open(RUN);
    await settledDown();
    const { desk: third } = goesOn();
    third.open(RUN);
    await settledDown();
    expect(third.list()).toHaveLength(1);
  });

  test('a deny rule of now beats the yes of then', async () => {
    lost(RUN, allow);
    const { desk: next } = goesOn(settle(deny));
    expect(await next.open(RUN).settled).toMatchObject({ verdict: deny });
    expect(lostIn(entries).kept).toEqual([]);
  });

  test('the no of then beats a rule that allows it now', async () => {
    lost(RUN, deny);
    const { desk: next } = goesOn(settle(allow));
    expect(await next.open(RUN).settled).toMatchObject({ verdict: deny });
  });

  test('an answer to a host that lived is no kept one: it may have been told', async () => {
    const { desk: before } = desk();
    const { id } = before.open(RUN);
    await settledDown();
    before.answer({ inquiry: id, verdict: allow, by: ann });
    const { desk: next } = goesOn();
    next.open(RUN);
    await settledDown();
    expect(next.list()).toHaveLength(1);
  });

  test('a person who answers the new one first has the say', async () => {
    lost(RUN, allow);
    const { desk: next } = goesOn();
    const asked = next.open(RUN);
    next.answer({ inquiry: asked.id, verdict: deny, by: ann });
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });
});

test('what nobody answered is closed when the session goes on, and a kept answer nobody asked for when it ends', () => {
  const [one, two] = [lost(RUN), lost(WHICH, PG)];
  expect(lostIn(entries).waiting.map(({ id }) => id)).toEqual([one.id]);
  const { found } = goesOn();
  expect(lostIn(entries)).toMatchObject({ waiting: [], kept: [{ inquiry: { id: two.id } }] });
  found.ended();
  expect(lostIn(entries)).toEqual({ waiting: [], kept: [] });
});

test('a host that is ended from outside leaves what waits open, and marks it', async () => {
  const { desk: before } = desk();
  const asked = before.open(RUN);
  await settledDown();
  before.lose();
  before.clear('the session ended');
  expect(await asked.settled).toBeUndefined();
  expect(story()).toEqual([`opened ${asked.id}`]);
  const { waiting } = lostIn(readJournal(join(dir, 'journal.jsonl')));
  const at = join(dir, 'sessions', 'k7f2m9qd');
  markLost(at, waiting);
  expect(JSON.parse(readFileSync(lostMark(at), 'utf8'))).toMatchObject([{ id: asked.id, tool: 'Bash' }]);
  markLost(at, []);
  expect(existsSync(lostMark(at))).toBe(false);
});
