import { describe, expect, test } from 'vitest';
import { permissiveParts } from '../permissive.js';
import { errorOf, sandbox } from '../sandbox.cases.js';

const load = (text: string, more: Record<string, string> = {}) => sandbox({ 'ralph.yml': text, ...more }).load();

describe('L2: a key of ralph’s is used', () => {
  test.each([
    ['core: {guardrails: [a, b]}', 'core.guardrails', ['a', 'b']],
    ['core: {guardrails: one}', 'core.guardrails', ['one']],
    ['core: {scratchpad: .agent/notes.md}', 'core.scratchpad', '.agent/notes.md'],
    ['core: {scratchpad: {enabled: true, path: n.md}}', 'core.scratchpad', 'n.md'],
    ['core: {scratchpad: {enabled: true}}', 'core.scratchpad', '.ralph/agent/scratchpad.md'],
    ['core: {scratchpad: {enabled: false, path: n.md}}', 'core.scratchpad', undefined],
    ['core: {specs_dir: ./specs/}', 'core.specs_dir', './specs/'],
    ['event_loop: {idle_timeout_secs: 1800}', 'event_loop.idle_timeout_secs', 1800],
    ['event_loop: {required_events: [review.done]}', 'event_loop.required_events', ['review.done']],
    ['event_loop: {cooldown_delay_seconds: 5}', 'event_loop.cooldown_seconds', 5],
    ['event_loop: {max_runtime_seconds: 999999999}', 'event_loop.max_runtime_seconds', 999_999_999],
    ['event_loop: {max_iterations: "50"}', 'event_loop.max_iterations', 50],
    ['hats: {a: {triggers: x}}', 'hats.a.triggers', ['x']],
    ['hats: {a: {subscribes_to: [x]}}', 'hats.a.triggers', ['x']],
    ['hats: {a: {default_publishes: x.done}}', 'hats.a.default_publishes', 'x.done'],
    ['hats: {a: {timeout: 600}}', 'hats.a.timeout', 600],
    ['hats: {a: {disallowed_tools: [Edit, "Bash(rm *)"]}}', 'hats.a.disallowed_tools', ['Edit', 'Bash(rm *)']],
    ['hats: {a: {backend: claude}}', 'hats.a.backend', 'claude'],
    ['hats: {a: {backend: {command: x}}}', 'hats.a.backend', { command: 'x', args: [] }],
    ['hats: {a: {backend: {type: custom, command: x}}}', 'hats.a.backend', { type: 'custom', command: 'x', args: [] }],
    ['hats: {a: {backend: {type: mine, command: x}}}', 'hats.a.backend', { command: 'x', args: [] }],
    ['hats: {a: {backend: {type: kiro, agent: b}}}', 'hats.a.backend', { type: 'kiro', agent: 'b', args: [] }],
    ['hats: {a: {backend: claude, args: [--x]}}', 'hats.a.backend', { type: 'claude', args: ['--x'] }],
    ['hats: {a: {backend_args: [--x]}}', 'hats.a.backend', { args: ['--x'] }],
    ['hats: {a: {backend: {type: claude, args: [-a]}, backend_args: [-b]}}', 'hats.a.backend.args', ['-a', '-b']],
    ['hats: {a: {instructions: one, extra_instructions: [two, three]}}', 'hats.a.instructions', 'one\ntwo\nthree\n'],
    [
      'events: {a.b: {on_trigger: t, on_publish: p}}',
      'events',
      { 'a.b': { description: '', on_trigger: 't', on_publish: 'p' } },
    ],
    ['hats: {a: {triggers: ["x.*", y.start]}}\nevent_loop: {starting_hat: a}', 'event_loop.starting_event', 'y.start'],
    ['cli: {backend: claude, args: [--model, x]}', 'adapters.claude.args', ['--model', 'x']],
    ['agent: claude\ncli: {args: [--model, x]}', 'adapters.claude.args', ['--model', 'x']],
    ['cli: {backend: codex, args: [-c]}\nadapters: {codex: {args: [-a]}}', 'adapters.codex.args', ['-a', '-c']],
    ['cli: {backend: claude, args: [--model, x]}', 'cli.args', []],
    ['cli: {backend: custom, command: ./x, args: [-y]}', 'cli.args', ['-y']],
    ['cli: {args: [-y]}', 'cli.args', ['-y']],
    ['agent: gemini', 'cli.backend', 'gemini'],
    ['agent: gemini\ncli: {backend: claude}', 'cli.backend', 'gemini'],
    ['prompt_file: T.md', 'event_loop.prompt_file', 'T.md'],
    ['completion_promise: DONE', 'event_loop.completion_promise', 'DONE'],
    ['max_iterations: 7', 'event_loop.max_iterations', 7],
    ['max_runtime: 7200', 'event_loop.max_runtime_seconds', 7200],
    ['max_cost: 10.0', 'event_loop.max_cost_usd', 10],
  ])('%s', (text, key, value) => {
    const { config, notices } = load(text);
    expect(key.split('.').reduce((at: unknown, part) => (at as Record<string, unknown>)?.[part], config)).toEqual(
      value,
    );
    expect(notices.filter((notice) => notice.startsWith('without effect'))).toEqual([]);
  });

  test('an old place is told, and the value keeps its own', () => {
    const { notices, origins } = load('verbose: true\nmax_runtime: 60\n');
    expect(notices).toEqual([
      'ralph.yml: max_runtime is now event_loop.max_runtime_seconds; `reins config migrate --write` writes it as reins.yml',
      'without effect here: ralph.yml: verbose',
    ]);
    expect(origins.get('event_loop.max_runtime_seconds')?.origin.source).toBe('ralph.yml:2:14');
  });
});

