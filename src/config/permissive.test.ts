import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configJsonSchema, type JsonSchema } from './json-schema.js';
import { DANGERS, fitsKey, HARMLESS, permissiveParts } from './permissive.js';
import { errorOf, sandbox } from './sandbox.cases.js';
import { isTrusted, trustFile, trustStoreFile } from './trust-store.js';

const partsOf = (text: string) =>
  permissiveParts(sandbox({ 'reins.yml': text }).load()).map(({ what, source }) => [what, source]);

describe('what gives more than the defaults', () => {
  test.each([
    ['trust: full', [['trust: full', 'reins.yml:1:8']]],
    [
      'rules:\n  allow: [Read, "Bash(*)"]',
      [
        ['rules.allow: Read', 'reins.yml:2'],
        ['rules.allow: Bash(*)', 'reins.yml:2'],
      ],
    ],
    ['tools: {Bash: {detached: auto}}', [['tools.Bash.detached: auto', 'reins.yml:1:26']]],
    ['tools: {Bash: {detached: {tool: defaults}}}', [['tools.Bash.detached.question: defaults', 'reins.yml:1:33']]],
    ['tools: {defaults: {detached: [{ask: 5m}, auto]}}', [['tools.defaults.detached: ask, auto', 'reins.yml:1:30']]],
    ['tools: {defaults: {attached: {run: auto}}}', [['tools.defaults.attached.run: auto', 'reins.yml:1:36']]],
    [
      'tools: {x: {questions: {q: {answer: yes, exclusive: false}}}}',
      [
        ['tools.x.questions.q.answer: ["yes"]', 'reins.yml:1:37'],
        ['tools.x.questions.q.exclusive: false', 'reins.yml:1:53'],
      ],
    ],
    ['notify: {command: "curl evil"}', [['notify.command: curl evil', 'reins.yml:1:19']]],
    ['notify: {webhooks: ["https://u:secret@x.y"]}', [['notify.webhooks', 'reins.yml:1:20']]],
    [
      'notify: {command: {run: x, answers: true}, on: [], quiet_hours: 00:00-23:59}',
      [
        ['notify.command.run: x', 'reins.yml:1:25'],
        ['notify.command.answers: true', 'reins.yml:1:37'],
        ['notify.on: []', 'reins.yml:1:48'],
        ['notify.quiet_hours: 00:00-23:59', 'reins.yml:1:65'],
      ],
    ],
    [
      'event_loop: {gates: [{name: a, run: b}]}',
      [['event_loop.gates: [{"name":"a","run":"b","timeout_secs":300}]', 'reins.yml:1:21']],
    ],
    [
      'cli: {command: ./x, args: [y]}',
      [
        ['cli.command: ./x', 'reins.yml:1:16'],
        ['cli.args: ["y"]', 'reins.yml:1:27'],
      ],
    ],
    [
      'adapters: {claude: {env: {A: secret}, args: [--yolo]}}',
      [
        ['adapters.claude.env.A', 'reins.yml:1:30'],
        ['adapters.claude.args: ["--yolo"]', 'reins.yml:1:45'],
      ],
    ],
    ['consult: {context: [/etc/passwd]}', [['consult.context: ["/etc/passwd"]', 'reins.yml:1:20']]],
    ['consult: {never: []}', [['consult.never: []', 'reins.yml:1:18']]],
    ['consult: {backend: custom}', [['consult.backend: custom', 'reins.yml:1:20']]],
    ['consult: {backend: my-own}', [['consult.backend: my-own', 'reins.yml:1:20']]],
    ['consult: {model: dear}', [['consult.model: dear', 'reins.yml:1:18']]],
    ['consult: {max_cost_usd: 0.5}', [['consult.max_cost_usd: 0.5', 'reins.yml:1:25']]],
    ['consult: {min_confidence: 0}', [['consult.min_confidence: 0', 'reins.yml:1:27']]],
    ['consult: {suggest: true}', [['consult.suggest: true', 'reins.yml:1:20']]],
    ['hub: {host: 0.0.0.0}', [['hub.host: 0.0.0.0', 'reins.yml:1:13']]],
    ['event_loop: {prompt_file: a/../../b}', [['event_loop.prompt_file: a/../../b', 'reins.yml:1:27']]],
  ])('%s', (text, parts) => expect(partsOf(text)).toEqual(parts));

  test.each([
    '',
    'trust: guarded',
    'rules: {deny: [Bash], ask: [Edit], allow: []}',
    'tools: {defaults: {detached: deny, attached: {deliver: auto, run: ask}}, Bash: {detached: [{ask: 5m}, defer]}}',
    'cli: {backend: claude, args: []}',
    'event_loop: {prompt_file: PROMPT.md, prompt: do it}',
    'consult: {context: [docs/a.md], backend: codex, suggest: false}',
  ])('%s gives nothing', (text) => expect(partsOf(text)).toEqual([]));

  test('what the user says in the own file, the environment or flags is not listed, nor what it overrides', () => {
    const box = sandbox({
      '~/.config/reins/config.yml': 'trust: full\nrules: {allow: [Read]}',
      'reins.yml': 'cli: {command: x}',
    });
    const env = { ...box.env, REINS_CFG__tools__Bash__detached: 'auto' };
    expect(permissiveParts(box.load({ env, sets: ['cli.command=y'] }))).toEqual([]);
    const full = sandbox({ 'reins.yml': 'trust: full' });
    expect(permissiveParts(full.load({ flags: { trust: 'guarded' } }))).toEqual([]);
  });

  test('R3: a ralph.yml without the word means full by itself', () => {
    const part = { what: 'trust: full', source: 'default with ralph.yml' };
    expect(permissiveParts(sandbox({ 'ralph.yml': '' }).load())).toEqual([part]);
    expect(permissiveParts(sandbox({ 'ralph.yml': 'trust: full' }).load())).toEqual([
      { what: 'trust: full', source: 'ralph.yml:1:8' },
    ]);
    expect(permissiveParts(sandbox({ 'ralph.yml': 'trust: guarded' }).load())).toEqual([]);
  });
});

