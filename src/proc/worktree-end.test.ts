import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../contract/index.js';
import { git, put } from './git.cases.js';
import { commitIn, list, make, plain, said } from './worktrees.cases.js';
import { factsOf, mergeBranch, removeWorktree, repositoryWithRoot, worktreesOf } from './worktrees.js';

test('what is advised can be pasted, whatever the folder is called', () => {
  const names = ['/a/b-1.c', '/a/two words', "/a/it's; $(touch x)"];
  const pasted = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${names.map(shellWord).join(' ')}`], {
    encoding: 'utf8',
  });
  expect(pasted.trimEnd().split('\n')).toEqual(names);
  expect(shellWord(names[0]!)).toBe(names[0]);
});

test('a merge that has to be done by hand, in a folder with a space in its name', async () => {
  const dir = join(plain(), 'two words');
  put(dir, { 'a.txt': 'one\n' });
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-qm', 'x'],
  ])
    git(dir, ...args);
  const { folder, branch } = await make(dir);
  commitIn(folder, { 'a.txt': 'two\n' });
  commitIn(dir, { 'a.txt': 'three\n' });
  const error = await mergeBranch(repositoryWithRoot(dir).repository, branch).catch((thrown) => thrown);
  expect(error).toMatchObject({ hint: `do it by hand: git -C '${dir}' merge reins/one` });
});

describe('merging', () => {
  async function ready(files: Record<string, string>) {
    const dir = plain({ 'a.txt': 'one\n', 'b.txt': 'b\n', '.gitignore': 'ignored\n' });
    git(dir, 'config', 'user.name', 'Me');
    git(dir, 'config', 'user.email', 'me@localhost');
    const { folder, branch } = await make(dir);
    commitIn(folder, files);
    const { repository } = repositoryWithRoot(dir);
    const before = said(dir, 'rev-parse', 'HEAD');
    return { dir, folder, branch, merge: () => mergeBranch(repository, branch), before };
  }
  const untouched = (dir: string, before: string) => expect(said(dir, 'rev-parse', 'HEAD')).toBe(before);

  test('forward, and again: nothing to do; changes that are not in the way stay', async () => {
    const { dir, merge, branch } = await ready({ 'a.txt': 'two\n' });
    writeFileSync(join(dir, 'b.txt'), 'mine\n');
    // Touched, not changed.
    utimesSync(join(dir, 'a.txt'), new Date(0), new Date(0));
    expect(await merge()).toMatchObject({ into: 'main', how: 'forward', commits: 1 });
    expect(said(dir, 'rev-parse', 'HEAD')).toBe(said(dir, 'rev-parse', branch));
    expect(said(dir, 'status', '--porcelain')).toBe('M b.txt');
    expect(said(dir, 'reflog', '-1')).toContain('reins worktree merge');
    expect(await merge()).toMatchObject({ how: 'nothing', commits: 0 });
  });

  test('with a commit in the user’s name where both went on', async () => {
    const { dir, merge } = await ready({ 'a.txt': 'two\n' });
    commitIn(dir, { 'b.txt': 'mine\n' });
    expect(await merge()).toMatchObject({ how: 'merge' });
    expect(said(dir, 'log', '-1', '--format=%an <%ae> %s %P').split(' ')).toHaveLength(7);
    expect(said(dir, 'log', '-1', '--format=%an <%ae> %s')).toBe(`Me <me@localhost> Merge branch 'reins/one'`);
    expect([said(dir, 'status', '--porcelain'), readFileSync(join(dir, 'a.txt'), 'utf8')]).toEqual(['', 'two\n']);
  });

  test('a conflict leaves everything as it was, and says what to type', async () => {
    const { dir, merge } = await ready({ 'a.txt': 'two\n' });
    commitIn(dir, { 'a.txt': 'three\n' });
    const before = said(dir, 'rev-parse', 'HEAD');
    const error = await merge().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'MERGE_REFUSED', hint: `do it by hand: git -C ${dir} merge reins/one` });
    expect(error.message).toContain('both changed the same places: a.txt');
    untouched(dir, before);
    expect([said(dir, 'status', '--porcelain'), existsSync(join(dir, '.git/MERGE_HEAD'))]).toEqual(['', false]);
  });

  test.each([
    ['a change of one’s own', (dir: string) => writeFileSync(join(dir, 'a.txt'), 'mine\n'), /in the way: a\.txt/],
    [
      'a file git does not know',
      (dir: string) => writeFileSync(join(dir, 'new.txt'), 'mine\n'),
      /in the way: new\.txt/,
    ],
    ['one it ignores', (dir: string) => writeFileSync(join(dir, 'ignored'), 'mine\n'), /in the way: ignored/],
    ['no branch', (dir: string) => git(dir, 'checkout', '-q', '--detach'), /HEAD is on no branch/],
    ['a rebase', (dir: string) => mkdirSync(join(dir, '.git/rebase-merge')), /unfinished/],
    ['a lock', (dir: string) => writeFileSync(join(dir, '.git/index.lock'), ''), /index\.lock/],
  ])('%s in the way: refused, and nothing changed', async (_, change, says) => {
    const { dir, merge, before, folder } = await ready({ 'a.txt': 'two\n', 'new.txt': 'n' });
    put(folder, { ignored: 'theirs' });
    git(folder, 'add', '-f', 'ignored');
    git(folder, 'commit', '-qm', 'more');
    change(dir);
    const files = () =>
      readdirSync(dir).map((name) =>
        name.includes('.') && !name.startsWith('.') ? readFileSync(join(dir, name), 'utf8') : name,
      );
    const was = files();
    await expect(merge()).rejects.toThrow(says);
    expect(files()).toEqual(was);
    untouched(dir, before);
  });
});

describe('killed on the way', () => {
  /** Everything that is written, in order: what is left if one of them is the last. */
  const STEPS: [string, (made: { dir: string; folder: string; gitDir: string }) => void][] = [
    [
      'its folder',
      ({ gitDir, folder, dir }) => {
        rmSync(gitDir, { recursive: true });
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        git(dir, 'update-ref', '-d', 'refs/heads/reins/one');
      },
    ],
    [
      'git’s folder',
      ({ gitDir, folder, dir }) => {
        for (const name of readdirSync(gitDir)) if (name !== 'locked') rmSync(join(gitDir, name), { recursive: true });
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        git(dir, 'update-ref', '-d', 'refs/heads/reins/one');
      },
    ],
    [
      'its registration',
      ({ gitDir, folder, dir }) => {
        rmSync(join(gitDir, 'index'));
        for (const name of readdirSync(folder)) if (name !== '.git') rmSync(join(folder, name), { recursive: true });
        git(dir, 'update-ref', '-d', 'refs/heads/reins/one');
      },
    ],
    [
      'its branch',
      ({ gitDir, folder }) => {
        rmSync(join(gitDir, 'index'));
        for (const name of readdirSync(folder)) if (name !== '.git') rmSync(join(folder, name), { recursive: true });
      },
    ],
    [
      'half of its files',
      ({ gitDir, folder }) => {
        renameSync(join(gitDir, 'index'), join(gitDir, 'index.lock'));
        rmSync(join(folder, 'a.txt'));
      },
    ],
    ['all but the lock', () => undefined],
  ];

  test.each(STEPS)('after %s: listed as unfinished, nothing lost with it, and removed', async (_, undo) => {
    const dir = plain();
    const { folder, gitDir } = await make(dir);
    writeFileSync(join(gitDir!, 'locked'), 'being made by reins\n');
    undo({ dir, folder, gitDir: gitDir! });
    const { repository, root } = repositoryWithRoot(dir);
    const [left] = worktreesOf(repository, root);
    expect(left).toMatchObject({ name: 'one', state: 'unfinished' });
    expect(await factsOf(repository, left!)).toMatchObject({ unmerged: 0, dirty: 0 });
    await removeWorktree(repository, left!);
    expect([list(dir), said(dir, 'branch', '--list', 'reins/*'), existsSync(folder)]).toEqual([[], '', false]);
    expect((await make(dir)).state).toBe('ready');
  });

  test.each(['folder', 'branch'])(
    'while it is removed, after its %s: still listed, and removed again',
    async (last) => {
      const dir = plain();
      const { folder } = await make(dir);
      rmSync(folder, { recursive: true });
      if (last === 'branch') git(dir, 'update-ref', '-d', 'refs/heads/reins/one');
      const { repository, root } = repositoryWithRoot(dir);
      const [left] = worktreesOf(repository, root);
      expect(left).toMatchObject({ name: 'one', state: 'gone' });
      await removeWorktree(repository, left!);
      expect([list(dir), said(dir, 'worktree', 'list')]).toEqual([[], expect.stringMatching(/^\S+ +\w+ \[main\]$/)]);
    },
  );

  test('work in it is told before it is lost: commits that are nowhere else, files that are not committed', async () => {
    const dir = plain();
    const { folder } = await make(dir);
    commitIn(folder, { 'new.txt': 'n' });
    put(folder, { 'a.txt': 'changed', 'more/x': 'x', '.agent/events.jsonl': '{}' });
    const { repository, root } = repositoryWithRoot(dir);
    const facts = () => factsOf(repository, worktreesOf(repository, root)[0]!);
    expect(await facts()).toMatchObject({ ahead: 1, behind: 0, unmerged: 1, dirty: 2 });
    // An agent that left its branch takes nothing out of sight.
    git(folder, 'checkout', '-q', '--detach');
    git(folder, 'commit', '-qam', 'aside');
    expect(await facts()).toMatchObject({ unmerged: 2, dirty: 1 });
    git(dir, 'tag', 'kept', 'reins/one');
    expect(await facts()).toMatchObject({ unmerged: 1 });
  });

  test('a stash or a note on it is no other branch: who drops that would lose the commits', async () => {
    const dir = plain();
    const { folder } = await make(dir);
    commitIn(folder, { 'new.txt': 'n' });
    put(folder, { 'new.txt': 'more' });
    git(folder, 'stash');
    git(folder, 'update-ref', 'refs/aside/one', 'HEAD');
    const { repository, root } = repositoryWithRoot(dir);
    const facts = () => factsOf(repository, worktreesOf(repository, root)[0]!);
    expect(await facts()).toMatchObject({ ahead: 1, unmerged: 1, dirty: 0 });
    git(dir, 'update-ref', 'refs/remotes/origin/one', 'reins/one');
    expect(await facts()).toMatchObject({ unmerged: 0 });
  });

  test.each(['in the git folder', 'among its files'])(
    'work in a submodule goes with the worktree, also when its branch was merged; its repository %s',
    async (where) => {
      const lib = plain({ 'lib.txt': 'lib\n' });
      const dir = plain();
      git(dir, 'submodule', 'add', lib, 'lib');
      git(dir, 'commit', '-qm', 'with a submodule');
      const { folder } = await make(dir);
      const { repository, root } = repositoryWithRoot(dir);
      const facts = () => factsOf(repository, worktreesOf(repository, root)[0]!);
      if (where === 'among its files') git(folder, 'clone', '-q', lib, 'lib');
      else git(folder, 'submodule', 'update', '--init');
      expect(await facts()).toMatchObject({ submodules: [] });
      put(folder, { 'lib/lib.txt': 'changed\n' });
      expect(await facts()).toMatchObject({ submodules: ['lib'] });
      git(join(folder, 'lib'), 'commit', '-qam', 'work');
      git(folder, 'commit', '-qam', 'the newer lib');
      await mergeBranch(repository, 'reins/one');
      expect(await facts()).toMatchObject({ unmerged: 0, dirty: 0, submodules: ['lib'] });
      git(join(folder, 'lib'), 'push', '-q', 'origin', 'HEAD:refs/heads/theirs');
      expect(await facts()).toMatchObject({ submodules: [] });
    },
  );
});
