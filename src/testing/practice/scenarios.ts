/**
 * The scenarios that come with the practice agent, as data: the first one is what an unknown prompt gets. What a step
 * does is in `turn.ts`, bad habits in `misbehave.ts`.
 */
import { consultScenarios } from './consult-scenarios.js';
import { bash, database, features, habit, hatSteps, project, reported, told, write } from './scenario-parts.js';
import type { Scenario } from './script.js';

export const scenarios: Scenario[] = [
  {
    name: 'hello',
    about: 'a greeting and a hint',
    words: /^\s*(hi|hello|hey)\b/i,
    steps: () => [
      { say: 'Hello! I am the practice agent: a script, not a model. Try "tour", "ask a question" or "/help".' },
    ],
  },
  {
    name: 'tour',
    about: 'a bit of everything, then LOOP_COMPLETE',
    words: /\b(tour|demo|show me)\b/i,
    steps: () => [
      {
        say: 'Welcome. I am the practice agent: no model, no network, no key. I act like a coding agent so that you can try out the one who holds the reins.',
      },
      { think: 'First something harmless, to show what an approval looks like.' },
      { say: 'First I would like to run a command. You decide.' },
      bash('echo "hello from the practice agent"', 'Say hello from a shell'),
      ...reported,
      { say: 'Now a question.' },
      {
        ask: [
          {
            question: 'What shall I practise next?',
            header: 'Practice',
            options: [
              { label: 'Waiting', description: 'Hold still until someone answers' },
              { label: 'Reading', description: 'Look into the current folder' },
            ],
          },
        ],
      },
      ...told,
      { say: 'Last, a look around.' },
      bash('pwd', 'Where am I?'),
      ...reported,
      {
        say: 'That was the tour. Everything you saw can be allowed, denied or answered from elsewhere.\nLOOP_COMPLETE',
      },
    ],
  },
  {
    name: 'ask-permission',
    about: 'wants to write a file with a shell command',
    words: /\bpermi(t|ssion)|\ballow(ed)?\b/i,
    steps: () => [{ say: 'I will run a command.' }, bash('echo practised > practice.txt'), ...reported],
  },
  {
    name: 'ask-several',
    about: 'three questions at once',
    words: /\b(several|three) questions\b/i,
    steps: () => [{ ask: [database, features, project] }, ...told],
  },
  {
    name: 'ask-multi',
    about: 'a question with several choices',
    words: /\bmulti/i,
    steps: () => [{ ask: [features] }, ...told],
  },
  {
    name: 'ask-free',
    about: 'a question for free text',
    words: /\bfree text\b/i,
    steps: () => [{ ask: [project] }, ...told],
  },
  {
    name: 'ask-single',
    about: 'a question with one choice',
    words: /\b(question|choose|ask)\b/i,
    steps: () => [{ say: 'I need a decision.' }, { ask: [database] }, ...told],
  },
  {
    name: 'parallel',
    about: 'three tool calls pending together',
    words: /\bparallel\b/i,
    steps: () => [
      { tools: ['one', 'two', 'three'].map((name) => bash(`echo ${name} > parallel-${name}.txt`)) },
      { say: 'All three are settled.' },
    ],
  },
  {
    name: 'withdraw',
    about: 'asks for permission and takes it back after 300 ms',
    steps: () => [{ ...bash('echo late > withdrawn.txt'), withdrawAfter: 300 }, ...reported],
  },
  {
    name: 'edit',
    about: 'writes a file, edits it, reads it',
    words: /\b(edit|write a file)\b/i,
    steps: () => [
      write('practice.md', '# Practice\n\nfirst draft\n'),
      { tool: 'Edit', input: { file_path: 'practice.md', old_string: 'first draft', new_string: 'second draft' } },
      { tool: 'Read', input: { file_path: 'practice.md' } },
      ...reported,
    ],
  },
  {
    name: 'loop',
    about: 'an event per iteration, the promise in the last (arg: how many, default 3)',
    words: /\bloop\b/i,
    steps: () => [{ misbehave: 'loop' }],
  },
  {
    name: 'hats',
    about: 'plan, build, review: emits the event of the hat the prompt names (arg `tools`: and uses a tool)',
    words: /\bhats?\b/i,
    steps: (prompt, arg) => hatSteps(prompt, arg),
  },
  {
    name: 'thinking',
    about: 'thinks before it speaks',
    steps: () => [{ think: 'Six times seven.\nThat is forty-two.' }, { say: '42' }],
  },
  {
    name: 'cost',
    about: 'a turn that cost that much (arg: USD)',
    steps: (_prompt, arg) => [{ cost: arg || '0.25' }, { say: 'That was not cheap.' }],
  },
  { name: 'fail', about: 'exits 1', steps: () => [{ say: 'This is going wrong.' }, { exit: 1 }] },
  {
    name: 'error-result',
    about: 'an error result after an API failure',
    steps: () => [{ error: 'API Error: 500 the practice server fell over', status: 500 }],
  },
  habit('usage-limit', 'the plan refuses more work until later (arg: seconds, then it works)'),
  habit('retry', 'three retries, then it works'),
  habit('page', 'opens a page that nobody can read from outside, until Esc (in a terminal)'),
  habit('slow', 'a long turn (arg: seconds, default 30)'),
  habit('echo', 'prints exactly the prompt it got, with size and sha256'),
  habit('env', 'prints where and how it runs'),
  habit('hostile', 'prints every marker and fake dialog it knows'),
  habit('lines', 'prints N lines and exits at once (arg: N, default 20000)'),
  habit('flood', 'N megabytes of text (arg: N, default 8)'),
  habit('long-line', 'one line of N megabytes (arg: N, default 1)'),
  habit('split-utf8', 'cuts its output inside characters'),
  habit('garbage', 'binary bytes between its words'),
  habit('setsid-child', 'leaves a child in a session of its own'),
  habit('double-fork', 'leaves a child that belongs to nobody'),
  habit('ignore-term', 'ignores SIGTERM, SIGINT and SIGHUP', true),
  habit('stubborn', 'ignores signals and leaves a setsid child', true),
  habit('die-before-ready', 'exits 1 before it shows anything', true),
  habit('hang', 'no output, for ever', true),
  ...consultScenarios,
];
