/**
 * A session goes on, and its agent has been in the folder meanwhile: what it wrote into the config to permit itself more, or
 * to be held back less, is not followed unasked. What a person says is.
 */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SESSION_MARK } from '../contract/index.js';
import { errorOf, type Folder, folder } from './folder.cases.js';
import type { StartPorts } from './ports.js';
import { saidOf } from './said.js';
import { loadSettings, trustFolder } from './settings.js';
import { type AgainAsk, settingsAgain } from './settings-again.js';
import { checkedSettings, type RunAsk } from './settings-run.js';

const QUIET: StartPorts = { tell: () => undefined };
const GUARDED = 'rules: {deny: ["Bash(rm:*)"], ask: ["Edit"]}\nevent_loop: {gates: [{name: t, run: npm test}]}\n';

/** As it was when a session began here. */
function begun(here: Folder, ask: RunAsk = {}): AgainAsk['old'] {
  const settings = checkedSettings(here, ask);
  const said = saidOf(here, ask, { settings, promptFromFiles: false });
  const { rules, sources, trust, loaded } = settings;
  return {
    id: 'abcdefgh',
    cwd: here.cwd,
    config: loaded.config,
    rules,
    sources,
    trust,
    said,
  } as unknown as AgainAsk['old'];
}

const again = (here: Folder, old: AgainAsk['old'], ask: RunAsk = {}, ports = QUIET) =>
  settingsAgain(here, { old, ask, ports });

