import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Presence } from '../contract/index.js';
import type { Decision } from './decision.js';
import type { InquiryFacts } from './judge.js';
import { question, settingsWith, tools, word } from './policy.cases.js';
import { route } from './route.js';
import { parseRule } from './rules.js';
import { MODES, type ModeValue, type PolicySettings } from './settings.js';

const command = fc.oneof(
  fc.constantFrom('npm test', 'npm test && rm x', 'rm -rf ~', 'git diff', 'sudo rm x', 'ls "', '$X', "bash -c 'rm x'"),
  fc.string({ maxLength: 40 }),
);
const input = fc.oneof(
  command.map((text) => ({ command: text })),
  fc.constantFrom('src/a.ts', '/etc/x', '../x', 'src/../..').map((path) => ({ file_path: path })),
  fc.constantFrom('https://a.com/', 'https://evil.com', 'x').map((url) => ({ url })),
  fc.anything(),
);
const toolName = fc.constantFrom(
  'Bash',
  'shell',
  'Edit',
  'Read',
  'WebFetch',
  'mcp__srv__do',
  'Grep',
  'AskUserQuestion',
  '',
);
const questions = fc.array(
  fc
    .record({ secret: fc.boolean(), default: fc.constantFrom(['pg'], ['lite']), id: fc.constantFrom('a', 'b') })
    .map((more) => question({ ...more, default: [...more.default] })),
  { maxLength: 3 },
);
const asked: fc.Arbitrary<InquiryFacts> = fc.record({
  kind: fc.constantFrom('run' as const, 'deliver' as const, 'question' as const),
  tool: toolName,
  input,
  questions,
  exclusive: fc.boolean(),
});
const presence: fc.Arbitrary<Presence> = fc.record(
  { present: fc.boolean(), reason: fc.constant('why'), reachable: fc.constant('a webhook') },
  { requiredKeys: ['present', 'reason'] },
);
const ruleText = fc.constantFrom(
  ...[
    'Bash',
    'Bash(npm test:*)',
    'Bash(rm:*)',
    'Bash(git diff)',
    'Bash(sudo:*)',
    'Bash(bash:*)',
    'Bash(*)',
    '*',
    'Read',
  ],
  ...[
    'Edit(src/**)',
    'Read(//etc/**)',
    'WebFetch(domain:a.com)',
    'WebFetch',
    'mcp__srv',
    'mcp__*',
    'Edit(',
    'nonsense (',
    '',
  ],
);
const mode: fc.Arbitrary<ModeValue> = fc.oneof(
  fc.constantFrom(...MODES),
  fc.array(fc.record({ mode: fc.constantFrom(...MODES), forMs: fc.nat() }, { requiredKeys: ['mode'] }), {
    maxLength: 4,
  }),
);
const modes = fc.record(
  {
    all: mode.map((value) => ({ value, source: 'f:1' })),
    run: mode.map((value) => ({ value, source: 'f:2' })),
    question: mode.map((value) => ({ value, source: 'f:3' })),
  },
  { requiredKeys: [] },
);
const settings: fc.Arbitrary<PolicySettings> = fc
  .record({
    rules: fc.record({
      allow: fc.array(ruleText, { maxLength: 3 }),
      ask: fc.array(ruleText, { maxLength: 1 }),
      deny: fc.array(ruleText, { maxLength: 2 }),
      grants: fc.array(ruleText, { maxLength: 2 }),
    }),
    defaults: fc.record({ attached: modes, reachable: modes, detached: modes }, { requiredKeys: [] }),
    own: fc.record({ attached: modes, reachable: modes, detached: modes }, { requiredKeys: [] }),
    trust: fc.constantFrom('guarded' as const, 'full' as const),
    onNoAnswer: fc.constantFrom('deny' as const, 'defaults' as const, 'defer' as const),
  })
  .map(({ rules, defaults, own, trust, onNoAnswer }) =>
    settingsWith(rules, {
      tools: { defaults, named: { Bash: own, AskUserQuestion: own } },
      trust: { value: trust, source: 'flag' },
      onNoAnswer: { value: onNoAnswer, source: 'f:9' },
    }),
  );