describe('L2: … or named in one notice', () => {
  test('every such key of every file, once, without the values', () => {
    const { notices, config } = load(
      `verbose: true
tui: {prefix_key: ctrl-b}
memories: {enabled: true, inject: auto}
RObot: {enabled: true, telegram: {bot_token: "123:secret"}}
event_loop: {checkpoint_interval: 5, persistent: true}
adapters: {claude: {tool_permissions: [read], timeout: 60}}
hats:
  a: {triggers: [x], concurrency: 3, scratchpad: {enabled: false}, aggregate: {mode: wait_for_all, timeout: 3}}
_shared: &s "told"
features: {}
skills:
`,
      { '~/.ralph/config.yml': 'tasks: {enabled: false}\nhooks: {events: {}}\n' },
    );
    expect(notices).toHaveLength(1);
    for (const key of [
      ...['verbose', 'tui', 'memories', 'RObot', 'event_loop.checkpoint_interval (Reins never commits for you)'],
      ...['adapters.claude.tool_permissions', 'hats.a.concurrency', 'hats.a.scratchpad', 'hats.a.aggregate'],
      ...['features', 'tasks', 'hooks', 'event_loop.persistent', 'config.yml'],
    ])
      expect(notices[0]).toContain(key);
    expect(notices[0]).not.toMatch(/secret|_shared|ctrl-b/);
    expect(config.adapters.claude?.timeout).toBe(60);
  });

  test.each([
    ['cli: {timeout: 900}', 'cli.timeout (adapters.<name>.timeout)'],
    ['cli: {model: x}', 'cli.model (adapters.<name>.args, as in [--model, NAME])'],
    ['adapters: {claude: {model: x}}', 'adapters.claude.model (adapters.<name>.args, as in [--model, NAME])'],
    ['event_loop: {max_runtime: 28800}', 'event_loop.max_runtime (event_loop.max_runtime_seconds)'],
    ['event_loop: {timeout_seconds: 300}', 'event_loop.timeout_seconds (adapters.<name>.timeout)'],
    ['core: {memories: {enabled: true}, tasks: {enabled: true}}', 'core.memories, core.tasks'],
    ['guardrails: [be kind]', 'guardrails (core.guardrails)'],
    ['hats: {a: {triggers: [x], prompt_suffix: you plan}}', 'hats.a.prompt_suffix (hats.<name>.instructions)'],
    ['hats: {a: {triggers: [x], model: y}}', 'hats.a.model (hats.<name>.backend: {args: [--model, NAME]})'],
    ['project: {specs_dir: s}', 'project (event_loop.prompt_file and core.specs_dir say where things are)'],
    [
      'output_format: rich\noutput_verbosity: normal',
      'output_format (`reins --format`), output_verbosity (`reins -q run`)',
    ],
  ])('what people write and ralph passes over does not keep the file from loading: %s', (text, told) => {
    expect(load(text).notices).toEqual([`without effect here: ralph.yml: ${told}`]);
  });

  test('ralph’s own word silences it', () => {
    expect(load('_suppress_warnings: true\nverbose: true\nmax_tokens: 5\n').notices).toEqual([]);
  });

  test('a command beside an agent of another name is said to do nothing, and stays', () => {
    const { config, notices } = load('cli: {backend: claude, command: ./x}');
    expect(config.cli.command).toBe('./x');
    expect(notices).toEqual(['without effect here: ralph.yml: cli.command (it is for cli.backend: custom)']);
    expect(load('cli: {backend: custom, command: ./x}').notices).toEqual([]);
  });
});

