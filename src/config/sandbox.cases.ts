/** A folder per test with a home, a repository in it and whatever files the test wants; only tests import this. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ReinsError } from '../contract/index.js';
import { type LoadedConfig, type LoadOptions, loadConfig } from './load.js';

export interface Sandbox {
  root: string;
  home: string;
  /** A repository inside the home directory. */
  repo: string;
  env: Record<string, string>;
  load(options?: Partial<LoadOptions>): LoadedConfig;
}

/** Files by path: `reins.yml` is in the repository, `~/x` in the home directory. */
export function sandbox(files: Record<string, string | Uint8Array> = {}): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reins-config-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  const repo = join(home, 'work', 'repo');
  mkdirSync(join(repo, '.git'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = name.startsWith('~/') ? join(home, name.slice(2)) : join(repo, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const env = { HOME: home };
  return { root, home, repo, env, load: (options) => loadConfig({ cwd: repo, env, ...options }) };
}

/** The ReinsError that `act` throws; anything else fails the test. */
export function errorOf(act: () => unknown): ReinsError {
  try {
    act();
  } catch (error) {
    if (error instanceof ReinsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
