import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { git, hostileRepository, put, tempFolder } from './git.cases.js';
import { readIndex } from './git-index.js';
import { gitDiff, gitStatus, mayBeCommitted } from './repository.js';

const ran = (log: string) => (existsSync(log) ? readFileSync(log, 'utf8') : '');
const PATHS = [':/'];

function hostileEnvironment(repo: ReturnType<typeof hostileRepository>): void {
  const evil = join(repo.dir, '../evil');
  vi.stubEnv('HOME', repo.home);
  vi.stubEnv('PATH', `.:${repo.dir}:${process.env.PATH}`);
  vi.stubEnv('GIT_EXTERNAL_DIFF', join(evil, 'diff'));
  vi.stubEnv('GIT_PAGER', join(evil, 'pager'));
  vi.stubEnv('GIT_SSH_COMMAND', join(evil, 'ssh'));
  vi.stubEnv('GIT_CONFIG_COUNT', '1');
  vi.stubEnv('GIT_CONFIG_KEY_0', 'core.fsmonitor');
  vi.stubEnv('GIT_CONFIG_VALUE_0', join(evil, 'fsmonitor'));
}

describe('R5: our own git runs nothing of the repository’s', () => {
  test('R5: git status of a hostile repository: the canaries would sing, and do not for us', async () => {
    const repo = hostileRepository();
    try {
      execFileSync('git', ['status', '--porcelain=v2'], {
        cwd: repo.dir,
        env: { PATH: process.env.PATH, HOME: repo.home },
        stdio: 'ignore',
      });
    } catch {
      // A filter that fails may fail it; what counts is that it was started.
    }
    expect(ran(repo.log)).toMatch(/fsmonitor/);
    expect(ran(repo.log)).toMatch(/clean|process/);
    rmSync(repo.log);

    hostileEnvironment(repo);
    // A place of its own: others work in the shared one at the same time.
    const temporary = tempFolder();
    vi.stubEnv('TMPDIR', temporary);
    const status = await gitStatus(repo.dir, PATHS);
    const diff = await gitDiff(repo.dir, '', PATHS);
    vi.unstubAllEnvs();
    expect(ran(repo.log)).toBe('');
    expect(status?.top).toBe(repo.dir);
    expect(diff?.files.map(({ path }) => path)).toContain('a.txt');
    expect(diff?.commits).toBe(1);
    expect(status?.records.some((record) => /^1 \.M .* a\.txt$/.test(record))).toBe(true);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('R5: whether a file was committed is found out without any program', () => {
    const repo = hostileRepository();
    hostileEnvironment(repo);
    vi.stubEnv('PATH', repo.bin);
    expect(mayBeCommitted(join(repo.dir, 'reins.yml'))).toBe(true);
    writeFileSync(join(repo.dir, 'mine.yml'), 'x');
    expect(mayBeCommitted(join(repo.dir, 'mine.yml'))).toBe(false);
    vi.unstubAllEnvs();
    expect(ran(repo.log)).toBe('');
  });

  test('the sign is there for worktrees, packed branches, split indexes, and before the first commit', async () => {
    const dir = tempFolder();
    put(dir, { 'main/a.txt': 'one' });
    const main = join(dir, 'main');
    git(main, 'init', '-q');
    expect((await gitStatus(main, PATHS))?.records).toContain('? a.txt');
    git(main, 'add', '.');
    git(main, 'commit', '-qm', 'x');
    git(main, 'worktree', 'add', '-q', '../tree', '-b', 'b');
    writeFileSync(join(dir, 'tree/a.txt'), 'changed');
    const changed = (records: string[] | undefined) => records?.some((record) => record.endsWith(' a.txt'));
    expect(changed((await gitStatus(join(dir, 'tree'), PATHS))?.records)).toBe(true);
    expect(changed((await gitStatus(main, PATHS))?.records)).toBe(false);
    git(main, 'pack-refs', '--all');
    expect(changed((await gitStatus(main, PATHS))?.records)).toBe(false);
    git(main, 'update-index', '--split-index');
    writeFileSync(join(main, 'a.txt'), 'changed');
    expect(changed((await gitStatus(main, PATHS))?.records)).toBe(true);
  });
});

describe('R5: may this file have come with a repository?', () => {
  const repository = (files: Record<string, string> = { 'reins.yml': 'x', 'sub/ralph.yml': 'x', 'a b/é.yml': 'x' }) => {
    const dir = tempFolder();
    put(dir, files);
    git(dir, 'init', '-q');
    git(dir, 'add', '.');
    return dir;
  };
  const asked = (dir: string, name: string) => mayBeCommitted(join(dir, name));

  test('R5: tracked: yes; not tracked, or no repository at all: no', () => {
    const dir = repository();
    put(dir, { 'mine.yml': 'x', 'sub/reins.yml': 'x' });
    expect(
      ['reins.yml', 'sub/ralph.yml', 'a b/é.yml', 'mine.yml', 'sub/reins.yml'].map((name) => asked(dir, name)),
    ).toEqual([true, true, true, false, false]);
    git(dir, 'commit', '-qm', 'x');
    expect(asked(dir, 'reins.yml')).toBe(true);
    const none = tempFolder();
    put(none, { 'reins.yml': 'x' });
    expect(asked(none, 'reins.yml')).toBe(false);
  });

  test.each([
    ['an index of version 4', (dir: string) => git(dir, 'update-index', '--index-version', '4'), [true, false]],
    ['an index of version 3', (dir: string) => git(dir, 'update-index', '--skip-worktree', 'reins.yml'), [true, false]],
    ['a split index', (dir: string) => git(dir, 'update-index', '--split-index'), [true, true]],
    ['an untracked cache', (dir: string) => git(dir, 'update-index', '--force-untracked-cache'), [true, false]],
    ['an index that is garbage', (dir: string) => writeFileSync(join(dir, '.git/index'), 'DIRC'), [true, true]],
    [
      'an index that is cut off',
      (dir: string) => writeFileSync(join(dir, '.git/index'), readFileSync(join(dir, '.git/index')).subarray(0, 90)),
      [true, true],
    ],
    [
      'an index that was tampered with',
      (dir: string) =>
        writeFileSync(
          join(dir, '.git/index'),
          readFileSync(join(dir, '.git/index'), 'latin1').replace('reins.yml', 'xeins.yml'),
          'latin1',
        ),
      [true, true],
    ],
    [
      'an index that is a folder',
      (dir: string) => {
        rmSync(join(dir, '.git/index'));
        mkdirSync(join(dir, '.git/index'));
      },
      [true, true],
    ],
    [
      'a .git that is a file without sense',
      (dir: string) => {
        rmSync(join(dir, '.git'), { recursive: true });
        writeFileSync(join(dir, '.git'), 'what');
      },
      [true, true],
    ],
    [
      'a .git that points nowhere',
      (dir: string) => {
        rmSync(join(dir, '.git'), { recursive: true });
        symlinkSync('/nonexistent', join(dir, '.git'));
      },
      [true, true],
    ],
    [
      'a .git that moved elsewhere',
      (dir: string) => {
        renameSync(join(dir, '.git'), join(dir, 'elsewhere'));
        writeFileSync(join(dir, '.git'), 'gitdir: elsewhere\n');
      },
      [true, false],
    ],
    ['another system beside', (dir: string) => mkdirSync(join(dir, '.hg')), [true, true]],
    [
      'configuration that makes git fail',
      (dir: string) => writeFileSync(join(dir, '.git/config'), '[[['),
      [true, false],
    ],
    ['no HEAD', (dir: string) => rmSync(join(dir, '.git/HEAD')), [true, false]],
  ] as const)('R5: %s', (_, change, expected) => {
    const dir = repository();
    put(dir, { 'mine.yml': 'x' });
    change(dir);
    expect([asked(dir, 'reins.yml'), asked(dir, 'mine.yml')]).toEqual(expected);
  });

  test('R5: an inner repository does not hide the outer one', () => {
    const dir = repository({
      'sub/reins.yml': 'x',
      'sub/HEAD': 'ref: refs/heads/main\n',
      'sub/objects/x': '',
      'sub/refs/x': '',
      'sub/config': '[core]\n\tbare = false\n\tworktree = .\n',
    });
    expect(asked(dir, 'sub/reins.yml')).toBe(true);
    git(join(dir, 'sub'), 'init', '-q', '--separate-git-dir', join(dir, 'inner'));
    expect(asked(dir, 'sub/reins.yml')).toBe(true);
  });

  test('R5: worktrees, submodules, links, and names in another case', () => {
    const dir = repository();
    git(dir, 'commit', '-qm', 'x');
    git(dir, 'worktree', 'add', '-q', '../tree-of-reins', '-b', 'b');
    const tree = join(dir, '../tree-of-reins');
    expect(asked(tree, 'reins.yml')).toBe(true);
    rmSync(tree, { recursive: true });
    const other = tempFolder();
    put(other, { 'reins.yml': 'x', 'target/ralph.yml': 'x' });
    git(other, 'init', '-q');
    git(other, 'submodule', '--quiet', 'add', dir, 'lib');
    expect(asked(other, 'lib/reins.yml')).toBe(true);
    expect(asked(other, 'reins.yml')).toBe(false);
    // A committed link to a file, to a folder, and a link of the user's into a repository.
    symlinkSync('/etc/hostname', join(other, 'ralph.yml'));
    symlinkSync('target', join(other, 'link'));
    git(other, 'add', 'ralph.yml', 'link');
    expect(asked(other, 'ralph.yml')).toBe(true);
    expect(asked(other, 'link/ralph.yml')).toBe(true);
    const mine = tempFolder();
    symlinkSync(join(dir, 'reins.yml'), join(mine, 'reins.yml'));
    expect(asked(mine, 'reins.yml')).toBe(true);
    const upper = repository({ 'REINS.YML': 'x' });
    cpSync(join(upper, 'REINS.YML'), join(upper, 'reins.yml'));
    expect(asked(upper, 'reins.yml')).toBe(true);
  });

  test('R5: a repository of the other hash', () => {
    const dir = tempFolder();
    put(dir, { 'reins.yml': 'x', 'mine.yml': 'x' });
    git(dir, 'init', '-q', '--object-format=sha256');
    git(dir, 'add', 'reins.yml');
    expect([asked(dir, 'reins.yml'), asked(dir, 'mine.yml')]).toEqual([true, false]);
  });

  test('an index is read as git reads it', () => {
    const names = Array.from({ length: 40 }, (_, index) => `${'x'.repeat(index)}/${index}.txt`.replace(/^\//, ''));
    const dir = repository(Object.fromEntries(names.map((name) => [name, name])));
    for (const version of ['2', '4']) {
      git(dir, 'update-index', '--index-version', version);
      const read = readIndex(readFileSync(join(dir, '.git/index'))).map(({ path }) => path);
      const known = execFileSync('git', ['ls-files', '-z'], { cwd: dir, encoding: 'utf8' }).split('\0').filter(Boolean);
      expect(read).toEqual(known);
    }
    expect(() => readIndex(Buffer.alloc(0))).toThrow();
  });
});