describe('a file that was changed since', () => {
  test.each([
    ['trust: full', 'trust: full'],
    ['rules: {deny: ["Bash(rm:*)"], ask: ["Edit"], allow: ["Bash(*)"]}', 'rules.allow: Bash(*)'],
    [GUARDED.replace('npm test', './mine.sh'), './mine.sh'],
    [GUARDED.replace('deny: ["Bash(rm:*)"], ', ''), 'no longer rules.deny: Bash(rm:*)'],
    [GUARDED.replace(', ask: ["Edit"]', ''), 'no longer rules.ask: Edit'],
    [GUARDED.replace(/event_loop.*/s, ''), 'no longer the gate t: npm test'],
    ['tools: {defaults: {detached: auto}}', 'tools.defaults.detached: auto'],
    ['adapters: {claude: {env: {NODE_OPTIONS: --require=./x}}}', 'adapters.claude.env.NODE_OPTIONS'],
    ['', 'no longer the gate t'],
  ])('%j is not followed unasked', async (text, line) => {
    const here = folder({ 'reins.yml': GUARDED });
    const old = begun(here);
    here.write('reins.yml', text);
    const error = await errorOf(() => again(here, old));
    expect([error.code, error.exit]).toEqual(['CONFIG_EDITED', 10]);
    expect(error.message).toContain(line);
    expect(error.hint).toContain('--trust-folder');
  });

  test.each([
    ['adapters: {claude: {env: {A: one}}}', 'adapters: {claude: {env: {A: two}}}', 'adapters.claude.env.A'],
    ['notify: {webhooks: [https://a.example/x]}', 'notify: {webhooks: [https://b.example/x]}', 'notify.webhooks'],
    [`cli: {args: [${'x'.repeat(3000)}y]}`, `cli: {args: [${'x'.repeat(3000)}z]}`, 'cli.args'],
    [
      'tools: {Bash: {detached: [{ask: 1h}, auto]}}',
      'tools: {Bash: {detached: [{ask: 1s}, auto]}}',
      'tools.Bash.detached',
    ],
    [
      'hats: {a: {triggers: [task.start], disallowed_tools: [Edit, Write]}}',
      'hats: {a: {triggers: [task.start], disallowed_tools: [Edit]}}',
      'no longer hats.a.disallowed_tools: Write',
    ],
    ['hats: {a: {triggers: [task.start], disallowed_tools: [Edit]}}', '', 'no longer hats.a.disallowed_tools: Edit'],
    ['tools: {Bash: {attached: deny}}', 'tools: {Bash: {attached: ask}}', 'tools.Bash.attached.run'],
    ['tools: {defaults: {attached: deny}}', 'tools: {defaults: {attached: deny}, Bash: {attached: ask}}', 'tools.Bash'],
  ])('%#: what its words do not show, or what held the agent back', async (before, after, line) => {
    const here = folder({ 'reins.yml': before });
    const old = begun(here);
    expect((await again(here, old)).trust).toBe('guarded');
    here.write('reins.yml', after);
    const error = await errorOf(() => again(here, old));
    expect(error.code).toBe('CONFIG_EDITED');
    expect(error.message).toContain(line);
  });

  test('what it held back from the user’s own file is not let go unasked either', async () => {
    const user = 'trust: full\ntools: {Bash: {detached: auto}}\n';
    const here = folder({ '~/.config/reins/config.yml': user, 'reins.yml': 'trust: guarded\n' });
    const old = begun(here);
    here.write('reins.yml', '');
    expect((await errorOf(() => again(here, old))).message).toContain('no longer trust: guarded');
    expect((await again(here, old, { trust: 'full' })).trust).toBe('full');
    const denies = folder({ '~/.config/reins/config.yml': user, 'reins.yml': 'tools: {Bash: {detached: deny}}\n' });
    const before = begun(denies);
    denies.write('reins.yml', '');
    expect((await errorOf(() => again(denies, before))).message).toContain('tools.Bash.detached');
    // Tighter is no question.
    denies.write('reins.yml', 'tools: {Bash: {detached: deny, attached: deny}}\n');
    expect((await again(denies, before)).loaded.config.tools.Bash).toBeDefined();
  });

  test('L4: what it says anew and words of before stand over is told, with how to change it', async () => {
    const here = folder({ 'reins.yml': 'event_loop: {max_iterations: 5, stall_iterations: 3}\n' });
    const old = begun(here, { maxIterations: 2, set: ['event_loop.stall_iterations=7', 'cli.backend=practice'] });
    const told = async (ask: RunAsk = {}) => {
      const lines: string[] = [];
      await again(here, old, ask, { tell: (line) => lines.push(line) });
      return lines;
    };
    expect(await told()).toEqual([]);
    here.write('reins.yml', 'event_loop: {max_iterations: 9, stall_iterations: 4}\n');
    expect(await told()).toEqual([
      'event_loop.max_iterations stays 2, as --max-iterations said before, although reins.yml:1:30 says 9; to change it, say it anew with --set',
      'event_loop.stall_iterations stays 7, as --set event_loop.stall_iterations said before, although reins.yml:1:51 says 4; to change it, say it anew with --set',
    ]);
    expect(await told({ maxIterations: 4, set: ['event_loop.stall_iterations=1'] })).toEqual([]);
    here.write('reins.yml', 'event_loop: {max_iterations: 2}\n');
    expect(await told()).toEqual([]);
    const secret = folder({ 'reins.yml': '' });
    const before = begun(secret, { set: ['adapters.claude.env.KEY=geheim'] });
    secret.write('reins.yml', 'adapters: {claude: {env: {KEY: other}}}\n');
    const lines: string[] = [];
    await again(secret, before, {}, { tell: (line) => lines.push(line) }).catch(() => undefined);
    expect(lines.join()).toMatch(/adapters\.claude\.env\.KEY stays as --set \S+ said before/);
    expect(lines.join()).not.toMatch(/geheim|other/);
  });

  test('removed, replaced by a ralph.yml, or hidden behind a new reins.yml: the same', async () => {
    const here = folder({ 'reins.yml': GUARDED });
    const old = begun(here);
    rmSync(join(here.cwd, 'reins.yml'));
    expect((await errorOf(() => again(here, old))).message).toContain('no longer rules.deny');
    here.write('ralph.yml', '');
    expect((await errorOf(() => again(here, old))).message).toContain('trust: full');
    const plain = folder({ 'ralph.yml': 'trust: guarded\n' });
    const before = begun(plain);
    plain.write('reins.yml', 'trust: full\n');
    expect((await errorOf(() => again(plain, before))).message).toContain('trust: full');
  });

  test('the file is as it was, but the prompt it names leads out of the folder now', async () => {
    const here = folder({ 'reins.yml': 'event_loop: {prompt_file: task.md}\n', 'task.md': 'go', '~/key': 'secret' });
    const old = begun(here);
    expect((await again(here, old)).loaded.config.event_loop.prompt_file).toBe('task.md');
    rmSync(join(here.cwd, 'task.md'));
    symlinkSync(join(here.home, 'key'), join(here.cwd, 'task.md'));
    expect((await errorOf(() => again(here, old))).message).toContain('event_loop.prompt_file');
  });

  test('a person may say yes: when asked, with --trust-folder, by init --trust, with -c', async () => {
    const here = folder({ 'reins.yml': '' });
    const old = begun(here);
    here.write('reins.yml', 'trust: full\n');
    const asked: unknown[] = [];
    const mayFollow = async (...question: unknown[]) => asked.push(question) > 1;
    expect((await errorOf(() => again(here, old, {}, { ...QUIET, mayFollow }))).code).toBe('CONFIG_EDITED');
    expect(asked).toEqual([['reins.yml', ['  trust: full (reins.yml:1:8)'], 'changed']]);
    expect((await again(here, old, { trustFolder: true })).trust).toBe('full');
    expect((await again(here, old, { config: join(here.cwd, 'reins.yml') })).trust).toBe('full');
    expect((await errorOf(() => again(here, old))).code).toBe('CONFIG_EDITED');
    expect((await again(here, old, {}, { ...QUIET, mayFollow })).trust).toBe('full');
    // That was for good.
    expect((await again(here, old)).trust).toBe('full');
    here.write('reins.yml', 'trust: full # changed again\n');
    expect((await errorOf(() => again(here, old))).code).toBe('CONFIG_EDITED');
    trustFolder(here, loadSettings(here));
    expect((await again(here, old)).trust).toBe('full');
  });

  test('inside a session nobody can say yes, and full trust is not to be had', async () => {
    const here = folder({ 'reins.yml': '' });
    const old = begun(here);
    const inside = { ...here, env: { ...here.env, [SESSION_MARK]: 'zzzzzzzz' } };
    const ports = { ...QUIET, mayFollow: async () => true };
    expect((await errorOf(() => again(inside, old, { trust: 'full' }, ports))).message).toContain('may not start');
    here.write('reins.yml', 'rules: {allow: ["Bash(*)"]}\n');
    expect((await errorOf(() => again(inside, old, {}, ports))).code).toBe('CONFIG_EDITED');
    expect((await errorOf(() => again(inside, old, { trustFolder: true }, ports))).message).toContain('may not trust');
    // Nor to go on with one that has it already.
    const full = begun(here, { trust: 'full' });
    expect((await errorOf(() => again(inside, full, {}, ports))).message).toContain('may not start');
  });
});

