/** A home with a repository in it, per test, and the environment a command would see; only tests import this. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ReinsError } from '../contract/index.js';

export interface Folder {
  home: string;
  cwd: string;
  env: Record<string, string>;
  /** `reins.yml` is in the repository, `~/x` in the home directory. */
  write(name: string, content: string): string;
  /** A program on PATH, as a shell script. */
  program(name: string, script: string): void;
}

export function folder(files: Record<string, string> = {}): Folder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reins-cli-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  const cwd = join(home, 'repo');
  const bin = join(root, 'bin');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  mkdirSync(bin);
  const write = (name: string, content: string) => {
    const file = name.startsWith('~/') ? join(home, name.slice(2)) : join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  return { home, cwd, env: { HOME: home, PATH: `${bin}:/usr/bin:/bin` }, write, program };
}

/** The ReinsError that `act` throws or rejects with; anything else fails the test. */
export async function errorOf(act: () => unknown): Promise<ReinsError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ReinsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
