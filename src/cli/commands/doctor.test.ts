import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Folder, folder } from '../../sessions/folder.cases.js';
import { examineNode, examinePty } from '../examine.js';
import { DoctorReport } from '../output-schemas.js';
import { examine, reportText } from './doctor.js';

const known = { version: '1.2.3', tty: { present: false, reason: 'no-controlling-tty' } };
const stateOf = (here: Folder) => join(here.home, '.local', 'state', 'reins');

describe('doctor', () => {
  test('an agent that is there, with version, path and doors; the others with how to get them', async () => {
    const here = folder();
    here.program('claude', 'echo 2.1.197 "(Claude Code)"');
    const report = await examine(here, known);
    expect(DoctorReport.parse(report)).toEqual(report);
    expect(report.usable).toBe(true);
    const claude = report.agents.find((agent) => agent.id === 'claude');
    expect(claude).toMatchObject({ version: '2.1.197 (Claude Code)', path: expect.stringMatching(/bin\/claude$/) });
    expect(claude?.doors.autonomous).toMatchObject({ guarded: { door: 'control' }, full: { door: 'stream' } });
    expect(claude?.doors.interactive.guarded).toEqual({ door: 'tui', deliver: true });
    const text = reportText(report);
    expect(text).toMatch(/^claude +control \/ tui +stream \/ tui +2\.1\.197/m);
    expect(text).toContain('amp is not on PATH');
    expect(text).toMatch(/^\/dev\/tty +no +no-controlling-tty: this process has no controlling terminal/m);
    expect(text).toMatch(/^hub +– +not running/m);
    expect(text).toContain('Reins can work here.');
    expect(readdirSync(stateOf(here))).toEqual([]);
  });

  const AUTO = 'tools: {defaults: {detached: {question: auto}}}\n';
  const CODEX = 'consult: {backend: codex}\n';
  test.each<[string, string, Record<string, string>, string]>([
    ['nothing is configured', '', {}, '–  +no other agent .*; claude \\(haiku\\) could be'],
    ['the agent that would run', AUTO, {}, 'ok +claude \\(haiku\\), ready'],
    ['suggestions', 'consult: {suggest: true, model: opus}\n', {}, 'ok +claude \\(opus\\), ready'],
    ['logged in', AUTO + CODEX, { '~/.codex/auth.json': '{}' }, 'ok +codex, ready'],
    ['not logged in', AUTO + CODEX, {}, 'no +codex is not logged in .*`codex login`'],
    [
      'a login in the keyring',
      AUTO + CODEX,
      { '~/.codex/config.toml': 'cli_auth_credentials_store = "keyring"' },
      'no +Codex cannot .*keyring',
    ],
    ['missing', `${AUTO}consult: {backend: gemini}\n`, {}, 'no +gemini is not on PATH; '],
    ['no way to ask it', `${AUTO}consult: {backend: amp}\n`, {}, 'no +Amp cannot be consulted'],
    ['switched off', `${AUTO}adapters: {codex: {enabled: false}}\n${CODEX}`, {}, 'no +codex is switched off'],
    [
      'a command, unasked',
      `${AUTO}cli: {backend: custom, command: /bin/true}\n`,
      {},
      'no +/bin/true is not consulted unasked',
    ],
    ['reads', `${AUTO}consult: {reads: true}\n`, {}, 'no +consult.reads is refused for Claude'],
    ['practice', `${AUTO}consult: {backend: practice}\n`, {}, 'ok +practice \\(practice-script\\), ready'],
  ])('C18: the consultant: %s', async (_, yml, files, line) => {
    const here = folder({ 'reins.yml': yml, ...files });
    here.program('claude', 'echo 2.1.197');
    here.program('codex', 'echo 0.166.0');
    const report = await examine(here, known);
    expect(DoctorReport.parse(report)).toEqual(report);
    expect(reportText(report)).toMatch(new RegExp(`^consultant +${line}`, 'm'));
    expect(readdirSync(stateOf(here))).toEqual([]);
  });

  test('nothing found: not usable, and it says what to do', async () => {
    const here = folder();
    here.program('claude', 'exit 3');
    const report = await examine(here, known);
    expect(report.usable).toBe(false);
    expect(reportText(report)).toContain('exited with code 3');
    expect(reportText(report)).toContain('try `reins demo`');
  });

  test('a terminal is really opened here', async () => {
    expect(await examinePty(folder().env)).toEqual({ ok: true });
    expect(await examinePty({ PATH: '/nonexistent' })).toMatchObject({ ok: false });
  });

  test('a state directory that cannot be made, and a broken config, are findings', async () => {
    const here = folder({ 'reins.yml': 'trust: maybe\nx: 1\n' });
    here.program('codex', 'echo 1');
    const blocked = here.write('~/blocked', '');
    const report = await examine({ ...here, env: { ...here.env, XDG_STATE_HOME: blocked } }, known);
    expect(report.state).toMatchObject({ ok: false, dir: join(blocked, 'reins') });
    expect(report.config.ok).toBe(false);
    expect(report.usable).toBe(false);
    expect(reportText(report)).toContain('set XDG_STATE_HOME');
    expect(reportText(report)).toContain('reins.yml:2:1 x: unknown key');
  });

  test('stale hosts, an untrusted file, a nested session', async () => {
    const here = folder({ 'reins.yml': 'trust: full\ncli: {backend: custom, command: /bin/true}\n' });
    const dir = join(stateOf(here), 'sessions', 'gone1');
    mkdirSync(dir, { recursive: true });
    // A start time no process of this pid can have.
    writeFileSync(join(dir, 'host.json'), JSON.stringify({ pid: process.pid, start_ticks: 1 }));
    const report = await examine({ ...here, env: { ...here.env, REINS_SESSION: 'abc' } }, known);
    expect(report.stale_hosts).toEqual([{ session: 'gone1', pid: process.pid }]);
    const spec = {
      id: 'gone1',
      name: 'x',
      mode: 'exec',
      trust: 'guarded',
      cwd: '/',
      created_at: '2026-11-15T12:00:00Z',
    };
    writeFileSync(join(dir, 'session.json'), JSON.stringify(spec));
    expect(reportText(await examine(here, known))).toContain('end what it left with `reins stop gone1`');
    expect(report.config.untrusted).toContain('trust: full (reins.yml:1:8)');
    expect(report.agents.at(-1)).toMatchObject({ id: 'custom', path: '/bin/true' });
    expect(report.usable).toBe(true);
    const text = reportText(report);
    expect(text).toContain('reins run --continue gone1');
    expect(text).toContain('belongs to session abc');
    expect(text).toMatch(/custom, autonomous and guarded: Reins has no way to gate/);
  });

  test.each([
    ['20.19.0', true],
    ['20.18.9', false],
    ['18.20.0', false],
    ['24.0.0', true],
  ])('node %s: %s', (version, ok) => {
    expect(examineNode(version).ok).toBe(ok);
  });
});
