/** What a loop made of the tree: with commits, beside what was changed before, and nothing where there is no repository. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, put, tempFolder } from '../../proc/git.cases.js';
import { TreeSince } from './tree-since.js';

const since = (dir: string, cwd: string) => new TreeSince({ dir, spec: { cwd } });

test('commits made meanwhile count, what was changed before and left alone does not', async () => {
  const [dir, cwd] = [tempFolder(), tempFolder()];
  put(cwd, { 'a.txt': 'one\n', 'old.txt': 'old\n', 'touched.txt': '1\n', 'gone.txt': 'x\ny\n' });
  git(cwd, 'init', '-q');
  git(cwd, 'add', '.');
  git(cwd, 'commit', '-qm', 'first');
  put(cwd, { 'old.txt': 'mine\n', 'touched.txt': '1\n2\n', 'notes.txt': 'mine\n' });
  const first = since(dir, cwd);
  first.look();
  expect(await first.changes()).toEqual({ files: 0, added: 0, removed: 0, commits: 0, most: [] });

  put(cwd, { 'a.txt': 'one\ntwo\nthree\n', 'touched.txt': '1\n2\n3\n', 'new.txt': 'n\n', '.agent/x': 'ours\n' });
  git(cwd, 'add', 'a.txt');
  git(cwd, 'commit', '-qm', 'its work');
  rmSync(join(cwd, 'gone.txt'));
  // The next leg counts from the first one's beginning.
  const next = since(dir, cwd);
  next.look();
  expect(await next.changes()).toEqual({
    files: 4,
    added: 5,
    removed: 2,
    commits: 1,
    most: expect.arrayContaining([
      { path: 'a.txt', added: 2, removed: 0 },
      { path: 'gone.txt', added: 0, removed: 2 },
      { path: 'new.txt', added: 1, removed: 0 },
    ]),
  });
});

test('before the first commit everything is new; outside a repository there is nothing to say', async () => {
  const [dir, cwd] = [tempFolder(), tempFolder()];
  const none = since(dir, cwd);
  none.look();
  expect(await none.changes()).toBeUndefined();
  git(cwd, 'init', '-q');
  const tree = since(dir, cwd);
  tree.look();
  expect(await tree.changes()).toMatchObject({ files: 0 });
  put(cwd, { 'a.txt': 'one\n' });
  git(cwd, 'add', '.');
  git(cwd, 'commit', '-qm', 'first');
  expect(await tree.changes()).toMatchObject({ files: 1, added: 1, commits: 1 });
});