const steps = (decision: Decision) => (decision.do === 'ladder' ? decision.rungs : [decision]);
const deniesAlone = (rule: string, one: InquiryFacts, where: Presence) =>
  word(
    route(
      one,
      where,
      settingsWith(
        { deny: [rule] },
        {
          tools: {
            defaults: {
              attached: { all: { value: 'ask', source: 'x' } },
              detached: { all: { value: 'defer', source: 'x' } },
            },
            named: {},
          },
        },
      ),
      tools,
    ),
  ) === 'deny';

test('a deny rule is never overridden by anything', () => {
  let denied = 0;
  fc.assert(
    fc.property(asked, presence, settings, ruleText, (one, where, set, rule) => {
      if (!deniesAlone(rule, one, where)) return;
      denied += 1;
      const with_ = { ...set, rules: [...set.rules, { effect: 'deny' as const, text: rule, source: 'f:7' }] };
      expect(word(route(one, where, with_, tools))).toBe('deny');
    }),
    { numRuns: 2000, seed: 1 },
  );
  expect(denied).toBeGreaterThan(200);
});

test('adding an allow rule never turns an allow into anything else', () => {
  let allowed = 0;
  fc.assert(
    fc.property(asked, presence, settings, ruleText, (one, where, set, rule) => {
      if (word(route(one, where, set, tools)) !== 'allow') return;
      allowed += 1;
      const more = { ...set, rules: [...set.rules, { effect: 'allow' as const, text: rule, source: 'f:7' }] };
      expect(word(route(one, where, more, tools))).toBe('allow');
    }),
    { numRuns: 2000, seed: 2 },
  );
  expect(allowed).toBeGreaterThan(200);
});

test('an exclusive question never leaves people: it is asked, held or refused, with no other answerer on any rung', () => {
  const exclusive = fc.record({ one: asked, secret: fc.boolean() }).map(({ one, secret }): InquiryFacts => {
    const first = question(secret ? { secret } : {});
    return { ...one, kind: 'question', exclusive: !secret, questions: [first, ...(one.questions ?? [])] };
  });
  fc.assert(
    fc.property(exclusive, presence, settings, (one, where, set) => {
      for (const step of steps(route(one, where, set, tools))) {
        expect(['ask', 'defer', 'deny']).toContain(word(step));
      }
    }),
    { numRuns: 2000, seed: 3 },
  );
});

test('with nobody there and nothing set, nothing runs that no rule allows', () => {
  fc.assert(
    fc.property(toolName, input, (tool, value) => {
      const one: InquiryFacts = { kind: 'run', tool, input: value, exclusive: false };
      const decision = route(one, { present: false, reason: 'flag' }, settingsWith({}), tools);
      expect(decision.do).toBe('settle');
      if (word(decision) === 'allow') expect(decision.rule.text).toBe('the read-only list');
    }),
    { numRuns: 2000, seed: 4 },
  );
});

test('every input gets a decision, whatever it is', () => {
  const junk = fc.record({
    kind: fc.anything(),
    tool: fc.anything(),
    input: fc.anything(),
    questions: fc.anything(),
    exclusive: fc.anything(),
  });
  fc.assert(
    fc.property(junk, presence, settings, (one, where, set) => {
      const decision = route(one as unknown as InquiryFacts, where, set, tools);
      expect(['settle', 'ask', 'consult', 'defer', 'ladder']).toContain(decision.do);
      expect(steps(decision).length).toBeGreaterThan(0);
      expect(decision.rule.text).not.toBe('');
    }),
    { numRuns: 3000, seed: 5 },
  );
});

test('every text is a rule or an error with a place inside it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `Bash(${text})`),
        fc.string().map((text) => `Edit(${text})`),
      ),
      (text) => {
        const rule = parseRule(text);
        if ('error' in rule) expect(rule.at).toBeLessThanOrEqual(text.length);
        else expect(rule.text).toBe(text);
      },
    ),
    { numRuns: 3000, seed: 6 },
  );
});
