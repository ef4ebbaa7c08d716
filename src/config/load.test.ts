import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorOf, sandbox } from './sandbox.cases.js';

describe('which file', () => {
  test('no file at all: the defaults, guarded', () => {
    const loaded = sandbox().load();
    expect(loaded).toMatchObject({ projectKind: 'none', files: [], notices: [], rules: [] });
    expect(loaded.config.trust).toBe('guarded');
    expect(loaded.origins.size).toBe(0);
  });

  test('a parent up to the root of the repository, and no further', () => {
    const box = sandbox({ 'reins.yml': 'cli: {backend: codex}', 'a/b/.keep': '' });
    expect(box.load({ cwd: join(box.repo, 'a/b') }).config.cli.backend).toBe('codex');
    const outside = sandbox({ '~/srv/reins.yml': 'cli: {backend: codex}' });
    expect(outside.load().projectKind).toBe('none');
  });

  test('without a repository: up to the home directory, never above it', () => {
    const box = sandbox({ '~/reins.yml': 'cli: {backend: amp}', '~/loose/x/.keep': '' });
    expect(box.load({ cwd: join(box.home, 'loose/x') }).config.cli.backend).toBe('amp');
    const above = sandbox({ '~/../reins.yml': 'cli: {backend: amp}', '~/loose/.keep': '' });
    const cwd = join(above.home, 'loose');
    expect(above.load({ cwd }).projectKind).toBe('none');
    symlinkSync(above.home, join(above.root, 'link'));
    for (const HOME of [`${above.home}/`, join(above.root, 'link')]) {
      expect(above.load({ cwd, env: { HOME } }).projectKind, HOME).toBe('none');
    }
  });

  test('a ralph.yml counts only where there is no reins.yml, however near it is', () => {
    const box = sandbox({ 'reins.yml': 'cli: {backend: codex}', 'sub/ralph.yml': 'cli: {backend: kiro}' });
    const loaded = box.load({ cwd: join(box.repo, 'sub') });
    expect(loaded).toMatchObject({ projectKind: 'reins', config: { cli: { backend: 'codex' }, trust: 'guarded' } });
  });

  test('-c replaces the project file and keeps the user file', () => {
    const box = sandbox({
      'reins.yml': 'cli: {backend: codex}\nrecording: {max_mb: 1}',
      'other.yml': 'cli: {backend: amp}',
      '~/.config/reins/config.yml': 'presence: {grace_secs: 3}',
    });
    const loaded = box.load({ explicitFile: 'other.yml' });
    expect(loaded.config).toMatchObject({
      cli: { backend: 'amp' },
      recording: { max_mb: 64 },
      presence: { grace_secs: 3 },
    });
    expect(loaded.files.map((file) => [file.name, file.layer])).toEqual([
      [join(box.home, '.config/reins/config.yml'), 'user'],
      ['other.yml', 'project'],
    ]);
    expect(loaded.project?.file).toBe(join(box.repo, 'other.yml'));
  });

  test('XDG_CONFIG_HOME moves the user file; a relative one is ignored', () => {
    const box = sandbox({ '~/xdg/reins/config.yml': 'trust: full', '~/.config/reins/config.yml': 'trust: guarded' });
    expect(box.load({ env: { ...box.env, XDG_CONFIG_HOME: join(box.home, 'xdg') } }).config.trust).toBe('full');
    expect(box.load({ env: { ...box.env, XDG_CONFIG_HOME: 'xdg' } }).config.trust).toBe('guarded');
  });
});

describe('trust', () => {
  const trustOf = (files: Record<string, string>, options = {}) => sandbox(files).load(options).config.trust;

  test.each([
    ['no file', {}, 'guarded'],
    ['reins.yml', { 'reins.yml': '' }, 'guarded'],
    ['only ralph.yml', { 'ralph.yml': '' }, 'full'],
    ['ralph.yml that says guarded', { 'ralph.yml': 'trust: guarded' }, 'guarded'],
    [
      'ralph.yml under a user file that says guarded',
      { 'ralph.yml': '', '~/.config/reins/config.yml': 'trust: guarded' },
      'guarded',
    ],
    ['ralph.yml and reins.yml', { 'ralph.yml': '', 'reins.yml': '' }, 'guarded'],
  ])('%s', (_, files, trust) => expect(trustOf(files)).toBe(trust));

  test('-c some.ralph.yml counts as ralph', () => {
    expect(trustOf({ 'my-ralph.yml': '' }, { explicitFile: 'my-ralph.yml' })).toBe('full');
  });

  test('REINS_TRUST, --set and the flag win, in that order', () => {
    const box = sandbox({ 'ralph.yml': '' });
    const env = { ...box.env, REINS_TRUST: 'guarded' };
    expect(box.load({ env }).config.trust).toBe('guarded');
    expect(box.load({ env, sets: ['trust=full'] }).config.trust).toBe('full');
    expect(box.load({ env, sets: ['trust=full'], flags: { trust: 'guarded' } }).config.trust).toBe('guarded');
    expect(errorOf(() => box.load({ env: { ...env, REINS_TRUST: 'yes' } })).message).toBe(
      'environment REINS_TRUST trust: expected guarded, full, got "yes"',
    );
  });
});

