import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../config/index.js';
import { CODES } from '../../contract/index.js';
import { errorOf, folder } from '../../sessions/folder.cases.js';
import { publishedSchema } from '../output-schemas.js';
import { effectiveFor, effectiveText, explained, explainLines, valueAt, valueText } from '../show-config.js';
import { checkConfig, planMigration, writeNew } from './config.js';

const load = (files: Record<string, string>, sets: string[] = []) => {
  const here = folder(files);
  return loadConfig({ cwd: here.cwd, env: here.env, sets });
};

describe('config show', () => {
  test('what it prints loads to the same config', () => {
    const text = `
cli: {backend: custom, command: ./a, args: ["-x", "1"]}
tools:
  defaults: {detached: [{ask: 5m}, auto, defer], attached: {run: deny}}
  Bash: {detached: {run: auto, question: defaults}, questions: {db: {answer: pg}}}
hats: {a: {triggers: [task.start], instructions: "two\\nlines"}}
rules: {allow: ["Bash(npm test:*)"]}
event_loop: {gates: [{name: t, run: npm test}]}
`;
    const loaded = load({ 'reins.yml': text });
    const shown = valueText(valueAt(loaded));
    expect(parse(shown).tools.defaults.detached).toEqual([{ ask: 300 }, 'auto', 'defer']);
    expect(load({ 'reins.yml': shown }).config).toEqual(loaded.config);
  });

  test('the secret of a webhook is hidden, whichever way it is asked for', () => {
    const secret = 'hunter2-and-some-more';
    const hook = (more: string) => `notify: {webhooks: [{url: "https://a.example/x", secret: ${secret}${more}}]}`;
    const loaded = load({ '~/.config/reins/config.yml': hook('-too'), 'reins.yml': hook('') });
    expect(loaded.config.notify.webhooks[0]).toMatchObject({ secret });
    const keys = [undefined, 'notify', 'notify.webhooks'];
    const shown = keys.flatMap((key) => [
      valueText(valueAt(loaded, key)),
      ...explainLines(loaded, key),
      JSON.stringify([valueAt(loaded, key), explained(loaded, key)]),
    ]);
    expect(shown.join('\n')).not.toContain('hunter2');
    expect(valueAt(loaded, 'notify.webhooks')).toMatchObject([{ url: 'https://a.example/x', secret: '(hidden)' }]);
  });

  test('one key: a text as it is, a part as YAML, what is not set as nothing, what is not known as an error', async () => {
    const loaded = load({ 'reins.yml': 'cli: {backend: codex}\ntools: {Bash: {detached: auto}}' });
    expect(valueText(valueAt(loaded, 'cli.backend'))).toBe('codex\n');
    expect(valueText(valueAt(loaded, 'tools'))).toBe('defaults: {}\nBash:\n  detached: auto\n');
    expect(valueAt(loaded, 'tools.Bash.detached.run')).toBe('auto');
    expect(valueAt(loaded, 'cli.command')).toBeUndefined();
    expect((await errorOf(() => valueAt(loaded, 'cli.bakend'))).message).toContain('did you mean cli.backend?');
  });

  test('--explain: each value with its place and what it overrode, each rule with its own', () => {
    const files = {
      '~/.config/reins/config.yml': 'rules: {allow: [Read]}',
      'reins.yml': 'cli:\n  backend: amp\nrules:\n  allow: ["Bash(ls)"]\n',
    };
    const loaded = load(files, ['cli.backend=kiro']);
    expect(explainLines(loaded, 'cli.backend')).toEqual([
      'cli.backend: kiro  # flag --set cli.backend, over amp (reins.yml:2:12)',
    ]);
    expect(explainLines(loaded, 'cli.command')).toEqual(['cli.command: –  # not set']);
    const [first, second] = explainLines(loaded, 'rules.allow');
    expect(first).toMatch(/^rules\.allow: Read {2}# .*config\.yml:1$/);
    expect(second).toBe('rules.allow: Bash(ls)  # reins.yml:4');
    expect(explainLines(loaded).length).toBeGreaterThan(30);
  });

  test('--effective: the cascade per kind with its source, under any agent’s name for the tool', () => {
    const loaded = load({
      'reins.yml': 'tools:\n  Bash: {detached: [{ask: 5m}, defer]}\nrules: {deny: ["Bash(rm:*)", Edit]}\ntrust: full\n',
    });
    const effective = effectiveFor(loaded, 'run_shell_command');
    expect(effective.detached.run).toMatchObject({ via: 'tools.Bash.detached', source: 'reins.yml:2:20' });
    expect(effective.attached.run).toMatchObject({ ladder: [{ mode: 'ask' }], via: 'built in' });
    expect(effective.rules.map((rule) => rule.text)).toEqual(['Bash(rm:*)']);
    const text = effectiveText(effective);
    expect(text).toMatch(/detached +run +ask for 5m00s, then defer +tools\.Bash\.detached +reins\.yml:2:20/);
    expect(text).toContain('deny Bash(rm:*) (reins.yml:3)');
    expect(text).toContain('trust: full (reins.yml:4:8)');
  });
});

describe('config check', () => {
  const check = (files: Record<string, string>) => checkConfig(folder(files));

  test('nothing wrong, with and without files', () => {
    expect(check({})).toEqual({ ok: true, files: [], errors: [], warnings: [] });
    expect(check({ 'reins.yml': 'cli: {backend: codex}' })).toMatchObject({ ok: true, files: ['reins.yml'] });
  });

  test('all problems of the schema at once, each with its place', () => {
    const { ok, errors } = check({ 'reins.yml': 'cli:\n  bakend: x\ntrust: maybe\nevent_loop: {gates: [{run: x}]}\n' });
    expect(ok).toBe(false);
    expect(errors).toHaveLength(3);
    expect(errors[0]).toContain('reins.yml:2:3 cli.bakend: unknown key, did you mean');
    expect(errors[2]).toContain('event_loop.gates.0.name');
  });

  test.each([
    ['rules: {allow: ["Bash(ls"]}', 'reins.yml:1 rules.allow: Bash(ls: the closing ) is missing'],
    ['cli: {backend: cluade}', 'reins.yml:1:16 cli.backend: cluade is not a backend Reins knows'],
    ['cli: {backend: custom}', 'the custom backend requires a command'],
    ['hats: {a: {triggers: [x], backend: nope}}\nevent_loop: {starting_event: x}', 'hats.a.backend: nope is not'],
    [
      'hats: {a: {triggers: [task.start]}, b: {triggers: [task.start]}}',
      'hats a and b are both triggered by task.start',
    ],
  ])('%s is an error', (text, said) => {
    const { ok, errors } = check({ 'reins.yml': text });
    expect(ok).toBe(false);
    expect(errors.join('\n')).toContain(said);
  });

  test.each([
    [
      'rules: {deny: [Bash], allow: ["Bash(ls)"]}',
      'reins.yml:1 rules.allow: Bash(ls) never decides anything: deny Bash',
    ],
    ['adapters: {cluade: {timeout: 1}}', 'adapters.cluade: no agent of that name'],
    ['cli: {backend: custom, command: ./x}', '`trust: guarded` refuses it'],
    ['event_loop: {gates: [{name: t, run: a}, {name: t, run: b}]}', 'two gates are called t'],
    ['hats: {a: {triggers: [task.start], publishes: [x]}}', 'hat a publishes x, and no hat is triggered by it'],
    ['hats: {a: {triggers: [x]}}', 'event_loop.starting_event: no hat is triggered by the starting event task.start'],
    ['trust: full', 'reins.yml is not trusted yet'],
    ['cli: {pty_mode: true}', 'cli.default_mode: interactive'],
    ['hub: {port: 8000}', 'no effect in a project’s file, only in your own: hub.port (reins.yml:1:13)'],
  ])('%s is a warning', (text, said) => {
    const { ok, warnings } = check({ 'reins.yml': text });
    expect(ok).toBe(true);
    expect(warnings.join('\n')).toContain(said);
  });

  test('a file that cannot be read is a problem, not a crash', () => {
    const here = folder();
    expect(checkConfig(here, { config: 'absent.yml' })).toMatchObject({ ok: false });
  });
});

describe('config schema', () => {
  test.each(['ls', 'inbox', 'screen', 'send', 'events', 'answer', 'policy', 'doctor'])('--of %s', (of) => {
    const schema = publishedSchema(of) as { $schema: string };
    expect(schema.$schema).toContain('json-schema.org');
    // Readers ignore what they do not know: nothing we publish forbids a field added later.
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  });

  test('of reins.yml every key, and an unknown name is a usage error', async () => {
    const keys = Object.keys((publishedSchema(undefined) as { properties: object }).properties);
    expect(keys).toEqual(expect.arrayContaining(['cli', 'adapters', 'trust', 'tools', 'rules', 'event_loop', 'hats']));
    expect((await errorOf(() => publishedSchema('toString'))).exit).toBe(CODES.USAGE.exit);
  });
});

describe('config migrate', () => {
  test('Given a ralph.yml with pty_mode, when migrated, then it is today’s reins.yml and means the same', () => {
    const here = folder({ 'ralph.yml': '# mine\ncli:\n  pty_mode: true # typed\n  backend: claude\n' });
    const before = loadConfig(here);
    const migration = planMigration(before, here.env);
    expect(migration.text).toContain('# mine');
    expect(migration.changes).toHaveLength(2);
    writeNew(migration);
    const after = loadConfig(here);
    expect(after.projectKind).toBe('reins');
    expect(after.config).toEqual(before.config);
  });

  test('a reins.yml that is there is never replaced', async () => {
    const here = folder({ 'reins.yml': 'cli: {pty_mode: false}\n' });
    const migration = planMigration(loadConfig(here), here.env);
    expect((await errorOf(() => writeNew(migration))).exit).toBe(2);
    expect(readFileSync(join(here.cwd, 'reins.yml'), 'utf8')).toBe('cli: {pty_mode: false}\n');
  });

  test('without a file there is nothing to migrate', async () => {
    expect((await errorOf(() => planMigration(loadConfig(folder()), {}))).exit).toBe(2);
  });
});
