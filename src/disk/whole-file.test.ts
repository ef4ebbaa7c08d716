import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forget, makeDir, writeWhole } from './whole-file.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'whole-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a file is replaced whole, readable by its owner alone', () => {
  const file = join(dir, 'x');
  writeWhole(file, 'one');
  writeWhole(file, 'two');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['two', 0o600]);
  expect(readdirSync(dir)).toEqual(['x']);
});

test('one that cannot be replaced is as it was, with nothing beside it', () => {
  const file = join(dir, 'x');
  mkdirSync(join(file, 'in the way'), { recursive: true });
  expect(() => writeWhole(file, 'one')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect([readdirSync(dir), readdirSync(file)]).toEqual([['x'], ['in the way']]);
});

test('a directory is made with its parents, once; what is in the way is named', () => {
  const deep = join(dir, 'a', 'b', 'c');
  makeDir(deep);
  makeDir(deep);
  expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o700);
  writeFileSync(join(dir, 'file'), '');
  expect(() => makeDir(join(dir, 'file', 'x', 'y'))).toThrow('ENOTDIR');
  forget(join(dir, 'a'));
  forget(join(dir, 'a'));
  expect(readdirSync(dir)).toEqual(['file']);
});