describe('words', () => {
  test('those of the start stand, new ones go on top, and the file is read again below them', async () => {
    const here = folder({ 'reins.yml': 'event_loop: {max_iterations: 5, cooldown_seconds: 1}\n' });
    const old = begun(here, { maxIterations: 7, set: ['event_loop.cooldown_seconds=2'], trust: 'full' });
    here.write('reins.yml', 'event_loop: {max_iterations: 50, cooldown_seconds: 9, stall_iterations: 8}\n');
    const plain = (await again(here, old)).loaded.config;
    expect(plain.event_loop).toMatchObject({ max_iterations: 7, cooldown_seconds: 2, stall_iterations: 8 });
    expect(plain.trust).toBe('full');
    const set = ['event_loop.max_iterations=9', 'event_loop.cooldown_seconds=3'];
    expect((await again(here, old, { set })).loaded.config.event_loop).toMatchObject({
      max_iterations: 9,
      cooldown_seconds: 3,
    });
    expect((await again(here, old, { maxIterations: 11 })).loaded.config.event_loop.max_iterations).toBe(11);
  });

  test('a file that cannot be read any more is an error that names it', async () => {
    const here = folder({ 'reins.yml': '' });
    const old = begun(here);
    here.write('reins.yml', 'event_loop: {max_iterations: many}\n');
    const error = await errorOf(() => again(here, old));
    expect([error.code, error.exit]).toEqual(['CONFIG_INVALID', 10]);
    expect(error.message).toContain('reins.yml:1');
  });

  test('the file of -c is read again where it was, and judged like any other', async () => {
    const here = folder({ 'mine.yml': '' });
    const old = begun(here, { config: 'mine.yml' });
    expect(old.said.config).toBe(join(here.cwd, 'mine.yml'));
    here.write('mine.yml', 'event_loop: {max_iterations: 3}\n');
    expect((await again(here, old)).loaded.config.event_loop.max_iterations).toBe(3);
    here.write('mine.yml', 'trust: full\n');
    expect((await errorOf(() => again(here, old))).code).toBe('CONFIG_EDITED');
  });
});
