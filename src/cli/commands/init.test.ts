import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isTrusted, loadConfig, PRESETS } from '../../config/index.js';
import { errorOf, type Folder, folder } from '../../sessions/folder.cases.js';
import { Channels } from '../channels.js';
import type { Context } from '../context.js';
import { checkConfig } from './config.js';
import { checkFree, init, testCommand, writeConfig } from './init.js';

const quiet = (here: Folder, env: Record<string, string> = {}): Context => ({
  cwd: here.cwd,
  env: { ...here.env, ...env },
  channels: new Channels({ format: 'text', quiet: true }),
  version: '1.2.3',
  onBrokenPipe: () => undefined,
});
const trusts = (here: Folder) => isTrusted({ env: here.env, file: join(here.cwd, 'reins.yml') });

describe('init', () => {
  test('what it writes names the agent that is there, and is trusted', async () => {
    const here = folder();
    here.program('codex', 'echo codex-cli 1.0');
    expect(await init(quiet(here), {})).toBe(0);
    expect(loadConfig(here).config.cli.backend).toBe('codex');
    expect(trusts(here)).toBe(true);
  });

  test('--trust alone trusts the file that is there; an agent cannot', async () => {
    const here = folder({ 'reins.yml': 'trust: full\n' });
    const error = await errorOf(() => init(quiet(here, { REINS_SESSION: 'abc' }), { trust: true }));
    expect([error.exit, trusts(here)]).toEqual([2, false]);
    expect(await init(quiet(here), { trust: true })).toBe(0);
    expect(trusts(here)).toBe(true);
    expect(readFileSync(join(here.cwd, 'reins.yml'), 'utf8')).toBe('trust: full\n');
    expect((await errorOf(() => init(quiet(folder()), { trust: true }))).exit).toBe(2);
  });

  test('inside a session a file is written, but not trusted', async () => {
    const here = folder();
    expect(await init(quiet(here, { REINS_SESSION: 'abc' }), { agent: 'amp' })).toBe(0);
    expect(trusts(here)).toBe(false);
  });

  test('N2: a folder that is gone is said so, before an agent is looked for', async () => {
    const here = folder();
    const gone = { ...quiet(here), cwd: join(here.cwd, 'gone') };
    const error = await errorOf(() => init(gone, {}));
    expect([error.code, error.exit]).toEqual(['CWD_INACCESSIBLE', 21]);
  });

  test('an agent or a preset nobody knows', async () => {
    expect((await errorOf(() => init(quiet(folder()), { agent: 'cluade' }))).exit).toBe(2);
    expect((await errorOf(() => init(quiet(folder()), { preset: 'x' }))).exit).toBe(2);
  });

  test.each(PRESETS)('preset %s: a small commented file without a finding', (preset) => {
    const here = folder();
    const file = writeConfig(here, { agent: 'codex', preset });
    expect(readFileSync(file, 'utf8')).toMatch(/^#/);
    expect(checkConfig(here)).toEqual({ ok: true, files: ['reins.yml'], errors: [], warnings: [] });
    expect(loadConfig(here).config).toMatchObject({ cli: { backend: 'codex' }, trust: 'guarded' });
  });

  test('the project’s own tests become the gate', () => {
    const here = folder({ 'package.json': '{"scripts": {"test": "vitest run"}}' });
    writeConfig(here, { agent: 'auto', preset: 'loop' });
    expect(loadConfig(here).config.event_loop.gates).toMatchObject([{ name: 'tests', run: 'npm test' }]);
  });

  test.each([
    [{ 'package.json': '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' }, undefined],
    [{ 'package.json': 'null' }, undefined],
    [{ 'package.json': '{' }, undefined],
    [{ 'Cargo.toml': '' }, 'cargo test'],
    [{ 'go.mod': '' }, 'go test ./...'],
    [{}, undefined],
  ])('tests of %j: %s', (files, command) => {
    expect(testCommand(folder(files as Record<string, string>).cwd)).toBe(command);
  });

  test('nothing is replaced or shadowed without --force', async () => {
    const here = folder({ 'reins.yml': 'trust: full\n' });
    expect((await errorOf(() => checkFree(here, {}))).exit).toBe(2);
    expect((await errorOf(() => writeConfig(here, { agent: 'auto', preset: 'default' }))).exit).toBe(2);
    expect(readFileSync(join(here.cwd, 'reins.yml'), 'utf8')).toBe('trust: full\n');
    expect((await errorOf(() => checkFree(folder({ 'ralph.yml': '' }), {}))).hint).toContain('config migrate');

    checkFree(here, { force: true });
    writeConfig(here, { agent: 'auto', preset: 'default', force: true });
    expect(loadConfig(here).config.trust).toBe('guarded');
  });
});