describe('R3: no key is forgotten', () => {
  /** `tools.*.detached.run`: every key the schema knows, `*` for names the user chooses. Lists count as one value. */
  function keysOf(node: JsonSchema, path: string[] = []): string[] {
    const shapes = [node, ...(node.anyOf ?? [])];
    const below = shapes.flatMap(({ properties = {}, additionalProperties }) => [
      ...Object.entries(properties).flatMap(([key, inner]) => keysOf(inner, [...path, key])),
      ...(typeof additionalProperties === 'object' && path.at(-1) !== '*'
        ? keysOf(additionalProperties, [...path, '*'])
        : []),
    ]);
    // What may be a map or a text (a command) is a key of its own as well.
    const isText = below.length > 0 && shapes.some(({ type }) => type === 'string') && path[0] !== 'tools';
    return below.length > 0 ? [...new Set([...(isText ? [path.join('.')] : []), ...below])] : [path.join('.')];
  }
  const fitting = (patterns: readonly string[], key: string) =>
    patterns.filter((pattern) => fitsKey(pattern, key.split('.')));

  test.each(keysOf(configJsonSchema()))('R3: %s is either harmless or asked about', (key) => {
    // `tool` is the seed's word for `question`.
    const known = key.replace(/\.tool$/, '.question');
    const dangers = fitting(
      DANGERS.map((danger) => danger.key),
      known,
    );
    expect([dangers.length, fitting(HARMLESS, known).length].filter((count) => count > 0)).toHaveLength(1);
  });

  test('R3: the lists name no key that is gone', () => {
    const keys = keysOf(configJsonSchema()).map((key) => key.split('.'));
    const idle = [...DANGERS.map((danger) => danger.key), ...HARMLESS].filter(
      (pattern) => !keys.some((key) => fitsKey(pattern, key)),
    );
    expect(idle).toEqual([]);
  });

  test('R3: a prompt file that is a link out of the folder', () => {
    const box = sandbox({ 'reins.yml': 'event_loop: {prompt_file: task.md}', '~/secret': 'x' });
    expect(permissiveParts(box.load())).toEqual([]);
    symlinkSync(join(box.home, 'secret'), join(box.repo, 'task.md'));
    expect(permissiveParts(box.load()).map(({ what }) => what)).toEqual(['event_loop.prompt_file: task.md']);
  });
});

describe('the trust store', () => {
  test('a file is trusted with its content: changed, moved or copied it is not', () => {
    const box = sandbox({ 'reins.yml': 'trust: full', 'copy/reins.yml': 'trust: full' });
    const asked = { env: box.env, file: join(box.repo, 'reins.yml') };
    expect(isTrusted(asked)).toBe(false);
    trustFile(asked);
    expect(isTrusted(asked)).toBe(true);
    expect(isTrusted({ ...asked, sha256: box.load().project!.sha256 })).toBe(true);
    expect(isTrusted({ ...asked, file: join(box.repo, 'copy/reins.yml') })).toBe(false);
    symlinkSync(asked.file, join(box.repo, 'link.yml'));
    expect(isTrusted({ ...asked, file: join(box.repo, 'link.yml') })).toBe(true);
    writeFileSync(asked.file, 'trust: full # and more');
    expect(isTrusted(asked)).toBe(false);
  });

  test('it is outside the repository, private, and leaves no draft behind', () => {
    const box = sandbox({ 'reins.yml': '', 'b.yml': '' });
    const store = trustStoreFile(box.env);
    expect(store).toBe(join(box.home, '.local/state/reins/trusted.json'));
    mkdirSync(dirname(store), { recursive: true });
    writeFileSync(store, '{broken');
    chmodSync(store, 0o644);
    for (const name of ['reins.yml', 'b.yml']) trustFile({ env: box.env, file: join(box.repo, name) });
    expect(Object.keys(JSON.parse(readFileSync(store, 'utf8')).files)).toEqual([
      join(box.repo, 'reins.yml'),
      join(box.repo, 'b.yml'),
    ]);
    expect(statSync(store).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(store))).toEqual(['trusted.json']);
  });

  test.each(['', '[]', '{"version":2,"files":{}}', '{"version":1,"files":{"a":1}}'])(
    'a store that says %j trusts nothing',
    (content) => {
      const box = sandbox({ 'reins.yml': '', '~/.local/state/reins/trusted.json': content });
      expect(isTrusted({ env: box.env, file: join(box.repo, 'reins.yml') })).toBe(false);
    },
  );

  test('where nothing can be remembered, that is said', () => {
    const box = sandbox({ 'reins.yml': '', '~/.local': 'a file in the way' });
    expect(errorOf(() => trustFile({ env: box.env, file: join(box.repo, 'reins.yml') })).code).toBe('STATE_DIR');
    expect(errorOf(() => isTrusted({ env: box.env, file: join(box.repo, 'nope.yml') })).code).toBe('CONFIG_UNREADABLE');
  });
});
