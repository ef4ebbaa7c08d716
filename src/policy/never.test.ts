import { describe, expect, test } from 'vitest';
import { explainPolicy } from './explain.js';
import type { InquiryFacts } from './judge.js';
import { ask, away, fetched, here, question, settingsWith, tools, word } from './policy.cases.js';
import { route } from './route.js';
import type { ModeValue } from './settings.js';

const auto = (value: ModeValue = 'auto') => ({
  tools: {
    defaults: { attached: { all: { value, source: 'f:1' } }, detached: { all: { value, source: 'f:2' } } },
    named: {},
  },
});
const settings = settingsWith({}, auto());
const asks = (more: Parameters<typeof question>[0], exclusive = false) => ask([question(more)], exclusive);

describe('C7: never consulted', () => {
  const NEVER: [string, InquiryFacts, RegExp, ReturnType<typeof settingsWith>?][] = [
    ['an exclusive question', asks({}, true), /only a person/],
    ['a secret', asks({ secret: true }), /secret/],
    ['a word of the list in the text', asks({ text: 'Shall I deploy it now?' }), /“deploy” \(consult\.never\)/],
    ['in the header', asks({ header: 'Licensing' }), /“licence”/],
    ['in an option', asks({ options: [{ id: '1', label: 'Delete all' }] }), /“delete”/],
    ['in an option’s description', asks({ options: [{ id: '1', label: 'A', description: 'it is paid' }] }), /“pay”/],
    ['in the default', asks({ free_text: true, default: ['publish'] }), /“publish”/],
    ['in a second question', ask([question(), question({ id: 'b', text: 'Migrate?' })]), /“migrate”/],
    ['in the tool’s input', { ...asks({}), input: { metadata: [{ note: 'then dеlete it' }] } }, /“delete”/],
    ['in a name of the input', { ...asks({}), input: { 'delete it?': true } }, /“delete”/],
    ['in the tool’s name', { ...asks({}), tool: 'mcp__prod__delete_user' }, /“delete”/],
    ['hidden by what cannot be seen', asks({ text: 'de\u200Bploy?' }), /“deploy”/],
    ['hidden by letters that look alike', asks({ text: 'dерlоу?' }), /“deploy”/],
    ['one that reads otherwise to a person', asks({ text: 'Shall I \u202Eyolped\u202C?' }), /reorder/],
    ['one in letters of two alphabets', asks({ text: 'rеmоvе it?' }), /alphabets/],
    ['too long to look through', asks({ text: 'x'.repeat(500_000) }), /too long/],
    ['one that cannot be read', { ...asks({}), questions: [{ id: 1 }] as never }, /only a person/],
    [
      'an explicit ask rule',
      asks({}),
      /the rule ask AskUserQuestion/,
      settingsWith({ ask: ['AskUserQuestion'] }, auto()),
    ],
  ];

  test.each(NEVER)(
    '%s: a person is asked who is there, refused without one, and explained',
    (_, one, why, set = settings) => {
      expect(word(route(one, here, set, tools))).toBe('ask');
      const refused = route(one, away, set, tools);
      expect(refused).toMatchObject({
        do: 'settle',
        verdict: { kind: 'deny' },
        never: { text: expect.stringMatching(why) },
      });
      const { detached } = explainPolicy({ ...one, tool: one.tool! }, set, tools);
      expect(detached.text).toMatch(/^detached: deny \(.*\); never consulted: /);
      expect(detached.text).toMatch(why);
    },
  );

  test.each(NEVER)('%s: a ladder goes to its next rung, which says why', (_, one, why, set = settings) => {
    const rungs = { ...set, tools: auto([{ mode: 'ask', forMs: 2000 }, { mode: 'auto' }, { mode: 'defer' }]).tools };
    const decision = route(one, away, rungs, tools);
    expect(decision).toMatchObject({
      do: 'ladder',
      rungs: [
        { do: 'ask', forMs: 2000 },
        { do: 'defer', because: expect.stringMatching(why) },
      ],
    });
  });

  test('an everyday question is consulted', () => {
    expect(word(route(asks({}), away, settings, tools))).toBe('consult');
    expect(
      word(route({ ...asks({}), input: { questions: [{ question: 'Which payload?' }] } }, away, settings, tools)),
    ).toBe('consult');
  });

  test('the list is the user’s: another word, or none', () => {
    const own = (value: string[]) => ({ ...settings, never: { value, source: 'reins.yml:9' } });
    expect(word(route(asks({ text: 'Deploy?' }), away, own([]), tools))).toBe('consult');
    expect(route(asks({ text: 'Which database?' }), away, own(['database']), tools)).toMatchObject({
      never: { text: expect.stringContaining('“database”'), source: 'reins.yml:9' },
    });
  });
});

