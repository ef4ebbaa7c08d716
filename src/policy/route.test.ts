import { describe, expect, test } from 'vitest';
import type { Decision } from './decision.js';
import type { InquiryFacts } from './judge.js';
import { ask, away, bash, here, question, run, settingsWith, tools, word } from './policy.cases.js';
import { route } from './route.js';
import type { AnswerMode, ModeValue, PolicySettings } from './settings.js';

const withMode = (side: 'attached' | 'detached', value: ModeValue, more: Partial<PolicySettings> = {}) =>
  settingsWith({}, { tools: { defaults: { [side]: { all: { value, source: 'reins.yml:3' } } }, named: {} }, ...more });

const deliver: InquiryFacts = { kind: 'deliver', tool: 'Bash', input: { command: 'make' }, exclusive: false };
const CASES = {
  run: bash('make'),
  deliver,
  'question without default': ask([question()]),
  'question with default': ask([question({ default: ['lite'] })]),
  'question, exclusive, without default': ask([question()], true),
  'question, exclusive, with default': ask([question({ default: ['lite'] })], true),
  'question, secret': ask([question({ secret: true, default: ['lite'] })]),
} satisfies Record<string, InquiryFacts>;

// The published table, cell by cell.
const TABLE: Record<Exclude<AnswerMode, 'ask'>, Record<keyof typeof CASES, string>> = {
  deny: {
    run: 'deny',
    deliver: 'deny',
    'question without default': 'deny',
    'question with default': 'deny',
    'question, exclusive, without default': 'deny',
    'question, exclusive, with default': 'deny',
    'question, secret': 'deny',
  },
  auto: {
    run: 'allow',
    deliver: 'allow',
    'question without default': 'consult',
    'question with default': 'consult',
    'question, exclusive, without default': 'deny',
    'question, exclusive, with default': 'deny',
    'question, secret': 'deny',
  },
  defaults: {
    run: 'deny',
    deliver: 'allow',
    'question without default': 'deny',
    'question with default': 'values',
    'question, exclusive, without default': 'deny',
    'question, exclusive, with default': 'deny',
    'question, secret': 'deny',
  },
  defer: {
    run: 'defer',
    deliver: 'defer',
    'question without default': 'defer',
    'question with default': 'defer',
    'question, exclusive, without default': 'defer',
    'question, exclusive, with default': 'defer',
    'question, secret': 'defer',
  },
};

const names = Object.keys(CASES) as (keyof typeof CASES)[];

describe.each(Object.entries(TABLE))('nobody there, detached: %s', (mode, row) => {
  test.each(names)('%s', (name) => {
    const decision = route(CASES[name], away, withMode('detached', mode as AnswerMode), tools);
    expect(word(decision)).toBe(row[name]);
    expect(decision.rule.source).toBe(row[name] === 'values' ? 'default' : 'reins.yml:3');
  });
});

test.each(names)('nobody there, nothing set: %s is refused', (name) => {
  const decision = route(CASES[name], away, settingsWith({}), tools);
  expect(word(decision)).toBe('deny');
  expect(decision.rule).toEqual({ text: 'tools.defaults.detached', source: 'default' });
});

const ATTACHED: Record<AnswerMode | 'nothing', [run: string, deliver: string, plain: string, exclusive: string]> = {
  nothing: ['ask', 'allow', 'ask', 'ask'],
  ask: ['ask', 'ask', 'ask', 'ask'],
  auto: ['allow', 'allow', 'consult', 'ask'],
  deny: ['deny', 'deny', 'deny', 'deny'],
  defaults: ['ask', 'allow', 'values', 'ask'],
  defer: ['defer', 'defer', 'defer', 'defer'],
};

test.each(Object.entries(ATTACHED))('someone there, attached: %s', (mode, expected) => {
  const settings = mode === 'nothing' ? settingsWith({}) : withMode('attached', mode as AnswerMode);
  const cases = [CASES.run, deliver, CASES['question with default'], CASES['question, exclusive, with default']];
  expect(cases.map((one) => word(route(one, here, settings, tools)))).toEqual(expected);
});

