import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import type { Entry } from '../../contract/index.js';
import { expectNoProcesses, processesWith } from '../../testing/leaks.js';
import { consulting, GOAL, QUESTION } from './consult.cases.js';

const MARK = 'REINS_CONSULTATION=k7f2m9qd.c1';
const TEN = 20_000;

describe('an agent is consulted', () => {
  test('C1: its answer with reason, confidence and cites; both ends on record; nothing is left', async () => {
    const { ask, entries, left } = consulting({ scenario: 'consult PostgreSQL 0.8' });
    const cites = [{ source: 'S1', name: expect.any(String), quote: GOAL }];
    const answer = { verdict: { kind: 'values', values: { database: ['1'] } }, confidence: 0.8, cites };
    expect(await ask()).toMatchObject({
      ...answer,
      by: { kind: 'consultant', adapter: 'practice', model: 'practice-script' },
      reason: expect.stringContaining('says so'),
    });
    const about = { consultation: 'k7f2m9qd.c1', inquiry: QUESTION.id, adapter: 'practice', for: 'answer' };
    expect(entries('consultation.started')).toMatchObject([{ ...about, pack: { sources: 1 } }]);
    expect(entries('consultation.ended')).toMatchObject([{ ...about, how: 'answered', ...answer, cost_usd: 0.001 }]);
    expect(left()).toEqual([]);
    expect(processesWith(MARK)).toEqual([]);
  });

  test.each([
    ['C14: garbage', 'consult-garbage', 'none', /not one JSON object/],
    ['C14: exit 1 after a valid answer', 'consult-crash', 'failed', /exited with code 1/],
    ['C14: 50 MB', 'consult-flood 50', 'failed', /more than 256 KB/],
    ['C15: outside the options', 'consult-outside', 'none', /no option/],
    ['C17: a tool', 'consult-tool', 'failed', /tool \(Bash\)/],
    ['C17: a question of its own', 'consult-asks', 'failed', /tool \(AskUserQuestion\)/],
    ['C18: logged out', '[{"error": "Please run /login", "status": 401}]', 'failed', /login/],
    ['C18: at its usage limit', 'usage-limit', 'failed', /usage limit/],
    ['C18: it crashes', 'die-before-ready', 'failed', /code 1/],
  ])('%s is no answer, at once, with the reason', async (_, scenario, how, reason) => {
    const { ask, entries, left, root } = consulting({ scenario });
    expect(await ask()).toEqual({ none: expect.stringMatching(reason) });
    expect(entries('consultation.ended')).toMatchObject([{ how, reason: expect.stringMatching(reason) }]);
    expect(left()).toEqual([]);
    expect(readdirSync(root).sort()).toEqual(['session', 'state']);
  });

  test('C18: one that is not there', async () => {
    const { ask, entries } = consulting({ consult: { backend: 'gemini' }, env: { PATH: '/nonexistent' } });
    expect(await ask()).toEqual({ none: expect.stringContaining('gemini is not on PATH') });
    expect(entries('consultation.ended')).toMatchObject([{ how: 'failed', seconds: 0, adapter: 'gemini' }]);
  });

  it('a child with a session of its own ends with it', async () => {
    const { ask } = consulting({ scenario: 'consult-child' });
    expect(await ask()).toMatchObject({ confidence: 0.9 });
    expect(processesWith(MARK)).toEqual([]);
  });

  it('late: whoever waits is let go at once, and the whole tree ends', async () => {
    const scenario = '[{"misbehave": "silent-child"}, {"misbehave": "slow-silently", "n": 3600}]';
    const { ask, entries } = consulting({ scenario, consult: { timeout_secs: 2.5 } });
    expect(await ask()).toEqual({ none: 'the consultant had no answer after 2.5 s' });
    await vi.waitFor(() => expect(entries('consultation.ended')).toMatchObject([{ how: 'late' }]), TEN);
    await expectNoProcesses(MARK);
  });

  it('called off: the same, and what it cost is on record', async () => {
    const scenario = '[{"cost": 0.5}, {"misbehave": "silent-child"}, {"misbehave": "slow-silently", "n": 3600}]';
    const { ask, entries } = consulting({ scenario });
    const off = new AbortController();
    const asked = ask({ signal: off.signal });
    await vi.waitFor(() => expect(processesWith(MARK).length).toBeGreaterThan(1), TEN);
    off.abort('it was answered');
    expect(await asked).toEqual({ none: 'it was answered' });
    await vi.waitFor(() => expect(entries('consultation.ended')).toHaveLength(1), TEN);
    const [ended] = entries('consultation.ended');
    expect(ended).toMatchObject({ how: 'cancelled', reason: 'it was answered', cost_usd: expect.any(Number) });
    await expectNoProcesses(MARK);
  });

  it('ends with the session', async () => {
    const { ask, consultant, entries } = consulting({ scenario: 'consult-late 3600' });
    const asked = ask();
    await vi.waitFor(() => expect(processesWith(MARK)).not.toEqual([]), TEN);
    await consultant.close();
    expect(await asked).toEqual({ none: 'the session ended' });
    expect(entries('consultation.ended')).toMatchObject([{ how: 'cancelled' }]);
    expect(processesWith(MARK)).toEqual([]);
    expect(await ask()).toEqual({ none: 'it is no longer wanted' });
  });

  it('has all the time of its rung, and is not started at all where that is too little', async () => {
    const { ask, entries } = consulting({ scenario: 'consult' });
    expect(await ask({ deadlineAt: Date.now() + 1_900 })).toEqual({ none: expect.stringContaining('too little time') });
    expect(entries('consultation.started')).toEqual([]);
    const deadlineAt = Date.now() + 30_000;
    expect(await ask({ deadlineAt })).toMatchObject({ confidence: 0.9 });
    expect(entries('consultation.started')).toMatchObject([{ until: deadlineAt }]);
  });
});

