import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { gitStatus } from '../../proc/repository.js';
import { BUT_OURS, treeHash } from './progress.js';

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tree-'));
  made.push(dir);
  return dir;
}

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false', ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'ignore',
  });
}

function repository(): string {
  const dir = folder();
  git(dir, 'init', '-q');
  writeFileSync(join(dir, 'tracked.txt'), 'one\n');
  git(dir, 'add', '.');
  git(dir, 'commit', '-q', '-m', 'first');
  return dir;
}

describe('the tree’s hash', () => {
  test('there is none outside a repository, nor where git does not work', async () => {
    const dir = folder();
    expect(await treeHash(dir)).toBeUndefined();
    mkdirSync(join(dir, '.git'));
    expect(await treeHash(dir)).toBeUndefined();
  });

  test('is the same for the same tree, and looking changes nothing', async () => {
    const dir = repository();
    writeFileSync(join(dir, 'tracked.txt'), 'two\n');
    const index = () => [readFileSync(join(dir, '.git', 'index')).toString('hex'), statSync(join(dir, '.git')).mtimeMs];
    const before = index();
    const first = await treeHash(dir);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(await treeHash(dir)).toBe(first);
    expect(index()).toEqual(before);
  });

  const changes: [string, (dir: string) => void][] = [
    ['a changed file', (dir) => writeFileSync(join(dir, 'tracked.txt'), 'three\n')],
    ['a new file', (dir) => writeFileSync(join(dir, 'new file é.txt'), 'x')],
    ['the content of a new file', (dir) => writeFileSync(join(dir, 'untracked.txt'), 'later')],
    ['a deleted file', (dir) => rmSync(join(dir, 'tracked.txt'))],
    ['where a new link points', (dir) => symlinkSync('elsewhere', join(dir, 'link'))],
    [
      'a file deep in a new folder',
      (dir) => {
        mkdirSync(join(dir, 'a', 'b'), { recursive: true });
        writeFileSync(join(dir, 'a', 'b', 'c'), 'x');
      },
    ],
    ['a commit', (dir) => git(dir, 'commit', '-q', '--allow-empty', '-m', 'second')],
    ['what is staged', (dir) => git(dir, 'add', 'untracked.txt')],
  ];
  test.each(changes)('%s is progress', async (_, change) => {
    const dir = repository();
    writeFileSync(join(dir, 'untracked.txt'), 'first');
    const before = await treeHash(dir);
    change(dir);
    expect(await treeHash(dir)).not.toBe(before);
  });

  test('the second change to the same file is progress too', async () => {
    const dir = repository();
    const seen = new Set<string | undefined>();
    for (const words of ['aaaa', 'bbbb', 'cccc']) {
      writeFileSync(join(dir, 'tracked.txt'), words);
      seen.add(await treeHash(dir));
    }
    expect(seen.size).toBe(3);
  });

  test('a commit whose name looks like one of git’s records is no file', async () => {
    const dir = repository();
    const head = () => readFileSync(join(dir, '.git/refs/heads', 'here'), 'utf8');
    git(dir, 'checkout', '-q', '-b', 'here');
    for (let count = 0; !head().startsWith('1'); count += 1) git(dir, 'commit', '-q', '--amend', '-m', `${count}`);
    const before = await treeHash(dir);
    mkdirSync(join(dir, '.agent'));
    expect(await treeHash(dir)).toBe(before);
  });

  test.each(['.', 'sub'])('our own records and ignored files are none (from %s)', async (from) => {
    const dir = repository();
    writeFileSync(join(dir, '.gitignore'), 'ignored\n');
    mkdirSync(join(dir, 'sub'));
    const cwd = join(dir, from);
    // A hash alone does not say what made it another.
    const look = async () => ({ ...(await gitStatus(cwd, BUT_OURS)), hash: await treeHash(cwd) });
    const before = await look();
    for (const ours of ['.agent', '.reins']) {
      mkdirSync(join(cwd, ours));
      writeFileSync(join(cwd, ours, 'file.jsonl'), 'x');
    }
    writeFileSync(join(dir, 'ignored'), 'x');
    expect(await look()).toEqual(before);
    // What happens beside the working directory still counts: the agent works on the whole repository.
    writeFileSync(join(dir, 'tracked.txt'), 'changed');
    expect(await treeHash(cwd)).not.toBe(before.hash);
  });
});
