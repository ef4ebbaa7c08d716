import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { HandClock, type SessionId } from '../contract/index.js';
import { openDecisions } from '../decisions/index.js';
import { Journal } from '../journal/index.js';
import { awaySince, digestOf } from './digest.js';

const START = Date.parse('2026-01-02T00:00:00Z');
const HOUR = 3_600_000;

function world() {
  const home = mkdtempSync(join(tmpdir(), 'digest-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: home, XDG_RUNTIME_DIR: home, HOME: home };
  const clock = new HandClock(START);
  const sessions = join(home, 'reins', 'sessions');
  const session = (id: string) => {
    const dir = join(sessions, id);
    mkdirSync(dir, { recursive: true });
    const facts = {
      v: 1,
      id,
      name: `name-${id}`,
      mode: 'autonomous',
      trust: 'guarded',
      cwd: '/p',
      agent: { adapter: 'claude' },
    };
    writeFileSync(
      join(dir, 'session.json'),
      JSON.stringify({ ...facts, created_at: new Date(START).toISOString(), reins: '0' }),
    );
    const { journal } = Journal.open({ file: join(dir, 'journal.jsonl'), session: id as SessionId, clock });
    onTestFinished(() => journal.close());
    return journal;
  };
  return { env, clock, session, sessions, stateDir: join(home, 'reins') };
}

const rule = { text: 'r', source: 's' };
const BYS = [
  { kind: 'consultant', adapter: 'codex', model: 'small' },
  { kind: 'memory', decision: 'd-1' },
  { kind: 'viewer', viewer: 'v-1' },
  { kind: 'rule', rule },
  { kind: 'policy', rule },
  { kind: 'default' },
] as const;

interface Step {
  session: number;
  minutes: number;
  what: 'question' | 'run' | 'consult' | 'suggest' | 'denied' | 'agent';
  by: number;
  answered: boolean;
  taken: boolean;
  cents: number;
}

const STEP = fc.record<Step>({
  session: fc.integer({ min: 0, max: 2 }),
  minutes: fc.integer({ min: 0, max: 40 }),
  what: fc.constantFrom('question', 'run', 'consult', 'suggest', 'denied', 'agent'),
  by: fc.integer({ min: 0, max: BYS.length - 1 }),
  answered: fc.boolean(),
  taken: fc.boolean(),
  cents: fc.integer({ min: 0, max: 300 }),
});

function play(journals: Journal[], clock: HandClock, steps: Step[]): void {
  let count = 0;
  for (const { session, minutes, what, by: which, answered, taken, cents } of steps) {
    clock.advance(minutes * 60_000);
    const journal = journals[session]!;
    const by = BYS[which]! as never;
    count += 1;
    const inquiry = `s${session}.${count}` as never;
    const verdict = what === 'run' ? { kind: 'allow' as const } : { kind: 'values' as const, values: { q: ['1'] } };
    if (what === 'denied') {
      journal.append('notice', {
        level: 'warn',
        code: 'denied',
        text: 'Bash was denied',
        facts: { what: `Bash ${which}`, fix: `allow ${which}` },
      });
      continue;
    }
    if (what === 'agent') {
      journal.append('agent.ended', { exit_code: 0, ok: true, cost_usd: cents / 100 });
      continue;
    }
    const questions = [
      { id: 'q', text: `Q${count}?`, options: [{ id: '1', label: 'One' }], multi: false, free_text: true },
    ];
    const about = {
      id: inquiry,
      session: 's' as never,
      exclusive: false,
      opened_at: new Date(clock.now()).toISOString(),
    };
    journal.append('inquiry.opened', {
      inquiry: what === 'run' ? { ...about, kind: 'run', tool: 'Bash' } : { ...about, kind: 'question', questions },
    });
    const consultation = { consultation: `c${count}`, inquiry, adapter: 'codex', for: 'answer' as const };
    if (what === 'consult') {
      journal.append('consultation.started', { ...consultation, pack: { digest: '', bytes: 1, sources: 1 }, until: 1 });
      journal.append('consultation.ended', {
        ...consultation,
        how: taken ? 'answered' : 'cancelled',
        seconds: 1,
        cost_usd: cents / 100,
      });
    }
    const suggestion = { verdict, by: BYS[0] as never };
    if (what === 'suggest') journal.append('inquiry.moved', { inquiry, stage: 'asking', suggestion });
    if (!answered) continue;
    clock.advance(60_000);
    journal.append('inquiry.answered', {
      answer: {
        inquiry,
        verdict,
        by,
        reason: 'because',
        ...(what === 'suggest' && taken ? { proposed: suggestion } : {}),
      },
    });
    journal.append('inquiry.closed', { inquiry, how: 'delivered' });
  }
}

/** The same numbers, counted another way: plain lines of plain files. */
function counted(sessions: string, since: number) {
  const lines = readdirSync(sessions).flatMap((id) =>
    readFileSync(join(sessions, id, 'journal.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
  const within = lines.filter(({ ts }) => Date.parse(ts) > since);
  const of = (type: string) => within.filter((entry) => entry.type === type).map(({ data }) => data);
  const tally = (words: string[]) =>
    Object.fromEntries([...new Set(words)].map((word) => [word, words.filter((one) => one === word).length]));
  const suggested = lines
    .filter(({ type, data }) => type === 'inquiry.moved' && data.suggestion)
    .map(({ data }) => data.inquiry);
  const consulted = lines.filter(({ type }) => type === 'consultation.started').map(({ data }) => data.inquiry);
  const answers = of('inquiry.answered').map(({ answer }) => answer);
  const cents = (all: { cost_usd?: number }[]) =>
    all.reduce((sum, { cost_usd = 0 }) => sum + Math.round(cost_usd * 100), 0) / 100;
  return {
    inquiries: of('inquiry.opened').length,
    answered: tally(answers.map(({ by }) => by.kind)),
    denied_unasked: of('notice').filter(({ code }) => code === 'denied').length,
    consultations: tally(of('consultation.ended').map(({ how }) => how)),
    suggestions: {
      made: of('inquiry.moved').filter(({ suggestion }) => suggestion).length,
      taken: answers.filter(({ proposed }) => proposed).length,
      not_taken: answers.filter(({ inquiry, proposed }) => suggested.includes(inquiry) && !proposed).length,
    },
    overruled: answers.filter(({ by, inquiry }) => by.kind === 'viewer' && consulted.includes(inquiry)).length,
    agents_usd: cents(of('agent.ended')),
    consultations_usd: cents(of('consultation.ended')),
  };
}

test('C25: the numbers equal a count over the journals, from any time on', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 40 }), fc.integer({ min: 0, max: 20 }), (steps, hours) => {
      const { env, clock, session, sessions } = world();
      play(['aaaa2222', 'bbbb3333', 'cccc4444'].map(session), clock, steps);
      const since = START + hours * HOUR;
      const found = digestOf(env && { env }, { since, now: Math.max(clock.now(), since) });
      expect(found.counts).toMatchObject(counted(sessions, since));
      expect(found.consultant.length).toBe(found.counts.answered.consultant ?? 0);
      expect(found.memory.length).toBe(found.counts.answered.memory ?? 0);
      expect(found.denied.reduce((sum, { count }) => sum + count, 0)).toBe(found.counts.denied_unasked);
      expect(found.unread).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('C25: a consultant’s answer is told with why, cites and what it rests on; denials with the line that would allow', () => {
  const { env, clock, session } = world();
  const journal = session('aaaa2222');
  const question = {
    id: 'q',
    text: 'Which database?',
    options: [{ id: '1', label: 'PostgreSQL' }],
    multi: false,
    free_text: true,
  };
  const inquiry = {
    id: 'aaaa2222.1' as never,
    session: 'aaaa2222' as never,
    kind: 'question' as const,
    questions: [question],
    exclusive: false,
    opened_at: '',
  };
  const cites = [{ source: 'S2', name: 'ROADMAP.md', quote: 'we use PostgreSQL' }];
  clock.advance(1000);
  journal.append('inquiry.opened', { inquiry });
  const by = { kind: 'consultant', adapter: 'codex', model: 'small' } as const;
  journal.append('inquiry.answered', {
    answer: {
      inquiry: inquiry.id,
      verdict: { kind: 'values', values: { q: ['1'] } },
      by,
      confidence: 0.9,
      reason: 'it says so',
      cites,
    },
  });
  journal.append('notice', {
    level: 'warn',
    code: 'denied',
    text: 'x',
    facts: { what: 'Bash', fix: 'rules.allow: [Bash]' },
  });
  journal.append('inquiry.opened', { inquiry: { ...inquiry, id: 'aaaa2222.2' as never } });
  journal.append('session.ended', {
    outcome: 'completed',
    exit_code: 0,
    reason: 'done',
    counts: { iterations: 1, inquiries: 1, denied: 1 },
  });
  const found = digestOf({ env }, { since: START, now: clock.now() });
  expect(found.consultant).toEqual([
    {
      inquiry: 'aaaa2222.1',
      session: 'aaaa2222',
      at: expect.any(String),
      question: 'Which database?',
      answer: 'PostgreSQL',
      by: 'the consultant codex',
      model: 'small',
      confidence: 0.9,
      reason: 'it says so',
      cites,
    },
  ]);
  expect(found.denied).toEqual([{ what: 'Bash', count: 1, allow: 'rules.allow: [Bash]' }]);
  expect(found.sessions).toMatchObject([
    { session: 'aaaa2222', name: 'name-aaaa2222', state: 'ended', outcome: 'completed', exit_code: 0 },
  ]);
  // Its session ended: nobody waits for that answer.
  expect(found.open).toEqual([]);
});

test('C23: what a person corrected or revoked is in the digest, with both answers', () => {
  const { env, stateDir } = world();
  const decisions = openDecisions({ stateDir, project: 'shop-1' });
  const question = {
    id: 'q',
    text: 'Which database?',
    options: [
      { id: '1', label: 'PostgreSQL' },
      { id: '2', label: 'SQLite' },
    ],
    multi: false,
    free_text: true,
  };
  const decided = {
    at: START,
    session: 's',
    inquiry: 's.1',
    question,
    values: ['1'],
    by: BYS[0] as never,
    scope: 'project' as const,
  };
  const first = decisions.remember(decided).id;
  const second = decisions.remember(decided).id;
  decisions.correct(first, { at: START + HOUR, values: ['2'], reason: 'one file' });
  decisions.revoke(second, { at: START + 2 * HOUR });
  const found = digestOf({ env }, { since: START, now: START + 3 * HOUR });
  expect(found.corrections).toMatchObject([
    { decision: first, question: 'Which database?', from: 'PostgreSQL', to: 'SQLite', reason: 'one file' },
    { decision: second, from: 'PostgreSQL' },
  ]);
  expect(digestOf({ env }, { since: START + HOUR, now: START + 3 * HOUR }).counts.corrections).toBe(1);
});

test('away is the last half hour or more without a sign of a person, whoever looks in between', () => {
  const at = (hour: number) => START + hour * HOUR;
  const evening = [17, 17.4, 17.8, 18].map(at);
  expect(awaySince(evening, at(32))).toEqual({ since: at(18), because: 'since you were last there' });
  // In the morning somebody attaches first and asks then: the night is still what is meant.
  expect(awaySince([...evening, at(32), at(32.2)], at(32.4)).since).toBe(at(18));
  expect(awaySince([...evening, at(32), at(32.2)], at(33)).since).toBe(at(32.2));
  expect(awaySince([], at(40))).toEqual({ since: at(16), because: 'the last day: nobody was seen' });
  expect(awaySince([at(40)], at(40.1)).because).toMatch('not away');
});

test('suggestions that are nearly always taken come with the line that would let the consultant answer', () => {
  const { env, clock, session } = world();
  const step = { session: 0, minutes: 1, what: 'suggest', by: 2, answered: true, cents: 0 } as const;
  const journals = [session('aaaa2222')];
  play(
    journals,
    clock,
    [1, 2, 3, 4].map(() => ({ ...step, taken: true })),
  );
  expect(digestOf({ env }, { since: START, now: clock.now() }).offer).toBe('tools.defaults.detached.question=auto');
  play(
    journals,
    clock,
    [1, 2].map(() => ({ ...step, taken: false })),
  );
  const found = digestOf({ env }, { since: START, now: clock.now() });
  expect([found.offer, found.counts.suggestions]).toEqual([undefined, { made: 6, taken: 4, not_taken: 2 }]);
});

test('suggested permissions count, and are no reason to let the consultant answer questions', () => {
  const { env, clock, session } = world();
  const journal = session('aaaa2222');
  for (const n of [1, 2, 3, 4]) {
    clock.advance(60_000);
    const inquiry = { id: `aaaa2222.${n}`, session: 'aaaa2222', kind: 'run', tool: 'Bash', exclusive: false } as const;
    journal.append('inquiry.opened', { inquiry: { ...inquiry, opened_at: '2026-01-02T03:04:05.678Z' } as never });
    const suggestion = { verdict: { kind: 'allow' as const }, by: BYS[0] as never };
    journal.append('inquiry.moved', { inquiry: inquiry.id as never, stage: 'asking', suggestion });
    const answer = { inquiry: inquiry.id, verdict: { kind: 'allow' }, by: BYS[2], proposed: suggestion };
    journal.append('inquiry.answered', { answer: answer as never });
  }
  const found = digestOf({ env }, { since: START, now: clock.now() });
  expect([found.offer, found.counts.suggestions]).toEqual([undefined, { made: 4, taken: 4, not_taken: 0 }]);
});

test('what a notifier answered is listed, questions and calls', () => {
  const { env, clock, session } = world();
  const journal = session('s0');
  clock.advance(HOUR);
  const about = { session: 's0' as never, exclusive: false, opened_at: new Date(clock.now()).toISOString() };
  const questions = [{ id: 'q', text: 'Which?', options: [{ id: '1', label: 'One' }], multi: false, free_text: true }];
  journal.append('inquiry.opened', { inquiry: { ...about, id: 's0.1' as never, kind: 'question', questions } });
  journal.append('inquiry.opened', { inquiry: { ...about, id: 's0.2' as never, kind: 'run', tool: 'Bash' } });
  const by = { kind: 'notifier', name: 'phone' } as const;
  const answers = [
    { inquiry: 's0.1' as never, verdict: { kind: 'values' as const, values: { q: ['1'] } }, by },
    { inquiry: 's0.2' as never, verdict: { kind: 'allow' as const }, by, reason: 'go on' },
  ];
  for (const answer of answers) journal.append('inquiry.answered', { answer });
  const found = digestOf({ env }, { since: START, now: clock.now() + 1 });
  expect(found.counts.answered).toEqual({ notifier: 2 });
  expect(found.notifier).toMatchObject([
    { inquiry: 's0.1', question: 'Which?', answer: 'One', by: 'phone' },
    { inquiry: 's0.2', question: 'use Bash', answer: 'allow', by: 'phone', reason: 'go on' },
  ]);
});