describe('where it is started', () => {
  it('an empty private folder, its own marks, nothing of the session’s; the prompt is no argument', async () => {
    const env = { REINS_SESSION: 'k7f2m9qd', REINS_HOOK_SOCKET: '/x', REINS_EMIT: 'x', PWD: '/project', KEPT: 'yes' };
    const { ask, entries, root } = consulting({
      consult: { backend: 'custom' },
      config: {
        cli: {
          command: 'sh',
          args: [
            '-c',
            'env > "$HOME/env"; pwd > "$HOME/pwd"; ls -A > "$HOME/ls"; stat -c %a . .. >> "$HOME/ls"; cat > "$HOME/in"',
          ],
        },
      },
      env,
    });
    expect(await ask()).toEqual({ none: 'it said nothing' });
    const text = (name: string) => readFileSync(join(root, name), 'utf8');
    const names = text('env').split('\n');
    expect(names).toEqual(expect.arrayContaining([MARK, 'REINS_CONSULTATION_OF=k7f2m9qd', 'KEPT=yes']));
    expect(names.filter((line) => /^REINS_(?!CONSULTATION)/.test(line))).toEqual([]);
    expect(text('pwd').trim()).toBe(join(root, 'session/consult/k7f2m9qd.c1/empty'));
    expect(text('ls')).toBe('700\n700\n');
    expect(text('in')).toContain(GOAL);
    expect(entries('consultation.ended')).toMatchObject([{ how: 'none' }]);
  });

  test.each(['amp', 'kiro'])('%s is no consultant, with the reason', async (backend) => {
    const { ask } = consulting({ consult: { backend } });
    expect(await ask()).toEqual({ none: expect.stringContaining('without its tools') });
  });
});

describe('C24: what a dry run says of it', () => {
  test.each<[string, Parameters<typeof consulting>[0], object]>([
    ['nothing in the way', {}, { away: [], model: 'practice-script' }],
    ['no more in this session', { consult: { max_per_session: 0 } }, { away: [/max_per_session/] }],
    ['no money', { consult: { max_cost_usd: 0 } }, { away: [/max_cost_usd\)/] }],
    ['no money today', { consult: { max_cost_usd_per_day: 0 } }, { away: [/max_cost_usd_per_day/] }],
    ['an agent nobody knows', { consult: { backend: 'nobody' } }, { away: [/nobody knows an agent/] }],
    [
      'switched off',
      { consult: { backend: 'codex' }, config: { adapters: { codex: { enabled: false } } } },
      { away: [/codex is switched off/] },
    ],
    ['no way to ask it', { consult: { backend: 'amp' } }, { away: [/without its tools/] }],
    ['arguments that are refused', { consult: { args: ['--tools', 'all'] } }, { away: [/consult\.args/] }],
  ])('%s', async (_, given, { away, ...rest }: { away?: RegExp[] }) => {
    const { consultant, left, entries, root } = consulting(given);
    const matching = away!.map((pattern) => expect.stringMatching(pattern));
    expect(await consultant.standing()).toMatchObject({ away: matching, ...rest });
    expect([left(), entries('consultation.started'), readdirSync(root)]).toEqual([[], [], ['session']]);
  });

  it('one that was switched off by its failures', async () => {
    const { ask, consultant } = consulting({ scenario: 'die-before-ready' });
    for (let times = 0; times < 3; times += 1) await ask();
    expect((await consultant.standing()).away).toEqual([expect.stringContaining('switched off for this session')]);
  });
});

