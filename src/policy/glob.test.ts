import { describe, expect, test } from 'vitest';
import { fitsGlob, globsMeet, readGlob } from './glob.js';
import { fitsPath, LONGEST_PATH, makeResolver, mayFitPath, type PathBase, seePath, stepsSpent } from './paths.js';
import { run, verdict } from './policy.cases.js';

const plenty = () => ({ left: 1_000_000 });

describe('two patterns', () => {
  test.each([
    ['/**/.env', '/src/**', true],
    ['/**/.env', '/src/**/*.ts', false],
    ['/**/.env', '/src/*.{ts,env}', true],
    ['/secret/**', '/src/**', false],
    ['/secret/**', '/**', true],
    ['/a?c', '/abc', true],
    ['/a[0-9]c', '/abc', false],
    ['/src', '/src/deep/file', false],
    ['/src/**', '/src/deep/file', true],
    ['/**/*.key', '/**/*.pem', false],
    ['/**/id_*', '/**/*.pem', true],
  ])('%s and %s have a path in common: %s', (one, other, expected) => {
    expect(globsMeet(readGlob('', one, 'file'), readGlob('', other, 'file'), plenty())).toBe(expected);
    expect(globsMeet(readGlob('', other, 'file'), readGlob('', one, 'file'), plenty())).toBe(expected);
  });
});

describe('R11: time is bounded, and counted in steps', () => {
  const place = (): PathBase => ({ cwd: '/w', home: '/h', resolvePath: makeResolver(() => undefined) });
  const hostile = [
    '**/a'.repeat(250),
    '**/a/'.repeat(200),
    '*a'.repeat(500),
    '{a,b}'.repeat(200),
    '[a-z]*'.repeat(150),
    `${'?'.repeat(1000)}`,
  ];

  test.each([32 * 1024, 1024 * 1024])(
    'R11: a path of %i characters costs nothing and is never covered nor ruled out',
    (length) => {
      for (const path of [
        'a'.repeat(length),
        'a/'.repeat(length / 2),
        '../'.repeat(length / 3),
        '/'.repeat(length),
        '.'.repeat(length),
      ]) {
        const here = place();
        expect(seePath(path, here).real).toBeUndefined();
        expect(fitsPath('**', seePath(path, here), here)).toBe(false);
        expect(mayFitPath('.env', seePath(path, here), here)).toBe('maybe');
        expect(stepsSpent(here)).toBeLessThan(1000);
        expect(verdict(run('Edit', { file_path: path }), { allow: ['Edit(**)', 'Edit', '*'] })).toBe('ask');
        expect(verdict(run('Read', { file_path: path }), { allow: ['*'], deny: ['Read(.env)'] })).toBe('ask');
      }
    },
  );

  test('R11: a pattern costs its length times the path’s, whatever it is made of', () => {
    for (const pattern of hostile) {
      for (const text of ['a/'.repeat(500), 'a'.repeat(1000), `${'a/'.repeat(499)}b`]) {
        const steps = { left: 1e9 };
        const glob = readGlob('', `/${pattern}`);
        fitsGlob(glob, `/${text}`, steps);
        expect(1e9 - steps.left).toBeLessThanOrEqual(glob.states.length * (text.length + 2));
        expect(glob.states.length).toBeLessThan(6 * pattern.length + 10);
      }
    }
  });

  test('R11: steps grow with the path, not with its square', () => {
    const cost = (length: number) => {
      const steps = { left: 1e9 };
      fitsGlob(readGlob('', '/**/a/**/a/**/a/**/b'), '/a'.repeat(length), steps);
      return 1e9 - steps.left;
    };
    expect(cost(1000) / cost(500)).toBeLessThan(2.1);
  });

  test('R11: a call has one budget; when it is gone nothing is allowed and nothing ruled out', () => {
    const many = Array.from({ length: 30 }, (_, index) => `${'a/'.repeat(2000)}${index}`);
    const rules = Array.from({ length: 10 }, () => `Read(${'**/a/'.repeat(800)}x)`);
    expect(verdict(run('Read', { paths: many }), { allow: ['Read(**)'], deny: rules })).toBe('ask');
  });

  test('R11: an input of a megabyte, whatever it is made of, is looked at once', () => {
    const long = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
    for (const text of ['.', ' ', '/', '../', '*** Add File: ', '*** ', '{', '{a,', '~', '.git', '\u200c', 'a:']) {
      for (const tool of ['Edit', 'Grep', 'Glob', 'read_many_files', 'mcp__x__y', 'apply_patch']) {
        const input = { path: `${long(text)}x`, pattern: long(text), include: [long(text)], more: { to: long(text) } };
        const found = verdict(run(tool, input), { allow: ['Edit(src/**)'], deny: ['Read(.env)', 'Edit(.git/**)'] });
        expect([text, tool, found]).not.toEqual([text, tool, 'allow']);
      }
    }
  });

  test('R11: links are followed so far and no further', () => {
    let looked = 0;
    const resolve = makeResolver((path) => {
      looked += 1;
      return path.endsWith('l') ? `${'x/'.repeat(1000)}l` : undefined;
    });
    expect(() => resolve('/l')).toThrow();
    expect(looked).toBeLessThan(3 * LONGEST_PATH);
  });
});