describe('layers', () => {
  test('maps merge, scalars and lists replace, rules are joined with their own sources', () => {
    const box = sandbox({
      '~/.config/reins/config.yml': 'rules: {deny: [Bash(git push:*)]}\nconsult: {context: [A.md], model: m}\n',
      'reins.yml':
        'consult:\n  context: [B.md]\nrules:\n  allow:\n    - Read\n    - Edit(src/**)\n  deny: [WebFetch]\n',
    });
    const loaded = box.load({ sets: ['rules.allow=[Glob]'] });
    expect(loaded.config.consult).toMatchObject({ context: ['B.md'], model: 'm' });
    expect(loaded.config.rules).toEqual({
      allow: ['Read', 'Edit(src/**)', 'Glob'],
      ask: [],
      deny: ['Bash(git push:*)', 'WebFetch'],
    });
    expect(loaded.rules.map(({ text, effect, source }) => [text, effect, source])).toEqual([
      ['Bash(git push:*)', 'deny', `${join(box.home, '.config/reins/config.yml')}:1`],
      ['Read', 'allow', 'reins.yml:5'],
      ['Edit(src/**)', 'allow', 'reins.yml:6'],
      ['WebFetch', 'deny', 'reins.yml:7'],
      ['Glob', 'allow', 'flag --set rules.allow'],
    ]);
  });

  test('one mode for all kinds can be overridden for one kind by a higher layer, and the other way round', () => {
    const box = sandbox({
      '~/.config/reins/config.yml': 'tools: {defaults: {detached: defer, attached: {run: auto}}}',
      'reins.yml': 'tools: {defaults: {detached: {run: deny}, attached: ask}}',
    });
    expect(box.load().config.tools.defaults).toEqual({
      detached: { run: [{ mode: 'deny' }], deliver: [{ mode: 'defer' }], question: [{ mode: 'defer' }] },
      attached: { run: [{ mode: 'ask' }], deliver: [{ mode: 'ask' }], question: [{ mode: 'ask' }] },
    });
  });

  test('REINS_CFG__a__b is read as YAML, over files and under --set', () => {
    const box = sandbox({ 'reins.yml': 'cli: {backend: codex, idle_timeout_secs: 1}' });
    const env = {
      ...box.env,
      REINS_CFG__cli__backend: 'amp',
      REINS_CFG__cli__idle_timeout_secs: '7',
      REINS_CFG__tools__Bash__detached: '[{ask: 5m}, auto]',
    };
    const loaded = box.load({ env, sets: ['cli.backend=kiro', 'cli.backend=gemini'] });
    expect(loaded.config.cli).toMatchObject({ backend: 'gemini', idle_timeout_secs: 7 });
    expect(loaded.config.tools.Bash?.detached?.run).toEqual([{ mode: 'ask', secs: 300 }, { mode: 'auto' }]);
    expect(loaded.origins.get('cli.backend')?.overrode.map((origin) => origin.source)).toEqual([
      'flag --set cli.backend',
      'environment REINS_CFG__cli__backend',
      'reins.yml:1:16',
    ]);
  });

  test.each([
    ['event_loop.prompt=fix: the bug', 'fix: the bug'],
    ['event_loop.prompt=42', '42'],
    ['event_loop.prompt=true', 'true'],
    ['event_loop.prompt=- do this', '- do this'],
    ['event_loop.prompt=@todo', '@todo'],
    ['event_loop.prompt=# heading', '# heading'],
    ['event_loop.prompt=*star', '*star'],
    ['event_loop.prompt=a=b', 'a=b'],
    ['event_loop.prompt="quoted # text"', 'quoted # text'],
    ['event_loop.prompt=[not closed', '[not closed'],
    ['event_loop.prompt=line 1\nline 2', 'line 1\nline 2'],
    ['event_loop.prompt="one"\n---\ntwo', '"one"\n---\ntwo'],
  ])('--set %j means the words as typed', (set, prompt) => {
    expect(sandbox().load({ sets: [set] }).config.event_loop.prompt).toBe(prompt);
  });

  test('a key with a dot is quoted in --set', () => {
    const { config } = sandbox().load({ sets: ['events."build.done".description=ready'] });
    expect(config.events).toMatchObject({ 'build.done': { description: 'ready' } });
  });

  test('a flag is named where it is known', () => {
    const box = sandbox();
    const options = {
      flags: { cli: { idle_timeout_secs: -1 } },
      flagNames: { 'cli.idle_timeout_secs': '--idle-timeout' },
    };
    expect(errorOf(() => box.load(options)).message).toBe(
      'flag --idle-timeout cli.idle_timeout_secs: must be at least 0, got -1',
    );
  });

  test('a key without a value counts as not written', () => {
    const { config } = sandbox({
      'reins.yml': 'cli:\nhats:\ntools:\n  Bash:\nadapters: {claude: }\ntrust: ~\n',
    }).load();
    expect(config).toMatchObject({ cli: { backend: 'auto' }, hats: {}, adapters: {}, trust: 'guarded' });
  });
});

