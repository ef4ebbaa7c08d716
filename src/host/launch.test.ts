import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Adapter, adapterNamed } from '../adapters/index.js';
import { adapterSettings, loadConfig } from '../config/index.js';
import type { SessionId } from '../contract/index.js';
import { planLaunch } from './launch.js';
import type { SessionRule, SessionSpec } from './spec.js';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'reins-launch-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const gemini = adapterNamed('gemini')!;

/** Gemini, as if an administrator's policies would be in this folder. */
const managed = (folder: string): Adapter => ({
  ...gemini,
  plan(ask) {
    const plan = gemini.plan(ask);
    return 'refused' in plan || !plan.voidedBy ? plan : { ...plan, voidedBy: { ...plan.voidedBy, folder } };
  },
});

function plan(adapter: Adapter, given: { deny: string[]; version?: string; trust?: 'guarded' }) {
  const { config } = loadConfig({ cwd: dir, env: { HOME: dir } });
  const rules = given.deny.map((text): SessionRule => ({ effect: 'deny', text, source: 'reins.yml:2' }));
  const agent = { adapter: 'gemini', path: '/bin/gemini', version: given.version ?? '0.61.0' };
  const spec = {
    id: 'k7f2m9qd' as SessionId,
    cwd: dir,
    trust: given.trust ?? 'full',
    config,
    rules,
    agent,
    agent_args: [],
  };
  return planLaunch(
    {
      spec: spec as unknown as SessionSpec,
      dir,
      env: { HOME: dir },
      hook: { argv: ['hook'], socket: 's', secret: 'x' },
      settings: adapterSettings(config, 'gemini'),
    },
    { adapter, mode: 'autonomous', tui: false, prompt: 'go', promptFile: join(dir, 'p.md') },
  );
}

describe('a deny rule that the agent would not keep', () => {
  it('is no reason to stop where it can be made to ask', () => {
    const { door, plan: made } = plan(managed(join(dir, 'none')), { deny: ['Read(.env)'] });
    expect(door).toBe('control');
    expect(made.files.map(({ content }) => content).join('')).not.toContain('"read_file"');
  });

  it('is refused, with the rule and why: an older version', () => {
    const why = expect.stringContaining('Read(.env) (reins.yml:2)');
    expect(() => plan(gemini, { deny: ['Read(.env)'], version: '0.50.0' })).toThrow(
      expect.objectContaining({ code: 'DENY_UNENFORCEABLE', message: why }),
    );
    expect(() => plan(gemini, { deny: [], version: '0.50.0' })).not.toThrow();
    expect(() => plan(gemini, { deny: [], version: '0.50.0', trust: 'guarded' })).toThrow(
      expect.objectContaining({ code: 'AGENT_UNGATED', message: expect.stringContaining('0.50.0') }),
    );
  });

  it('is refused, with the folder: an administrator’s policies void ours', () => {
    const folder = join(dir, 'policies');
    mkdirSync(folder);
    expect(() => plan(managed(folder), { deny: ['Bash(cat:*)'] })).not.toThrow();
    writeFileSync(join(folder, 'company.toml'), '');
    expect(() => plan(managed(folder), { deny: ['Bash(cat:*)'] })).toThrow(
      expect.objectContaining({ code: 'DENY_UNENFORCEABLE', message: expect.stringContaining(folder) }),
    );
    expect(() => plan(managed(folder), { deny: [] })).not.toThrow();
    expect(() => plan(managed(folder), { deny: [], trust: 'guarded' })).toThrow(
      expect.objectContaining({ code: 'AGENT_UNGATED', message: expect.stringContaining(folder) }),
    );
  });
});
