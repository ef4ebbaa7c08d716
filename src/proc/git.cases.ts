/** Repositories for tests, made with the real git and nothing of the user's. Only tests import this. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export function tempFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'reins-proc-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function put(dir: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
}

export function git(cwd: string, ...args: string[]): void {
  const own = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...own, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'ignore',
  });
}

/** A program that writes its name into `log` and fails at whatever it was called for. */
export function canary(file: string, log: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> '${log}'\ncat\n`);
  chmodSync(file, 0o755);
  return file;
}

const HOOKS = 'pre-commit post-index-change post-checkout fsmonitor-watchman reference-transaction post-merge pre-push';

/** A repository in which everything that can name a program names a canary. */
export function hostileRepository(): { dir: string; log: string; bin: string; home: string } {
  const root = tempFolder();
  const dir = join(root, 'repo');
  const log = join(root, 'canaries');
  const bin = join(root, 'bin');
  const home = join(root, 'home');
  const evil = (name: string) => canary(join(root, 'evil', name), log);
  put(dir, {
    'a.txt': 'one\n',
    'reins.yml': 'trust: full\n',
    '.gitattributes': '* filter=evil diff=evil merge=evil text\n',
  });
  put(join(root, 'lib'), { 'x.txt': 'x' });
  git(join(root, 'lib'), 'init', '-q');
  git(join(root, 'lib'), 'add', '.');
  git(join(root, 'lib'), 'commit', '-qm', 'x');
  git(dir, 'init', '-q');
  git(dir, 'submodule', '--quiet', 'add', join(root, 'lib'), 'lib');
  git(dir, 'add', '.');
  git(dir, 'commit', '-qm', 'x');
  const settings = Object.entries({
    'core.fsmonitor': evil('fsmonitor'),
    'core.hooksPath': join(root, 'evil/hooks'),
    'core.pager': evil('pager'),
    'pager.status': evil('pager-status'),
    'core.editor': evil('editor'),
    'core.sshCommand': evil('ssh'),
    'core.askPass': evil('askpass'),
    'core.alternateRefsCommand': evil('alternates'),
    'core.gitProxy': evil('proxy'),
    'diff.external': evil('diff'),
    'diff.evil.textconv': evil('textconv'),
    'diff.evil.command': evil('diff-command'),
    'interactive.diffFilter': evil('diff-filter'),
    'filter.evil.clean': evil('clean'),
    'filter.evil.smudge': evil('smudge'),
    'filter.evil.required': 'true',
    'merge.evil.driver': evil('driver'),
    'gpg.program': evil('gpg'),
    'credential.helper': evil('credential'),
    'alias.status': `!${evil('alias')}`,
    'alias.ls-files': `!${evil('alias')}`,
    'uploadpack.packObjectsHook': evil('pack'),
    'submodule.lib.update': `!${evil('submodule')}`,
    'remote.origin.url': `ext::${evil('remote')}`,
    'remote.origin.promisor': 'true',
    'status.submoduleSummary': 'true',
    'include.path': join(root, 'evil/included'),
  });
  for (const [key, value] of settings) {
    git(dir, 'config', key, value);
    git(join(dir, 'lib'), 'config', key, value);
  }
  put(root, {
    'evil/included': `[filter "evil"]\n\tprocess = ${evil('process')}\n`,
    'home/.gitconfig': `[core]\n\tfsmonitor = ${evil('global')}\n`,
  });
  put(dir, { '.git/info/attributes': '* filter=evil\n' });
  for (const hook of HOOKS.split(' ')) {
    evil(`hooks/${hook}`);
    canary(join(dir, '.git/hooks', hook), log);
  }
  canary(join(dir, 'git'), log);
  // The same size and another time: git has to look into the file, through its filters.
  writeFileSync(join(dir, 'a.txt'), 'two\n');
  writeFileSync(join(dir, 'lib/x.txt'), 'y');
  canary(join(bin, 'git'), log);
  return { dir, log, bin, home };
}
