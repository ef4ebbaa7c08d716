import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderStarts, isCovered } from './folder-starts.js';
import { look } from './look.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'folder-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const agent = { folder: [{ file: '.x/s.json', starts: (content: string) => content.split('\n').filter(Boolean) }] };

it('names the file with each line; nothing there is nothing to start', () => {
  expect(folderStarts(agent, dir, look)).toEqual([]);
  mkdirSync(join(dir, '.x'));
  writeFileSync(join(dir, '.x/s.json'), 'one\ntwo\n');
  expect(folderStarts(agent, dir, look)).toEqual(['.x/s.json: one', '.x/s.json: two']);
  expect(folderStarts({}, dir, look)).toEqual([]);
});

it('what cannot be read is a line too, so that a yes never covers it unseen', () => {
  mkdirSync(join(dir, '.x/s.json'), { recursive: true });
  expect(folderStarts(agent, dir, look)).toEqual([expect.stringContaining('.x/s.json: it cannot be read')]);
});

it('a yes covers what was there, not what came later', () => {
  expect(isCovered(['a'], ['a', 'b'])).toBe(true);
  expect(isCovered([], [])).toBe(true);
  expect(isCovered(['a', 'c'], ['a', 'b'])).toBe(false);
});
