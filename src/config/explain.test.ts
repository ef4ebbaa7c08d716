import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectiveTool, explain } from './explain.js';
import { errorOf, sandbox } from './sandbox.cases.js';
import { ConfigSchema } from './schema.js';

describe('explain', () => {
  const box = () =>
    sandbox({
      '~/.config/reins/config.yml': 'cli: {backend: codex}',
      'reins.yml': 'cli:\n  backend: amp\nevent_loop:\n  gates: [{name: t, run: npm test}]\n',
    });

  test('a value, its source and what it overrode', () => {
    const { home, load } = box();
    expect(explain(load({ sets: ['cli.backend=kiro'] }), 'cli.backend')).toEqual([
      {
        key: 'cli.backend',
        value: 'kiro',
        source: 'flag --set cli.backend',
        overrode: [
          { value: 'amp', source: 'reins.yml:2:12' },
          { value: 'codex', source: `${home}/.config/reins/config.yml:1:16` },
        ],
      },
    ]);
  });

  test('defaults, keys that are not set, lists, whole parts', () => {
    const loaded = box().load();
    expect(explain(loaded, 'cli.acp')).toEqual([{ key: 'cli.acp', value: false, source: 'default', overrode: [] }]);
    expect(explain(loaded, 'cli.command')).toEqual([{ key: 'cli.command', source: 'not set', overrode: [] }]);
    expect(explain(loaded, 'tools.Bash.detached')[0]?.source).toBe('not set');
    expect(explain(loaded, 'event_loop.gates')[0]).toMatchObject({
      value: [{ name: 't', run: 'npm test', timeout_secs: 300 }],
      source: 'reins.yml:4:10',
    });
    expect(explain(loaded, 'recording')).toEqual([
      { key: 'recording.max_mb', value: 64, source: 'default', overrode: [] },
    ]);
    expect(explain(loaded).length).toBeGreaterThan(30);
  });

  test('an unknown key is corrected', () => {
    expect(errorOf(() => explain(box().load(), 'cli.bakend')).message).toBe(
      'cli.bakend: unknown key, did you mean cli.backend?',
    );
    expect(errorOf(() => explain(box().load(), 'a..b')).code).toBe('CONFIG_INVALID');
  });

  test('a trust that only follows from ralph.yml says so', () => {
    expect(explain(sandbox({ 'ralph.yml': '' }).load(), 'trust')[0]?.source).toBe('default with ralph.yml');
  });
});

describe('the policy of a tool (seed 002, "Resolution Order")', () => {
  const detachedRun = (text: string) => {
    const { ladder, via } = effectiveTool(sandbox({ 'reins.yml': text }).load(), 'Bash').detached.run;
    return [ladder.map((rung) => rung.mode).join(), via];
  };

  test.each([
    ['tools: {Bash: {detached: {run: auto}}, defaults: {detached: defer}}', 'auto', 'tools.Bash.detached.run'],
    ['tools: {Bash: {detached: auto}, defaults: {detached: {run: defer}}}', 'auto', 'tools.Bash.detached'],
    [
      'tools: {Bash: {detached: {deliver: auto}}, defaults: {detached: {run: defer}}}',
      'defer',
      'tools.defaults.detached.run',
    ],
    ['tools: {Bash: {attached: auto}, defaults: {detached: defer}}', 'defer', 'tools.defaults.detached'],
    ['tools: {Edit: {detached: auto}}', 'deny', 'built in'],
    ['', 'deny', 'built in'],
  ])('%s', (text, mode, via) => expect(detachedRun(text)).toEqual([mode, via]));

  test('attached: ask, ask, and results are delivered', () => {
    const { attached } = effectiveTool(sandbox().load(), 'Bash');
    expect(attached).toEqual({
      run: { ladder: [{ mode: 'ask' }], via: 'built in', source: 'default' },
      question: { ladder: [{ mode: 'ask' }], via: 'built in', source: 'default' },
      deliver: { ladder: [{ mode: 'auto' }], via: 'built in', source: 'default' },
    });
  });

  test('where it stands, what happens without an answer, the questions of a tool', () => {
    const text = `tools:
  defaults:
    on_no_answer: defer
  git:
    detached: {tool: auto}
    questions:
      confirm_force_push: {exclusive: true}
`;
    const effective = effectiveTool(sandbox({ 'reins.yml': text }).load(), 'git');
    expect(effective.detached.question).toEqual({
      ladder: [{ mode: 'auto' }],
      via: 'tools.git.detached.question',
      source: 'reins.yml:5:22',
    });
    expect(effective.on_no_answer).toEqual({
      value: 'defer',
      via: 'tools.defaults.on_no_answer',
      source: 'reins.yml:3:19',
    });
    expect(effective.questions).toEqual({ confirm_force_push: { exclusive: true } });
  });

  test('names that every object has are tools like any other', () => {
    const loaded = sandbox().load();
    for (const tool of ['constructor', 'toString', '__proto__']) {
      expect(effectiveTool(loaded, tool).detached.run.ladder).toEqual([{ mode: 'deny' }]);
    }
  });

  test('the cascade agrees with its five lines, whatever is set where', () => {
    const mode = fc.constantFrom('deny', 'auto', 'defaults', 'defer');
    const policy = fc.option(
      fc.oneof(mode, fc.record({ run: mode, deliver: mode, question: mode }, { requiredKeys: [] })),
    );
    fc.assert(
      fc.property(policy, policy, (own, defaults) => {
        const tools = {
          ...(own && { Bash: { detached: own } }),
          ...(defaults && { defaults: { detached: defaults } }),
        };
        const loaded = { config: ConfigSchema.parse({ tools }), origins: new Map() } as never;
        for (const kind of ['run', 'deliver', 'question'] as const) {
          const at = (value: typeof own) => (typeof value === 'string' ? value : value?.[kind]);
          const expected = at(own) ?? at(defaults) ?? 'deny';
          expect(effectiveTool(loaded, 'Bash').detached[kind].ladder).toEqual([{ mode: expected }]);
        }
      }),
    );
  });
});
