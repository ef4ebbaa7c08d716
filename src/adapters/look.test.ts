import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { look } from './look.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-look-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('reads what is there, and says what is not', () => {
  writeFileSync(join(dir, 'a'), 'hello');
  expect(look.text(join(dir, 'a'))).toBe('hello');
  expect(look.text(join(dir, 'b'))).toBeUndefined();
  expect(look.text(join(dir, 'a', 'b'))).toBeUndefined();
  expect(look.names(dir)).toEqual(['a']);
  expect(look.names(join(dir, 'b'))).toEqual([]);
});

it('a folder, a pipe or something huge in its place is no answer', () => {
  mkdirSync(join(dir, 'folder'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(dir, 'pipe')]);
  writeFileSync(join(dir, 'huge'), Buffer.alloc(5 * 1024 * 1024));
  for (const name of ['folder', 'pipe', 'huge']) expect(() => look.text(join(dir, name))).toThrow(name);
});