describe('what is wrong', () => {
  const problem = (text: string) => errorOf(() => sandbox({ 'reins.yml': text }).load());

  test.each([
    ['cli:\n  backend: x\n  idle_timeout_secs: -1', 'reins.yml:3:22 cli.idle_timeout_secs: must be at least 0, got -1'],
    ['cli:\n  idle_timeout_sec: 5', 'reins.yml:2:3 cli.idle_timeout_sec: unknown key, did you mean idle_timeout_secs?'],
    ['cli:\n  idle_timeout_sec:', 'reins.yml:2:3 cli.idle_timeout_sec: unknown key, did you mean idle_timeout_secs?'],
    ['backend: claude', 'reins.yml:1:1 backend: unknown key, did you mean cli.backend?'],
    ['cli: 3', 'reins.yml:1:6 cli: expected a map, got the number 3'],
    ['cli: {args: x}', 'reins.yml:1:13 cli.args: expected a list, got text'],
    ['cli: {acp: "yes"}', 'reins.yml:1:12 cli.acp: expected true or false, got text'],
    ['cli: {default_mode: auto}', 'reins.yml:1:21 cli.default_mode: expected autonomous, interactive, got "auto"'],
    [
      'event_loop: {max_iterations: 1.5}',
      'reins.yml:1:30 event_loop.max_iterations: expected a whole number, got the number 1.5',
    ],
    ['event_loop: {gates: [{run: x}]}', 'reins.yml:1:22 event_loop.gates.0.name: expected text, got nothing'],
    ['rules: {allow: [Read, ]}\nrules: {}', 'reins.yml:2:1: rules is written twice'],
    [
      'tools: {default: {}}',
      'reins.yml:1:18 tools.default: default would be a tool of that name; did you mean defaults?',
    ],
    [
      'tools: {Bash: {detached: {run: [nope]}}}',
      'reins.yml:1:33 tools.Bash.detached.run.0: expected deny, auto, defaults, defer, or a mode with its time as in {ask: 5m}, got "nope"',
    ],
    [
      'tools: {Bash: {detached: ask}}',
      'reins.yml:1:26 tools.Bash.detached: expected deny, auto, defaults, defer, a list of them, or a map of run, deliver, question, got "ask"',
    ],
    ['rules: {allow: [~]}', 'reins.yml:1:17 rules.allow.0: expected text, got nothing'],
    ['trust: full\n---\nrules: {deny: [Bash]}', 'reins.yml:2:1: a second document begins here; a file is one'],
    ['trust: full\n---\n', 'reins.yml:2:1: a second document begins here; a file is one'],
    ['- a', 'reins.yml:1:1: a config file is a map of keys'],
    ['just words', 'reins.yml:1:1: a config file is a map of keys'],
    ['a: *b', 'reins.yml:1:4: there is no anchor b, or too many aliases'],
    ['__proto__: {trust: full}', 'reins.yml:1:1: a key must be a plain word'],
    ['? [a, b]\n: c', 'reins.yml:1:3: a key must be a plain word'],
  ])('%j', (text, message) => {
    const error = problem(text);
    expect(error.message).toBe(message);
    expect([error.code, error.exit]).toEqual(['CONFIG_INVALID', 10]);
  });

  test('a syntax error has its position', () => {
    expect(problem('cli:\n  backend: "open\n').message).toMatch(/^reins\.yml:\d+:\d+: /);
    expect(problem('cli: {backend: x\ntrust: full').message).toMatch(/^reins\.yml:\d+:\d+: /);
  });

  test('all problems of all layers come at once, at most twenty', () => {
    const box = sandbox({ 'reins.yml': 'a: 1\ncli: {b: 2}\ntrust: no', '~/.config/reins/config.yml': 'zz: 1' });
    const { message } = errorOf(() => box.load({ sets: ['nokey', 'cli.x=1'], env: { ...box.env, REINS_CFG__q: '1' } }));
    expect(message.split('\n').map((line) => line.replace(box.home, '~'))).toEqual([
      '~/.config/reins/config.yml:1:1 zz: unknown key',
      'reins.yml:1:1 a: unknown key',
      'reins.yml:2:7 cli.b: unknown key',
      'reins.yml:3:8 trust: expected guarded, full, got "no"',
      'environment REINS_CFG__q q: unknown key',
      'flag --set nokey: expected key=value, as in --set cli.backend=claude',
      'flag --set cli.x: unknown key',
    ]);
    const many = problem(Array.from({ length: 50 }, (_, index) => `zqx${index}: 1`).join('\n')).message.split('\n');
    expect(many).toHaveLength(21);
    expect(many.at(-1)).toBe('… and 30 more');
  });

  test('values that may be secrets are not shown', () => {
    const { message } = problem('adapters: {x: {env: {KEY: [sk-secret]}}}\nnotify: {webhooks: [hunter2-token]}');
    expect(message).toContain('adapters.x.env.KEY: expected text, got a list');
    expect(message).not.toMatch(/secret|hunter2/);
  });

  test('an alias bomb is refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) =>
        `a${i}: &a${i} [${Array(12)
          .fill(i ? `*a${i - 1}` : 'x')
          .join(', ')}]`,
    );
    expect(problem(levels.join('\n')).message).toContain('too large once its aliases are resolved');
    expect(problem('a: &a [*a]').code).toBe('CONFIG_INVALID');
  });

  test.each([
    ['flow', '['.repeat(100_000)],
    ['sequences in one line', '- '.repeat(100_000)],
    ['explicit keys', '? '.repeat(50_000)],
    ['empty keys', ': '.repeat(50_000)],
    ['indentation', Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ])('%s nested so deeply that the parser would die is refused', (_, text) => {
    expect(problem(text).message).toBe('reins.yml: nested too deeply to be read');
  });

  test('aliases and anchors of ordinary size work', () => {
    const { config } = sandbox({ 'reins.yml': 'cli: {args: &a [x, y]}\nconsult: {args: *a}\n' }).load();
    expect(config.consult.args).toEqual(['x', 'y']);
  });
});