test('L2: arguments for whichever agent is found are for none, and that is said', () => {
  const { notices, config } = load('cli: {backend: auto, args: [-y]}');
  expect(config.adapters).toEqual({});
  expect(notices).toEqual([
    'without effect here: ralph.yml: cli.args (name the agent in cli.backend, or use adapters.<name>.args)',
  ]);
});

describe('L2: what neither knows is an error, with its place and the nearest key', () => {
  test.each([
    ['memorys: {}', 'ralph.yml:1:1 memorys: unknown key, did you mean memories?'],
    ['memorys:', 'ralph.yml:1:1 memorys: unknown key, did you mean memories?'],
    ['event_loop:\n  checkpoint_intervals: 3', 'did you mean checkpoint_interval?'],
    ['hats:\n  a:\n    agregate: {}', 'ralph.yml:3:5 hats.a.agregate: unknown key, did you mean aggregate?'],
    ['hats:\n  a: {backend: {comand: x}}', 'hats.a.backend.comand: unknown key, did you mean command?'],
    ['llm: {model: x}', 'ralph.yml:1:1 llm: unknown key'],
  ])('%j', (text, message) => {
    expect(errorOf(() => load(text)).message).toContain(message);
  });

  test('a reins.yml knows none of ralph’s other keys', () => {
    for (const text of ['verbose: true', 'agent: claude', 'memories: {}', '_x: 1', 'core: {scratchpad: {path: x}}']) {
      expect(errorOf(() => sandbox({ 'reins.yml': text }).load()).code).toBe('CONFIG_INVALID');
    }
  });
});

test('odd shapes: nothing at all, anchors, blocks, empty maps and lists', () => {
  const { config, notices } = load(`
event_loop: {}
cli:
core: {guardrails: , scratchpad: }
_rules: &rules |
  be kind
hats:
  idle: {triggers: [], publishes: null, instructions: , backend: ~, description: "", default_publishes: ""}
  a: &a
    name: A
    triggers: [t.start]
    extra_instructions: [*rules, *rules]
  b: *a
`);
  expect(notices).toEqual([]);
  expect(config.hats.idle).toMatchObject({ triggers: [], publishes: [], instructions: '', disallowed_tools: [] });
  expect(config.hats.b).toEqual(config.hats.a);
  expect(config.hats.a?.instructions).toBe('be kind\nbe kind\n');
});

