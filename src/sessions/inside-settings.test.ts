/** What is started inside a session: what it may not permit, and what holds from above. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { trustFile } from '../config/index.js';
import { FILES } from '../disk/index.js';
import { statOf } from '../proc/index.js';
import { capInside } from './inside-settings.js';
import { readSettings } from './settings.js';

const ABOVE = 'k7f2m9qd';
let root: string;
let env: Record<string, string>;
let host: ChildProcess;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inside-'));
  env = { HOME: root, XDG_STATE_HOME: join(root, 'state') };
  mkdirSync(join(root, 'work'));
  host = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { env, stdio: 'ignore' });
});
afterEach(() => {
  host.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

interface Above {
  hats?: object;
  depth?: number;
  parent?: string;
  by?: Pick<ChildProcess, 'pid'>;
}

/** A living session whose host is a process that a person's shell started, or another. */
function session(id: string, trust: 'guarded' | 'full', rules: object[], above: Above = {}): void {
  const { hats = {}, by = host, ...family } = above;
  const dir = join(root, 'state', 'reins', 'sessions', id);
  mkdirSync(dir, { recursive: true });
  const { startTicks } = statOf(by.pid!)!;
  writeFileSync(
    join(dir, 'host.json'),
    JSON.stringify({ pid: by.pid, start_ticks: startTicks, version: '0', protocol: 1, started_at: '' }),
  );
  const spec = {
    v: 1,
    id,
    name: id,
    mode: 'autonomous',
    cwd: root,
    trust,
    rules,
    config: { cli: {}, hats },
    seat: {},
    created_at: '2026-01-01T00:00:00Z',
    ...family,
  };
  writeFileSync(join(dir, FILES.spec), JSON.stringify(spec));
}

const where = (inside?: string) => ({ cwd: join(root, 'work'), env, ...(inside === undefined ? {} : { inside }) });
const file = (text: string): string => {
  const path = join(root, 'work', 'reins.yml');
  writeFileSync(path, text);
  return path;
};

test('a file, also one that is named, and words: none of them permits more than the session has', () => {
  session(ABOVE, 'guarded', []);
  const here = where(ABOVE);
  const path = file('rules: {allow: ["Bash(*)"], deny: [WebFetch]}');
  expect(() => capInside(here, readSettings(here))).toThrow(/belongs to one, and asks for\n {2}rules.allow: Bash/);
  expect(() => capInside(here, readSettings(here, { config: path }))).toThrow(/rules.allow/);
  rmSync(path);
  const set = (...words: string[]) => readSettings(here, { set: words });
  expect(() => capInside(here, set('tools.defaults.detached=auto'))).toThrow(/detached: auto/);
  expect(() => capInside(here, set('event_loop.gates=[{name: a, run: b}]'))).toThrow(/gates/);
  expect(() => capInside(here, set('adapters.mine.module=/x.mjs'))).toThrow(/module/);
  expect(() => capInside(here, readSettings(here, { flags: { trust: 'full' } }))).toThrow(/trust full/);
  expect(capInside(here, set('rules.deny=[WebFetch]', 'tools.defaults.detached=defer')).rules).toHaveLength(1);
});

test('a file that a person trusted as it is, and full trust above, may', () => {
  session(ABOVE, 'guarded', []);
  const path = file('rules: {allow: ["Bash(*)"]}');
  const here = where(ABOVE);
  const settings = readSettings(here);
  trustFile({ env, file: path, sha256: settings.loaded.project!.sha256 });
  expect(capInside(here, settings).rules).toHaveLength(1);
  // Of a host that this process really descends from.
  session('full2222', 'full', [], { by: process });
  file('rules: {allow: ["Bash(*)"]}\n');
  expect(capInside(where('full2222'), readSettings(where())).rules).toHaveLength(1);
});

test.runIf(process.platform === 'linux')('the user’s own file is the user’s where the session above has it too', () => {
  session(ABOVE, 'guarded', []);
  const mine = { ...env, XDG_CONFIG_HOME: join(root, 'mine') };
  for (const dir of [join(root, '.config'), mine.XDG_CONFIG_HOME]) {
    mkdirSync(join(dir, 'reins'), { recursive: true });
    writeFileSync(join(dir, 'reins', 'config.yml'), 'rules: {allow: ["Bash(*)"]}');
  }
  const here = where(ABOVE);
  expect(capInside(here, readSettings(here)).rules).toHaveLength(1);
  const chosen = { ...here, env: mine };
  expect(() => capInside(chosen, readSettings(chosen))).toThrow(/rules.allow: Bash/);

  // One step further down: a session that was started with places of its own is no witness for them.
  const by = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { env: mine, stdio: 'ignore' });
  onTestFinished(() => void by.kill('SIGKILL'));
  session('below222', 'guarded', [], { parent: ABOVE, depth: 1, by });
  const below = { ...where('below222'), env: mine };
  expect(() => capInside(below, readSettings(below))).toThrow(/rules.allow: Bash/);
  // Nor is one whose parent nobody knows, or none at all.
  session('below222', 'guarded', [], { depth: 1, by });
  expect(() => capInside(below, readSettings(below))).toThrow(/rules.allow: Bash/);
  const nowhere = { ...below, env: { ...env, XDG_STATE_HOME: join(root, 'other') } };
  expect(() => capInside(nowhere, readSettings(nowhere))).toThrow(/rules.allow: Bash/);
});

test('what is denied or asked about above holds below; what is allowed there does not', () => {
  session(ABOVE, 'guarded', [
    { effect: 'deny', text: 'Bash(git push:*)', source: 'reins.yml:1' },
    { effect: 'ask', text: 'Edit', source: 'reins.yml:2' },
    { effect: 'allow', text: 'Bash(*)', source: 'reins.yml:3' },
  ]);
  const capped = (inside?: string) =>
    capInside(where(inside), readSettings(where(inside), { set: ['rules.ask=[Edit]'] }));
  expect(capped(ABOVE).rules).toMatchObject([
    { effect: 'ask', text: 'Edit' },
    { effect: 'deny', text: 'Bash(git push:*)', source: `reins.yml:1 of session ${ABOVE}` },
  ]);
  // One that says it is in a session nobody knows gets what holds in any.
  expect(capped('zzzz2222').rules).toHaveLength(2);
});

test('what a hat of the session above may not do, what it starts may not either', () => {
  session(ABOVE, 'full', [], { hats: { a: { triggers: ['x'] }, b: { disallowed_tools: ['Edit'] } } });
  expect(capInside(where(ABOVE), readSettings(where(ABOVE))).rules).toMatchObject([
    { effect: 'deny', text: 'Edit', source: `hats.b.disallowed_tools of session ${ABOVE}` },
  ]);
});