describe('order of decision', () => {
  const full = { trust: { value: 'full' as const, source: 'flag' } };
  const by = (decision: Decision) => (decision.do === 'settle' ? decision.by.kind : decision.do);
  const make = (rules: Parameters<typeof settingsWith>[0], more = {}) =>
    route(bash('make'), here, settingsWith(rules, more), tools);

  test('deny rules beat grants, allow rules and trust', () => {
    const all = { deny: ['Bash(make)'], grants: ['Bash(make)'], allow: ['Bash'] };
    const decision = make(all, full);
    expect(decision).toMatchObject({
      do: 'settle',
      verdict: { kind: 'deny' },
      by: { kind: 'rule', rule: { text: 'Bash(make)', source: 'reins.yml:1' } },
    });
  });

  test.each([
    [{ grants: ['Bash(make)'], allow: ['Bash(make)'], ask: ['Bash'] }, full, 'grant'],
    [{ allow: ['Bash(make)'] }, full, 'rule'],
    [{}, full, 'trust'],
    [{ ask: ['Bash(make:*)'], allow: ['Bash'] }, full, 'ask'],
    [{ ask: ['Bash(ls)'], allow: ['Bash'] }, {}, 'rule'],
    [{}, {}, 'ask'],
  ])('%o %o: %s', (rules, more, expected) => {
    expect(by(make(rules, more))).toBe(expected);
  });

  test('an ask rule asks even where auto is set, and beats the read-only list', () => {
    const settings = {
      ...withMode('attached', 'auto'),
      rules: [{ effect: 'ask' as const, text: 'Read', source: 'f:1' }],
    };
    const read = run('Read', { file_path: 'a.ts' });
    expect(route(read, here, settings, tools)).toEqual({ do: 'ask', rule: { text: 'Read', source: 'f:1' } });
    expect(word(route(read, away, settings, tools))).toBe('deny');
  });

  test('a grant and an allow rule together may cover a command', () => {
    const settings = settingsWith({ grants: ['Bash(npm test:*)'], allow: ['Bash(make)'] });
    const decision = route(bash('make && npm test -- a'), here, settings, tools);
    expect(decision).toMatchObject({ by: { kind: 'rule' }, rule: { text: 'Bash(make), Bash(npm test:*)' } });
  });

  // S4: read-only tools never prompt, the rest does.
  test.each([
    [run('Read', { file_path: '/srv/app/a.ts' }), 'allow'],
    [run('read_file', { absolute_path: '/srv/app/.env' }), 'allow'],
    [run('Grep', { pattern: 'x' }), 'allow'],
    [run('Glob', { pattern: 'src/**/*.ts' }), 'allow'],
    [run('list_directory', { dir_path: '/srv/app' }), 'allow'],
    [run('TodoWrite', { todos: [] }), 'allow'],
    [run('Skill', { skill: 'project:deploy' }), 'allow'],
    [run('ToolSearch', { query: 'x' }), 'allow'],
    [run('EnterPlanMode', {}), 'allow'],
    [run('Agent', { description: 'x', prompt: 'rm -rf /etc', subagent_type: 'Explore' }), 'allow'],
    [run('Task', { description: 'x', prompt: 'y', run_in_background: true }), 'allow'],
    [run('Agent', { description: 'x', prompt: 'y', isolation: 'worktree' }), 'ask'],
    [run('Agent', { description: 'x', prompt: 'y', mode: 'bypassPermissions' }), 'ask'],
    [run('Agent', { description: 'x', prompt: 'y', team_name: 'z' }), 'ask'],
    [run('agent', { prompt: 'y' }), 'ask'],
    [run('invoke_agent', { agent_name: 'generalist', prompt: 'y' }), 'allow'],
    [run('invoke_agent', { agent_name: 'x', prompt: 'y', mode: 'yolo' }), 'ask'],
    [run('update_topic', { title: 'x', summary: 'y', strategic_intent: 'z' }), 'allow'],
    [run('tracker_create_task', { title: 'x', description: 'y', type: 'task' }), 'allow'],
    [run('complete_task', { result: 'x' }), 'allow'],
    [run('ExitPlanMode', { plan: 'x' }), 'ask'],
    [run('EnterWorktree', {}), 'ask'],
    [run('CronCreate', { cron: '* * * * *', prompt: 'x' }), 'ask'],
    [run('Monitor', { command: 'touch x' }), 'ask'],
    [run('Workflow', {}), 'ask'],
    [run('SendMessage', { to: 'x' }), 'ask'],
    [run('mcp__server__Skill', {}), 'ask'],
    [run('Read', { file_path: '/etc/passwd' }), 'ask'],
    [run('Read', { file_path: '/srv/app/../x' }), 'ask'],
    [run('Read', {}), 'ask'],
    [run('Glob', { pattern: '/etc/*' }), 'ask'],
    [run('Glob', { pattern: '../**' }), 'ask'],
    [run('Grep', { pattern: 'x', path: '~' }), 'ask'],
    [run('Edit', { file_path: '/srv/app/a.ts' }), 'ask'],
    [run('WebSearch', { query: 'x' }), 'ask'],
    [bash('ls'), 'ask'],
  ])('read-only %o: %s', (asked, expected) => {
    expect(word(route(asked, here, settingsWith({}), tools))).toBe(expected);
  });

  test('a result is judged like its run; without the input only rules for the whole tool count', () => {
    const settings = settingsWith({ allow: ['Bash(make)'], deny: ['Bash(rm:*)', 'WebFetch'] });
    expect(word(route(deliver, away, settings, tools))).toBe('allow');
    expect(word(route({ kind: 'deliver', tool: 'Bash', exclusive: false }, here, settings, tools))).toBe('allow');
    expect(word(route({ kind: 'deliver', tool: 'Bash', exclusive: false }, away, settings, tools))).toBe('deny');
    expect(word(route({ kind: 'deliver', tool: 'WebFetch', exclusive: false }, here, settings, tools))).toBe('deny');
  });

  test('a rule that cannot be read forbids allowing anything unasked', () => {
    expect(by(make({ deny: ['Bash(rm'], allow: ['Bash'] }, full))).toBe('ask');
    expect(by(make({ allow: ['Bash(', 'Bash(make)'] }))).toBe('rule');
  });

  test('without a shell no command is allowed by a rule', () => {
    const decision = route(bash('make'), here, settingsWith({ allow: ['Bash'] }), { ...tools, shell: undefined });
    expect(decision).toMatchObject({ do: 'ask', rule: { source: 'built-in' } });
  });
});