describe('~/.ralph/config.yml', () => {
  const HOME = '~/.ralph/config.yml';

  test('lies below the project’s ralph.yml: maps deep, lists and scalars replaced', () => {
    const box = sandbox({
      [HOME]:
        'max_iterations: 9\ncore: {guardrails: [mine]}\ncli: {backend: gemini}\nhats: {a: {timeout: 5, triggers: [x]}}\n',
      'ralph.yml': 'core: {guardrails: [ours]}\nhats: {a: {triggers: [y]}}\n',
    });
    const { config, origins, files, notices } = box.load();
    expect(config.event_loop.max_iterations).toBe(9);
    expect(config.core.guardrails).toEqual(['ours']);
    expect(config.cli.backend).toBe('gemini');
    expect(config.hats.a).toMatchObject({ timeout: 5, triggers: ['y'] });
    const { origin, overrode } = origins.get('core.guardrails')!;
    expect([origin.source, overrode.map(({ source }) => source)]).toEqual([
      'ralph.yml:1:20',
      [`${box.home}/.ralph/config.yml:2:20`],
    ]);
    expect(files.map(({ layer }) => layer)).toEqual(['user', 'project']);
    expect(notices).toEqual([`${box.home}/.ralph/config.yml: max_iterations is now event_loop.max_iterations`]);
  });

  test('is the user’s own: nothing of it waits for trust in the folder', () => {
    const box = sandbox({
      [HOME]: 'cli: {backend: custom, command: mine}\nhats: {a: {backend: {command: my-tool}}}\n',
      'ralph.yml': 'trust: guarded\n',
    });
    expect(permissiveParts(box.load())).toEqual([]);
  });

  test('is not read with a reins.yml, or with no file at all', () => {
    const bad = { [HOME]: 'nonsense: [\n' };
    expect(sandbox({ ...bad, 'reins.yml': '' }).load().config.event_loop.max_iterations).toBe(100);
    expect(sandbox(bad).load().files).toEqual([]);
    expect(errorOf(() => sandbox({ ...bad, 'ralph.yml': '' }).load()).code).toBe('CONFIG_INVALID');
  });
});

describe('R3: what a hat brings is asked about like cli.command', () => {
  test.each(['ralph.yml', 'reins.yml'])('%s', (name) => {
    const text = `trust: guarded
hats:
  a: {triggers: [x], backend: {command: ./evil.sh, args: [-x], prompt_flag: --p}}
  b: {triggers: [y], backend: {type: claude, args: [--mcp-config, evil.json]}}
  c: {triggers: [z], backend: {type: kiro, agent: evil}}
`;
    expect(permissiveParts(sandbox({ [name]: text }).load()).map(({ what }) => what)).toEqual([
      'hats.a.backend.command: ./evil.sh',
      'hats.a.backend.args: ["-x"]',
      'hats.a.backend.prompt_flag: --p',
      'hats.b.backend.args: ["--mcp-config","evil.json"]',
      'hats.c.backend.agent: evil',
    ]);
  });

  test('by ralph’s other words for it', () => {
    const text =
      'trust: guarded\nhats: {a: {backend: claude, args: [--yolo]}, b: {backend_args: [-x]}, c: {backend: {type: me, command: ./e}}}\n';
    expect(permissiveParts(load(text)).map(({ what }) => what)).toEqual([
      'hats.a.backend.args: ["--yolo"]',
      'hats.b.backend.args: ["-x"]',
      'hats.c.backend.command: ./e',
    ]);
  });

  test('over what the user’s own file says for that hat', () => {
    const box = sandbox({
      '~/.ralph/config.yml': 'hats: {a: {backend: {command: mine}}}',
      'ralph.yml': 'trust: guarded\nhats: {a: {backend: {args: [-e, evil]}}}',
    });
    expect(permissiveParts(box.load()).map(({ what }) => what)).toEqual(['hats.a.backend.args: ["-e","evil"]']);
  });

  test('which of the user’s agents wears it, for how long, and what it may not do is no danger', () => {
    const text =
      'trust: guarded\nhats: {a: {backend: {type: codex}, timeout: 5, disallowed_tools: [Edit]}, b: {backend: gemini}}\ncore: {guardrails: [x]}\n';
    expect(permissiveParts(load(text))).toEqual([]);
  });
});
