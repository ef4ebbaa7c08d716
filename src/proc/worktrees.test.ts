import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { canary, git, hostileRepository, put, tempFolder } from './git.cases.js';
import { commitIn, list, make, plain, said } from './worktrees.cases.js';
import { factsOf, isWorktreeName, mergeBranch, removeWorktree, repositoryWithRoot, worktreesOf } from './worktrees.js';

const ran = (log: string) => (existsSync(log) ? readFileSync(log, 'utf8') : '');

describe('a worktree of our own', () => {
  test('is one to git: branch, files, a clean status, and nothing to see in the main tree', async () => {
    const dir = plain();
    const made = await make(join(dir, 'sub'));
    expect(made.folder).toBe(join(dir, '.reins/worktrees/one'));
    expect(said(made.folder, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('reins/one');
    expect(readFileSync(join(made.folder, 'sub/b.txt'), 'utf8')).toBe('b\n');
    expect([said(dir, 'status', '--porcelain'), said(made.folder, 'status', '--porcelain')]).toEqual(['', '']);
    expect(said(dir, 'worktree', 'list', '--porcelain')).toContain(`worktree ${made.folder}\n`);
    expect(said(dir, 'fsck')).toBe('');
    expect(list(dir)).toMatchObject([{ name: 'one', state: 'ready' }]);
    // From inside of it the others lie beside it, not within.
    expect((await make(made.folder, 'two')).folder).toBe(join(dir, '.reins/worktrees/two'));
    await expect(make(dir)).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    git(dir, 'worktree', 'prune');
    expect(list(dir).map(({ name }) => name)).toEqual(['one', 'two']);
  });

  test('is called what a folder and a branch may both be called', async () => {
    const wrong = ['..', 'a/b', '-x', 'x.lock', 'a..b', 'fix it', '', '.hidden', 'x.', 'é', 'a\n', 'a'.repeat(80)];
    expect(wrong.filter(isWorktreeName)).toEqual([]);
    expect(['a', 'A.b_c-1', 'k7f2m9qd', 'a'.repeat(63)].filter((name) => !isWorktreeName(name))).toEqual([]);
    const dir = plain();
    await expect(make(dir, '../x')).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(readdirSync(dir).sort()).toEqual(['.git', 'a.txt', 'sub']);
  });

  test('is refused with what to do: no repository, a bare one, no commit, a submodule, a branch in the way', async () => {
    const refused = async (dir: string) => {
      try {
        await make(dir);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(await refused(tempFolder())).toMatch(/in no git repository/);
    const named = tempFolder();
    mkdirSync(join(named, '.git'));
    expect(await refused(named)).toMatch(/in no git repository/);
    const bare = tempFolder();
    git(bare, 'init', '-q', '--bare');
    expect(await refused(bare)).toMatch(/bare/);
    const empty = tempFolder();
    git(empty, 'init', '-q');
    expect(await refused(empty)).toMatch(/no commit yet/);
    const outer = plain();
    git(outer, 'submodule', '--quiet', 'add', plain(), 'lib');
    expect(await refused(join(outer, 'lib'))).toMatch(/submodule/);
    const taken = plain();
    git(taken, 'branch', 'reins/one');
    expect(await refused(taken)).toMatch(/the branch reins\/one is there/);
    expect(said(taken, 'branch', '--list', 'reins/one')).toContain('reins/one');
    const inTheWay = plain();
    git(inTheWay, 'branch', 'reins');
    expect(await refused(inTheWay)).toMatch(/a branch called reins/);
    expect(existsSync(join(inTheWay, '.reins'))).toBe(false);
  });

  test('of packed branches, and of a repository of the other hash', async () => {
    const dir = tempFolder();
    put(dir, { 'a.txt': 'one' });
    git(dir, 'init', '-q', '--object-format=sha256');
    git(dir, 'add', '.');
    git(dir, 'commit', '-qm', 'x');
    git(dir, 'pack-refs', '--all');
    const { folder, branch } = await make(dir);
    commitIn(folder, { 'b.txt': 'b' });
    git(dir, 'pack-refs', '--all');
    const { repository, root } = repositoryWithRoot(dir);
    const [one] = worktreesOf(repository, root);
    expect(await factsOf(repository, one!)).toMatchObject({ ahead: 1, behind: 0, unmerged: 1, dirty: 0 });
    expect(await mergeBranch(repository, branch)).toMatchObject({ how: 'forward', commits: 1 });
    await removeWorktree(repository, one!);
    expect([said(dir, 'branch', '--list', 'reins/*'), said(dir, 'status', '--porcelain')]).toEqual(['', '']);
    expect([existsSync(folder), readFileSync(join(dir, 'b.txt'), 'utf8')]).toEqual([false, 'b']);
    expect(list(dir)).toEqual([]);
  });
});

describe('a hostile repository runs nothing', () => {
  /** Everything that could be run when git itself adds, merges or removes a worktree. */
  function hostile() {
    const repo = hostileRepository();
    const evil = canary(join(repo.dir, '../evil/more'), repo.log);
    for (const name of ['worktree', 'read-tree', 'update-ref', 'merge', 'merge-tree', 'commit-tree'])
      git(repo.dir, 'config', `alias.${name}`, `!${evil}`);
    for (const [key, value] of [
      ['core.worktree', '/nonexistent'],
      ['core.sparseCheckout', 'true'],
      ['commit.gpgSign', 'true'],
      ['gpg.program', evil],
      ['merge.tool', evil],
      ['user.name', 'u'],
      ['user.email', 'u@localhost'],
    ] as const)
      git(repo.dir, 'config', key, value);
    const more =
      'pre-merge-commit prepare-commit-msg commit-msg post-commit post-merge post-rewrite sendemail-validate';
    for (const hook of more.split(' ')) canary(join(repo.dir, '../evil/hooks', hook), repo.log);
    put(repo.dir, { '.git/info/sparse-checkout': '/*\n' });
    vi.stubEnv('HOME', repo.home);
    return repo;
  }

  test('git itself would; ours refuses the filter, tells it, and has written nothing', async () => {
    const repo = hostile();
    try {
      execFileSync('git', ['-c', 'core.worktree=.', 'worktree', 'add', '-q', '../by-git', '-b', 'x'], {
        cwd: repo.dir,
        env: { PATH: process.env.PATH, HOME: repo.home },
        stdio: 'ignore',
      });
    } catch {
      // A filter that fails may fail it; what counts is that it was started.
    }
    expect(ran(repo.log)).toMatch(/smudge|process/);
    expect(ran(repo.log)).toMatch(/hooks/);
    rmSync(repo.log, { force: true });
    const runs: string[] = [];
    const asked = (lines: string[]) => {
      runs.push(...lines);
      return Promise.resolve(false);
    };
    await expect(make(repo.dir, 'one', asked)).rejects.toThrow(/git would run programs/);
    expect(runs).toEqual([expect.stringMatching(/^filter evil: .*evil\/(smudge|process)$/)]);
    expect([ran(repo.log), existsSync(join(repo.dir, '.reins')), list(repo.dir)]).toEqual(['', false, []]);
    vi.unstubAllEnvs();
  });

  test('where no filter is defined it is made, told about, merged and removed, and no canary sang', async () => {
    const repo = hostile();
    for (const key of [
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.required',
      'merge.evil.driver',
      'include.path',
    ])
      git(repo.dir, 'config', '--unset-all', key);
    git(repo.dir, 'config', '--unset-all', 'core.worktree');
    writeFileSync(join(repo.dir, 'a.txt'), 'one\n');
    const made = await make(repo.dir);
    const own = (...args: string[]) =>
      git(
        made.folder,
        '-c',
        'core.hooksPath=/dev/null',
        '-c',
        'core.fsmonitor=false',
        '-c',
        'commit.gpgSign=false',
        ...args,
      );
    put(made.folder, { 'new.txt': 'new' });
    own('add', 'new.txt');
    own('commit', '-qm', 'work');
    rmSync(repo.log, { force: true });
    const { repository, root } = repositoryWithRoot(repo.dir);
    const [one] = worktreesOf(repository, root);
    expect(await factsOf(repository, one!)).toMatchObject({ ahead: 1, unmerged: 1 });
    // Behind too, so that a commit is made.
    put(repo.dir, { 'other.txt': 'o' });
    const plainly = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
    git(repo.dir, ...plainly, 'add', 'other.txt');
    git(repo.dir, ...plainly, '-c', 'commit.gpgSign=false', 'commit', '-qm', 'other');
    git(repo.dir, 'config', 'core.worktree', '/nonexistent');
    rmSync(repo.log, { force: true });
    expect(await mergeBranch(repository, one!.branch)).toMatchObject({ how: 'merge', commits: 1 });
    expect(readFileSync(join(repo.dir, 'new.txt'), 'utf8')).toBe('new');
    await removeWorktree(repository, one!);
    expect(ran(repo.log)).toBe('');
    vi.unstubAllEnvs();
  });

  test('a harmless command does not stand for the one that git would run', async () => {
    const dir = plain({ 'b.big': 'two\n', '.gitattributes': '*.big filter=up\n' });
    git(dir, 'config', 'filter.up.process', './evil');
    git(dir, 'config', 'filter.up.smudge', 'cat');
    const runs: string[] = [];
    const no = async (asked: string[]) => runs.push(...asked) < 0;
    await expect(make(dir, 'one', no)).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(runs).toEqual(['filter up: ./evil, and cat']);
  });

  test('a link in the place of a worktree is none to work in', async () => {
    const dir = plain({ 'a.txt': 'one\n' });
    const { folder } = await make(dir);
    const elsewhere = plain({ 'a.txt': 'two\n' });
    rmSync(folder, { recursive: true });
    symlinkSync(elsewhere, folder);
    expect(list(dir)).toMatchObject([{ name: 'one', state: 'unfinished' }]);
  });

  test('a filter that was agreed to writes the files it is named for', async () => {
    const dir = plain({ 'a.txt': 'one\n', 'b.big': 'two\n', '.gitattributes': '*.big filter=up\n' });
    git(dir, 'config', 'filter.up.smudge', 'tr a-z A-Z');
    git(dir, 'config', 'filter.up.clean', 'tr A-Z a-z');
    const { folder } = await make(dir, 'one', async () => true);
    expect(['a.txt', 'b.big'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['one\n', 'TWO\n']);
    expect(said(folder, 'status', '--porcelain')).toBe('');
    commitIn(folder, { 'c.big': 'THREE\n' });
    const { repository } = repositoryWithRoot(dir);
    await expect(mergeBranch(repository, 'reins/one')).rejects.toThrow(/git would run programs .*up/);
    expect(said(dir, 'status', '--porcelain')).toBe('');
  });

  test.each(['.reins', '.reins/worktrees'])('a committed link at %s leads nowhere', async (name) => {
    const dir = plain();
    const elsewhere = tempFolder();
    if (name.includes('/')) mkdirSync(join(dir, '.reins'));
    symlinkSync(elsewhere, join(dir, name));
    await expect(make(dir)).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    mkdirSync(join(elsewhere, 'worktrees/one'), { recursive: true });
    mkdirSync(join(elsewhere, 'one'), { recursive: true });
    expect(list(dir)).toEqual([]);
    expect(readdirSync(elsewhere).sort()).toEqual(['one', 'worktrees']);
  });

  test('a folder that names another’s repository as its own gets its worktrees below itself', async () => {
    const mine = plain();
    const theirs = tempFolder();
    put(theirs, { '.git': `gitdir: ${mine}/.git\n` });
    expect(repositoryWithRoot(theirs).root).toBe(theirs);
    put(mine, { '.git/worktrees/x/commondir': '../..\n', '.git/worktrees/x/HEAD': 'ref: refs/heads/main\n' });
    put(theirs, { '.git': `gitdir: ${mine}/.git/worktrees/x\n` });
    expect(repositoryWithRoot(theirs).root).toBe(theirs);
  });

  test('what .git says of worktrees elsewhere is not ours to list or remove', async () => {
    const dir = plain();
    const mine = tempFolder();
    for (const [id, folder] of [
      ['one', mine],
      ['two', `${dir}/.reins/worktrees/../../sub`],
      ['three', `${dir}/.reins/worktrees`],
    ]) {
      put(dir, { [`.git/worktrees/${id}/gitdir`]: `${folder}/.git\n`, [`.git/worktrees/${id}/HEAD`]: 'x' });
    }
    symlinkSync(mine, join(dir, '.git/worktrees/four'));
    expect(list(dir)).toEqual([]);
    const links = plain();
    rmSync(join(links, '.git/refs/heads/reins'), { force: true });
    symlinkSync(mine, join(links, '.git/refs/heads/reins'));
    await expect(make(links)).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(readdirSync(mine)).toEqual([]);
  });
});
