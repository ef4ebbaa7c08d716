import { describe, expect, test } from 'vitest';
import { trustFile } from '../config/index.js';
import { errorOf, folder } from './folder.cases.js';
import { checkFolderTrust, loadSettings, type SettingsAsk, trustFolder, untrustedParts } from './settings.js';

const wanted = (files: Record<string, string>, ask: SettingsAsk = {}) => {
  const here = folder(files);
  return untrustedParts(here, loadSettings(here, ask)).map((part) => part.what);
};

describe('loadSettings', () => {
  test('values, where they come from, and what decides trust', () => {
    const here = folder({
      '~/.config/reins/config.yml': 'tools: {Bash: {detached: defer}}',
      'reins.yml': 'rules:\n  deny: ["Bash(rm:*)"]\ntools: {"my tool": {attached: {run: deny}}}\n',
    });
    const settings = loadSettings(here, { set: ['trust=guarded'] });
    expect(settings.rules).toEqual([{ text: 'Bash(rm:*)', effect: 'deny', source: 'reins.yml:2', layer: 'project' }]);
    expect(settings.sources['tools.Bash.detached.run']).toBe(`${here.home}/.config/reins/config.yml:1:26`);
    expect(settings.sources['tools.my tool.attached.run']).toMatch(/^reins\.yml:3:/);
    expect([settings.trust, settings.trustSource]).toEqual(['guarded', 'flag --set trust']);
  });

  test('without any file: guarded, by default', () => {
    expect(loadSettings(folder())).toMatchObject({ trust: 'guarded', trustSource: 'default', rules: [], sources: {} });
  });

  test('a rule nobody can read stops everything, with file and line', async () => {
    const here = folder({ 'reins.yml': 'rules:\n  deny:\n    - Bash(rm\n    - "Read(../x)"\n' });
    const error = await errorOf(() => loadSettings(here));
    expect(error.exit).toBe(10);
    expect(error.message).toContain('reins.yml:3 rules.deny: Bash(rm: the closing ) is missing (character 8)');
    expect(error.message).toContain('reins.yml:4 rules.deny: Read(../x):');
  });
});

