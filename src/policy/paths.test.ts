import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fitsPath, isInCwd, makeResolver, mayFitPath, type PathBase, seePath } from './paths.js';
import { here, run, settingsWith, shell, word } from './policy.cases.js';
import { route } from './route.js';

const plain: PathBase = { cwd: '/w/app', home: '/h/me', resolvePath: makeResolver(() => undefined) };

describe('patterns', () => {
  test.each([
    ['src/**', 'src/a.ts', true],
    ['src/**', 'src/deep/a.ts', true],
    ['src/**', 'lib/src/a.ts', false],
    ['src/**', 'srcx/a.ts', false],
    ['src', 'src/a.ts', true],
    ['src/', 'lib/src/a.ts', true],
    ['./src', 'lib/src/a.ts', false],
    ['./a.ts', 'a.ts', true],
    ['./a.ts', 'b/a.ts', false],
    ['a.ts', 'b/a.ts', true],
    ['*.ts', 'b/c/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**/a.ts', 'src/b/c/a.ts', true],
    ['**', 'any/thing', true],
    ['**', '/etc/passwd', false],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/[ab].ts', 'src/b.ts', true],
    ['src/[!ab].ts', 'src/b.ts', false],
    ['src/[!ab]x', 'src//x', false],
    ['src/*.{ts,tsx}', 'src/a.tsx', true],
    ['src/*.{ts,tsx}', 'src/a.js', false],
    ['src/\\*', 'src/a', false],
    ['a.b', 'axb', false],
    ['~/x', '/h/me/x', true],
    ['~/x', '~/x/y', true],
    ['~/x', 'x', false],
    ['//etc/*', '/etc/hosts', true],
    ['//etc/*', '/etc/a/b', true],
    ['/src/**', 'src/a', true],
    ['.', 'any', true],
    ['src/**', '../app/src/a.ts', true],
    ['src/**', 'src/../../x', false],
    ['src/**', 'src/../package.json', false],
    ['**', '../other/x', false],
    ['[z-a]', 'b', false],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(fitsPath(pattern, seePath(path, plain), plain)).toBe(expected);
  });

  test('rules that forbid see the written and the resolved path', () => {
    expect(mayFitPath('/etc/**', seePath('/etc/x', plain), plain)).toBe('yes');
    expect(mayFitPath('SRC/**', seePath('src/x', plain), plain)).toBe('yes');
    expect(mayFitPath('src/**', seePath('lib/x', plain), plain)).toBe('no');
  });
});

describe('on a real disk', () => {
  let root: string;
  let place: PathBase;
  const readlink = (path: string) => {
    try {
      return readlinkSync(path);
    } catch {
      // No link, or nothing there: both are simply a name.
      return undefined;
    }
  };

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'reins-paths-')));
    mkdirSync(join(root, 'app/src'), { recursive: true });
    mkdirSync(join(root, 'out/deep'), { recursive: true });
    writeFileSync(join(root, 'out/file'), '');
    symlinkSync(join(root, 'out'), join(root, 'app/src/link'));
    symlinkSync('../../out/deep', join(root, 'app/src/up'));
    symlinkSync(join(root, 'out/not-yet'), join(root, 'app/src/dangling'));
    symlinkSync('loop', join(root, 'app/src/loop'));
    symlinkSync(join(root, 'app'), join(root, 'alias'));
    place = { cwd: join(root, 'alias'), home: '/h/me', resolvePath: makeResolver(readlink) };
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test.each([
    ['src/a.ts', 'app/src/a.ts'],
    ['src/new/deeper/a.ts', 'app/src/new/deeper/a.ts'],
    ['src/link/file', 'out/file'],
    ['src/link/../x', 'x'],
    ['src/up/../x', 'out/x'],
    ['src/dangling', 'out/not-yet'],
    ['src/link/new/file', 'out/new/file'],
  ])('%s is really %s', (path, real) => {
    expect(seePath(path, place).real).toBe(join(root, real));
  });

  test('a loop of links is nowhere', () => {
    expect(seePath('src/loop/x', place).real).toBeUndefined();
    expect(isInCwd('src/loop', place)).toBe(false);
  });

  test.each([
    ['src/a.ts', 'allow'],
    ['src/link/file', 'ask'],
    ['src/dangling', 'ask'],
    ['src/up/x', 'ask'],
    ['src/loop', 'ask'],
  ])('Edit(src/**) on %s: %s', (path, expected) => {
    const settings = settingsWith({ allow: ['Edit(src/**)'] }, { cwd: place.cwd });
    const tools = { shell, resolvePath: place.resolvePath };
    expect(word(route(run('Edit', { file_path: path }), here, settings, tools))).toBe(expected);
    expect(word(route(run('Edit', { file_path: join(root, 'app', path) }), here, settings, tools))).toBe(expected);
  });

  test('a denied place is denied by any way to it, and a redirection through a link is outside', () => {
    const settings = settingsWith({ deny: [`Read(/${root}/out/**)`], allow: ['Bash(ls:*)'] }, { cwd: place.cwd });
    const tools = { shell, resolvePath: place.resolvePath };
    const verdictOf = (tool: string, input: unknown) => word(route(run(tool, input), here, settings, tools));
    expect(verdictOf('Read', { file_path: 'src/link/file' })).toBe('deny');
    expect(verdictOf('Bash', { command: 'ls > src/link/x' })).toBe('ask');
    expect(verdictOf('Bash', { command: 'ls > src/x' })).toBe('allow');
    expect(verdictOf('Bash', { command: 'ls < src/link/file' })).toBe('deny');
  });

  test('a resolver that throws or answers nonsense allows nothing', () => {
    const settings = settingsWith({ allow: ['Edit(src/**)'] });
    for (const resolvePath of [
      () => {
        throw new Error('no');
      },
      () => 7 as unknown as string,
      () => 'relative',
    ]) {
      expect(word(route(run('Edit', { file_path: 'src/a' }), here, settings, { shell, resolvePath }))).toBe('ask');
    }
  });
});