describe('what cannot be read', () => {
  test('-c of a file that does not exist', () => {
    const error = errorOf(() => sandbox().load({ explicitFile: 'nope.yml' }));
    expect([error.code, error.exit]).toEqual(['CONFIG_UNREADABLE', 10]);
    expect(error.message).toMatch(/nope\.yml cannot be read: there is no such file$/);
  });

  test.each([
    ['not text', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), /it is not text$/],
    ['huge', `# ${'x'.repeat(1_100_000)}`, /larger than 256 KB$/],
  ])('a file that is %s', (_, content, message) => {
    expect(errorOf(() => sandbox({ 'reins.yml': content }).load()).message).toMatch(message);
  });

  test('a directory, a dangling link, a device, a pipe nobody writes to', () => {
    const box = sandbox();
    mkdirSync(join(box.repo, 'dir/reins.yml'), { recursive: true });
    expect(errorOf(() => box.load({ cwd: join(box.repo, 'dir') })).message).toMatch(/it is a directory$/);
    symlinkSync('/nowhere/at/all', join(box.repo, 'ralph.yml'));
    expect(errorOf(() => box.load()).message).toMatch(/there is no such file$/);
    expect(errorOf(() => box.load({ explicitFile: '/dev/zero' })).message).toMatch(/not a regular file$/);
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(box.repo, 'reins.yml')]);
    expect(errorOf(() => box.load()).message).toMatch(/not a regular file$/);
  });

  test('a byte order mark and Windows line ends are read', () => {
    const { config } = sandbox({ 'reins.yml': '\uFEFFcli:\r\n  backend: amp\r\ntrust: full\r\n' }).load();
    expect(config).toMatchObject({ cli: { backend: 'amp' }, trust: 'full' });
  });
});