describe('questions', () => {
  const preset = (answer: string[], exclusive = false) =>
    settingsWith(
      {},
      {
        tools: {
          defaults: {},
          named: {
            AskUserQuestion: {
              questions: {
                db: { answer: { value: answer, source: 'f:9' }, exclusive: { value: exclusive, source: 'f:8' } },
              },
            },
          },
        },
      },
    );

  test('the user’s answer in advance settles it, by id or label, present or not', () => {
    for (const presence of [here, away]) {
      expect(route(ask([question()]), presence, preset(['SQLite']), tools)).toMatchObject({
        verdict: { kind: 'values', values: { db: ['lite'] } },
        rule: { text: 'tools.AskUserQuestion.questions.db.answer', source: 'f:9' },
      });
    }
  });

  test('an answer that does not fit, or an exclusive question, is not answered in advance', () => {
    expect(word(route(ask([question()]), here, preset(['Oracle']), tools))).toBe('ask');
    expect(word(route(ask([question()]), here, preset(['pg', 'lite']), tools))).toBe('ask');
    expect(word(route(ask([question()]), here, preset(['pg'], true), tools))).toBe('ask');
    expect(word(route(ask([question({ secret: true })]), here, preset(['pg']), tools))).toBe('ask');
    expect(word(route(ask([question({ free_text: true })]), here, preset(['Oracle']), tools))).toBe('values');
  });

  test('defaults need one for every question', () => {
    const settings = withMode('detached', 'defaults');
    const both = ask([question({ default: ['pg'] }), question({ id: 'b', multi: true, default: [] })]);
    expect(route(both, away, settings, tools)).toMatchObject({
      verdict: { values: { db: ['pg'], b: [] } },
      by: { kind: 'default' },
    });
    expect(word(route(ask([question({ default: ['pg'] }), question({ id: 'b' })]), away, settings, tools))).toBe(
      'deny',
    );
    expect(word(route(ask([]), away, settings, tools))).toBe('deny');
  });

  test.each([
    ['deny', 'deny'],
    ['defer', 'defer'],
    ['defaults', 'values'],
  ] as const)('a consultation without an answer: on_no_answer %s', (value, expected) => {
    const settings = withMode('detached', 'auto', { onNoAnswer: { value, source: 'f:5' } });
    const decision = route(CASES['question with default'], away, settings, tools);
    expect(decision.do === 'consult' && word(decision.onNoAnswer)).toBe(expected);
  });

  test('a tool’s own on_no_answer comes before the one for all, under any name of the tool', () => {
    const own = { onNoAnswer: { value: 'defer', source: 'f:7' } } as const;
    const settings = withMode('detached', 'auto');
    const named = { ...settings, tools: { ...settings.tools, named: { AskUserQuestion: own, Other: {} } } };
    const decision = route(CASES['question with default'], away, named, tools);
    expect(decision).toMatchObject({
      onNoAnswer: { do: 'defer', rule: { text: 'on_no_answer: defer', source: 'f:7' } },
    });
    const others = { ...settings, tools: { ...settings.tools, named: { Other: own } } };
    expect(route(CASES['question with default'], away, others, tools)).toMatchObject({ onNoAnswer: { do: 'settle' } });
  });

  test('allow rules, grants and trust do not answer questions; a deny rule does', () => {
    const settings = settingsWith(
      { allow: ['*'], grants: ['AskUserQuestion'] },
      { trust: { value: 'full', source: 'flag' } },
    );
    expect(word(route(ask([question()]), here, settings, tools))).toBe('ask');
    expect(word(route(ask([question()]), here, settingsWith({ deny: ['AskUserQuestion'] }), tools))).toBe('deny');
  });
});