describe('reachable', () => {
  const line = (set = settingsWith({})) =>
    explainPolicy(
      { tool: 'AskUserQuestion', kind: 'question', questions: [question()], reachable: 'notify.command' },
      set,
      tools,
    ).reachable?.text;

  test('by default somebody is waited for, and then it is as if nobody could be fetched', () => {
    expect(line()).toBe('reachable: ask for 15m, then deny (tools.defaults.detached, default)');
    expect(line(settings)).toBe('reachable: ask for 15m, then consult, then deny (tools.defaults.detached, f:2)');
    const long = settingsWith({}, auto([{ mode: 'ask', forMs: 60_000 }, { mode: 'defer' }]));
    expect(line(long)).toBe('reachable: ask for 15m, then ask for 1m, then defer (tools.defaults.detached, f:2)');
  });

  test('has the cascade of its own, from the tool’s kind to what is built in', () => {
    const at = (value: ModeValue, source: string) => ({ value, source });
    const defaults = { reachable: { all: at('defer', 'f:4'), question: at('deny', 'f:3') } };
    const named = { AskUserQuestion: { reachable: { question: at('auto', 'f:1') } } };
    expect(line(settingsWith({}, { tools: { defaults, named } }))).toContain('reachable: consult');
    expect(line(settingsWith({}, { tools: { defaults, named: {} } }))).toBe(
      'reachable: deny (tools.defaults.reachable.question, f:3)',
    );
    const { all } = defaults.reachable;
    expect(line(settingsWith({}, { tools: { defaults: { reachable: { all } }, named: {} } }))).toBe(
      'reachable: defer (tools.defaults.reachable, f:4)',
    );
  });

  test('rules decide before it, and nobody there is still nobody there', () => {
    const denied = settingsWith({ deny: ['Bash(rm:*)'] });
    const rm: InquiryFacts = { kind: 'run', tool: 'Bash', input: { command: 'rm x' }, exclusive: false };
    expect(word(route(rm, fetched, denied, tools))).toBe('deny');
    expect(word(route(rm, away, settingsWith({}), tools))).toBe('deny');
    expect(word(route(rm, fetched, settingsWith({}), tools))).toBe('ladder');
  });

  test('where nobody can be fetched there is no third side', () => {
    expect(explainPolicy({ tool: 'Bash' }, settingsWith({}), tools)).not.toHaveProperty('reachable');
  });
});

describe('a yes covers its result', () => {
  const result: InquiryFacts = { kind: 'deliver', tool: 'Bash', input: { command: 'make' }, exclusive: false };
  const by = { kind: 'viewer', viewer: 'v-ann', name: 'Ann' } as never;
  const deliver = (value: ModeValue, more = {}) =>
    settingsWith({}, { tools: { defaults: { detached: { deliver: { value, source: 'f:1', ...more } } }, named: {} } });

  test('by the same answer, on record', () => {
    expect(word(route(result, away, settingsWith({}), tools))).toBe('deny');
    expect(route(result, away, settingsWith({}), tools, by)).toMatchObject({
      do: 'settle',
      verdict: { kind: 'allow' },
      by,
    });
  });

  test('also where one mode was written for all kinds, or a rule says ask', () => {
    expect(word(route(result, away, deliver('deny', { spread: true }), tools, by))).toBe('allow');
    expect(word(route(result, here, settingsWith({ ask: ['Bash'] }), tools, by))).toBe('allow');
  });

  test('not where a policy for results was written, nor against a deny rule', () => {
    expect(word(route(result, away, deliver('deny'), tools, by))).toBe('deny');
    expect(word(route(result, away, deliver('defer'), tools, by))).toBe('defer');
    expect(word(route(result, away, settingsWith({ deny: ['Bash'] }), tools, by))).toBe('deny');
  });

  test('and nothing but a result', () => {
    expect(word(route({ ...result, kind: 'run' }, away, settingsWith({}), tools, by))).toBe('deny');
  });
});