describe('its bounds', () => {
  const started = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => ({ type: 'consultation.started', data: { consultation: `x.c${at}` } }) as unknown as Entry,
    );

  it('an honest “the material does not settle it” switches nothing off', async () => {
    const { ask, entries } = consulting({ scenario: '[{"say": "{\\"none\\": \\"Nothing says it.\\"}"}]' });
    for (let times = 0; times < 4; times += 1) expect(await ask()).toHaveProperty('none');
    expect(entries('consultation.started')).toHaveLength(4);
  });

  test.each(['die-before-ready', 'consult-garbage', 'consult-outside'])(
    'C18: three failures in a row switch it off for the session, told once: %s',
    async (scenario) => {
      const { ask, entries } = consulting({ scenario });
      for (let times = 0; times < 5; times += 1) expect(await ask()).toHaveProperty('none');
      expect(entries('consultation.started')).toHaveLength(3);
      expect(entries('notice')).toMatchObject([{ code: 'consult.off', text: expect.stringContaining('switched off') }]);
      expect(await ask()).toEqual({ none: expect.stringContaining('switched off for this session') });
    },
  );

  it('per session, earlier lives counted', async () => {
    const { ask, entries } = consulting({ scenario: 'consult', consult: { max_per_session: 3 }, before: started(2) });
    expect(await ask()).toMatchObject({ verdict: { kind: 'values' } });
    const none = '3 consultations were made in this session (consult.max_per_session)';
    expect(await ask()).toEqual({ none });
    expect(await ask()).toEqual({ none });
    // Nothing was begun that could say why; once is enough.
    expect(entries('notice')).toEqual([
      { level: 'warn', code: 'consult.limit', text: `No other agent is asked any more: ${none}.` },
    ]);
  });

  it('asked for an answer after its own suggestion: the same material is read once, another anew', async () => {
    const { ask, entries, root } = consulting({ scenario: 'consult', consult: { max_per_session: 1 } });
    const proposed = await ask({ for: 'suggestion' });
    expect(proposed).toMatchObject({ verdict: { kind: 'values' } });
    expect(await ask()).toEqual(proposed);
    expect(entries('consultation.started')).toHaveLength(1);
    writeFileSync(join(root, 'session/prompt.md'), 'Build the shop. We run SQLite everywhere.');
    expect(await ask()).toEqual({ none: expect.stringContaining('consult.max_per_session') });
  });

  it('what was cut off with its host counts, like one whose cost nobody says', async () => {
    const { ask } = consulting({ scenario: 'consult', consult: { max_cost_usd: 0.04 }, before: started(2) });
    expect(await ask()).toEqual({ none: expect.stringMatching(/0\.04 USD of 0\.04 USD \(consult\.max_cost_usd\)/) });
    const ended = started(2).map(({ data }) => ({ type: 'consultation.ended', data: { ...data, seconds: 0 } }));
    const before = [...started(2), ...(ended as unknown as Entry[])];
    const other = consulting({ scenario: 'consult', consult: { max_cost_usd: 0.04 }, before });
    expect(await other.ask()).toHaveProperty('verdict');
  });

  it('one that says it cost less than nothing counts like one that says nothing: it buys no further ones', async () => {
    const scenario = '[{"cost": -5}, {"say": "x"}]';
    const { ask, entries } = consulting({ scenario, consult: { max_cost_usd: 0.03, max_cost_usd_per_day: 0.05 } });
    await ask();
    await ask();
    expect(entries('consultation.ended').map(({ cost_usd }) => cost_usd)).toEqual([undefined, undefined]);
    expect(await ask()).toEqual({ none: expect.stringMatching(/0\.04 USD of 0\.03 USD \(consult\.max_cost_usd\)/) });
  });

  it('what they cost, in the session and in a day', async () => {
    const ended = { type: 'consultation.ended', data: { cost_usd: 1.2, seconds: 3 } } as unknown as Entry;
    const { ask } = consulting({ scenario: 'consult', before: [ended] });
    expect(await ask()).toEqual({ none: expect.stringMatching(/1\.20 USD of 1\.00 USD \(consult\.max_cost_usd\)/) });
    const day = consulting({ scenario: '[{"cost": 4.99}, {"say": "x"}]' });
    expect(await day.ask()).toHaveProperty('none');
    const file = join(day.root, 'state/reins/consult', readdirSync(join(day.root, 'state/reins/consult'))[0]!);
    writeFileSync(file, '{"id":"other.c1","usd":0.5}\n{"id":"torn', { flag: 'a' });
    const other = consulting({ scenario: 'consult', env: { XDG_STATE_HOME: join(day.root, 'state') } });
    expect(await other.ask()).toEqual({ none: expect.stringMatching(/today.*5\.\d\d USD of 5\.00 USD/) });
    expect(other.entries('consultation.started')).toEqual([]);
  });
});