describe('ladders', () => {
  const LADDER: ModeValue = [{ mode: 'ask', forMs: 300_000 }, { mode: 'auto' }, { mode: 'defer' }];
  const rungs = (asked: InquiryFacts, mode: ModeValue, more: Partial<PolicySettings> = {}) => {
    const decision = route(asked, away, withMode('detached', mode, more), tools);
    return decision.do === 'ladder'
      ? decision.rungs.map((rung) => word(rung) + (rung.forMs === undefined ? '' : ` ${rung.forMs}`))
      : decision.do;
  };

  test.each([
    [CASES.run, ['ask 300000', 'allow']],
    [CASES['question without default'], ['ask 300000', 'consult', 'defer']],
    [CASES['question, exclusive, with default'], ['ask 300000', 'defer']],
  ])('[{ask: 5m}, auto, defer] for %o', (asked, expected) => {
    expect(rungs(asked, LADDER)).toEqual(expected);
  });

  test('a ladder that comes to its end refuses', () => {
    expect(rungs(CASES.run, [{ mode: 'ask', forMs: 1000 }])).toEqual(['ask 1000', 'deny']);
    expect(rungs(CASES.run, [{ mode: 'defaults' }])).toEqual(['deny']);
    expect(rungs(CASES['question, secret'], [{ mode: 'auto' }, { mode: 'defaults' }])).toEqual(['deny']);
    expect(rungs(CASES['question without default'], [{ mode: 'auto', forMs: 5000 }])).toEqual(['consult 5000', 'deny']);
  });

  test('nothing follows a rung that waits for ever or settles', () => {
    expect(rungs(CASES.run, [{ mode: 'ask' }, { mode: 'auto' }])).toEqual(['ask']);
    expect(rungs(CASES.run, [{ mode: 'deny' }, { mode: 'auto' }])).toEqual(['deny']);
  });
});

describe('a refusal is useful', () => {
  test('nobody there: what, why, what instead; and the line that would allow it', () => {
    const decision = route(bash('npm test -- a'), away, settingsWith({}), tools);
    expect(decision).toMatchObject({
      reason:
        'Bash (npm test -- a) was not run: it needs a person’s answer and nobody is there (no-controlling-tty). ' +
        'Do not try to reach the same in another way: go on without it, or finish and say what remains to be done.',
      fix: 'rules: {allow: ["Bash(npm test:*)"]}',
    });
  });

  test('a deny rule is named, with its place', () => {
    const decision = route(bash('rm x'), here, settingsWith({ deny: ['Bash(rm:*)'] }), tools);
    expect(decision).toMatchObject({
      reason: expect.stringContaining('the rule Bash(rm:*) forbids it'),
      fix: 'remove or narrow "Bash(rm:*)" under rules.deny (reins.yml:1)',
    });
  });

  test('an agent’s text is bounded and has no control characters', () => {
    const decision = route(bash(`a\u001b[31m\n${'x'.repeat(5000)}`), away, settingsWith({}), tools);
    const reason = decision.do === 'settle' ? decision.reason : '';
    expect(reason).not.toMatch(/[\p{Cc}]/u);
    expect(reason.length).toBeLessThan(500);
  });

  test('a question tells how to have it answered', () => {
    expect(route(ask([question()]), away, settingsWith({}), tools)).toMatchObject({
      reason: expect.stringContaining('The question was not answered'),
      fix: expect.stringContaining('question: auto'),
    });
  });
});