describe('a file that comes with a clone', () => {
  test.each([
    ['trust: full', ['trust: full']],
    ['rules: {allow: ["Bash(*)"]}', ['rules.allow: Bash(*)']],
    ['tools: {defaults: {detached: auto}}', ['tools.defaults.detached: auto']],
    ['tools: {Bash: {attached: {run: auto}}}', ['tools.Bash.attached.run: auto']],
    ['notify: {command: ./x}', ['notify.command: ./x']],
    ['event_loop: {gates: [{name: t, run: ./x}]}', 1],
    ['adapters: {claude: {args: [--dangerously-skip-permissions]}}', 1],
    ['cli: {backend: custom, command: ./x, acp: true}', ['cli.command: ./x', 'cli.acp: true']],
    ['cli: {backend: custom, command: ./x, args: [a]}', ['cli.command: ./x', 'cli.args: ["a"]']],
    ['adapters: {claude: {env: {NODE_OPTIONS: --require=./x}}}', ['adapters.claude.env.NODE_OPTIONS']],
    ['consult: {backend: custom}\ncli: {command: ./x}', ['consult.backend: custom', 'cli.command: ./x']],
  ])('%s must be trusted', (text, parts) => {
    const found = wanted({ 'reins.yml': text });
    if (typeof parts === 'number') expect(found).toHaveLength(parts);
    else expect(found).toEqual(parts);
  });

  test.each([
    'trust: guarded',
    'cli: {backend: codex, idle_timeout_secs: 5}',
    'rules: {deny: [Bash], ask: [Edit]}',
    'tools: {defaults: {detached: defer, attached: {deliver: auto}}}',
  ])('%s needs no trust', (text) => {
    expect(wanted({ 'reins.yml': text })).toEqual([]);
  });

  test('what the user says never needs trust: own file, -c, environment, --set, flags', () => {
    expect(wanted({ '~/.config/reins/config.yml': 'trust: full' })).toEqual([]);
    expect(wanted({ 'mine.yml': 'trust: full\nnotify: {command: x}' }, { config: 'mine.yml' })).toEqual([]);
    expect(wanted({}, { set: ['trust=full', 'rules.allow=[Bash]'] })).toEqual([]);
    expect(wanted({}, { flags: { trust: 'full' } })).toEqual([]);
    const here = folder({ 'reins.yml': 'cli: {backend: codex}' });
    here.env.REINS_TRUST = 'full';
    expect(untrustedParts(here, loadSettings(here))).toEqual([]);
  });

  test('R3: under a full the user gave, allowing adds nothing; what is run does', () => {
    const full = { flags: { trust: 'full' } } as const;
    expect(wanted({ 'reins.yml': 'rules: {allow: [Bash]}\ntools: {Bash: {detached: auto}}' }, full)).toEqual([]);
    for (const text of ['notify: {command: x}', 'cli: {command: ./x}', 'adapters: {amp: {args: [y]}}']) {
      expect(wanted({ 'reins.yml': text }, full)).toHaveLength(1);
      expect(wanted({ 'ralph.yml': text }, full)).toHaveLength(1);
    }
    expect(wanted({ 'reins.yml': 'rules: {allow: [Bash]}\ntrust: full' })).toContain('rules.allow: Bash');
  });

  test('--trust guarded takes back the file’s trust, and nothing else', () => {
    const text = 'trust: full\nrules: {allow: [Bash]}';
    expect(wanted({ 'reins.yml': text }, { flags: { trust: 'guarded' } })).toEqual(['rules.allow: Bash']);
  });

  test.each([
    ['cli: {backend: custom, command: ./x}', 'cli.command: ./x'],
    ['event_loop: {gates: [{name: t, run: ./x}]}', 'event_loop.gates: [{"name":"t","run":"./x","timeout_secs":300}]'],
    ['adapters: {claude: {env: {NODE_OPTIONS: --require=./x}}}', 'adapters.claude.env.NODE_OPTIONS'],
    ['adapters: {claude: {args: [--settings=x]}}', 'adapters.claude.args: ["--settings=x"]'],
  ])('R3: ralph.yml with %s must be trusted, and that it means full too', (text, what) => {
    expect(wanted({ 'ralph.yml': text })).toEqual([what, 'trust: full']);
    expect(wanted({ 'ralph.yml': text }, { flags: { trust: 'guarded' } })).toEqual([what]);
    const here = folder({ 'ralph.yml': text });
    trustFolder(here, loadSettings(here));
    expect(untrustedParts(here, loadSettings(here))).toEqual([]);
  });

  test('R3: a ralph.yml alone means full, and is not followed unasked', () => {
    expect(wanted({ 'ralph.yml': 'event_loop: {prompt: x}' })).toEqual(['trust: full']);
    expect(wanted({ 'ralph.yml': 'event_loop: {prompt: x}' }, { flags: { trust: 'full' } })).toEqual([]);
    expect(wanted({ 'ralph.yml': 'trust: guarded' })).toEqual([]);
  });

  test('the error names what and where; trusted once it is quiet, changed it asks anew', async () => {
    const here = folder({ 'reins.yml': 'trust: full\nrules: {allow: [Bash]}\n' });
    const error = await errorOf(() => checkFolderTrust(here, loadSettings(here)));
    expect([error.code, error.exit]).toEqual(['FOLDER_UNTRUSTED', 10]);
    expect(error.message).toContain('\n  trust: full (reins.yml:1:8)\n  rules.allow: Bash (reins.yml:2)');
    expect(error.hint).not.toContain('--trust guarded');

    trustFolder(here, loadSettings(here));
    checkFolderTrust(here, loadSettings(here));
    here.write('reins.yml', 'trust: full\n');
    const again = await errorOf(() => checkFolderTrust(here, loadSettings(here)));
    expect(again.hint).toContain('; or pass --trust guarded');
    expect(again.hint).toContain('reins init --trust');
    expect(again.hint).toContain('--trust-folder');
  });

  test('trusted by its real path: the same file elsewhere is another file', () => {
    const [here, there] = [folder({ 'reins.yml': 'trust: full' }), folder({ 'reins.yml': 'trust: full' })];
    trustFile({ env: here.env, file: `${there.cwd}/reins.yml` });
    expect(untrustedParts(here, loadSettings(here))).toHaveLength(1);
  });
});
