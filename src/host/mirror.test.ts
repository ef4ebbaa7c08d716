import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeMirror } from './mirror.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reins-mirror-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const mirror = () => ({
  dir: join(root, 'ours'),
  of: join(root, 'theirs'),
  without: ['rules'],
  folders: ['sessions'],
  files: ['auth.json'],
});

it('links all but what is left out; what is written goes through, also to a file that was not there', () => {
  const made = mirror();
  mkdirSync(join(made.of, 'rules'), { recursive: true });
  writeFileSync(join(made.of, 'config.toml'), 'a = 1\n');
  makeMirror(made);
  expect(readdirSync(made.dir).sort()).toEqual(['auth.json', 'config.toml', 'sessions']);
  writeFileSync(join(made.dir, 'auth.json'), 'key');
  writeFileSync(join(made.dir, 'sessions', 'one'), 'words');
  expect(readFileSync(join(made.of, 'auth.json'), 'utf8')).toBe('key');
  expect(readFileSync(join(made.of, 'sessions', 'one'), 'utf8')).toBe('words');
  expect(lstatSync(join(made.dir, 'auth.json')).isSymbolicLink()).toBe(true);
});

it('made anew: new files are linked, what is left out is gone again, the rest of what the agent made stays', () => {
  const made = mirror();
  makeMirror(made);
  mkdirSync(join(made.dir, 'rules'));
  writeFileSync(join(made.dir, 'rules', 'default.rules'), 'allow');
  writeFileSync(join(made.dir, 'state.db'), 'rows');
  writeFileSync(join(made.of, 'later'), '');
  makeMirror(made);
  expect(readdirSync(made.dir).sort()).toEqual(['auth.json', 'later', 'sessions', 'state.db']);
  expect(existsSync(join(made.of, 'rules'))).toBe(false);
});

it('taken away, it leaves the original as it was', () => {
  const made = mirror();
  mkdirSync(join(made.of, 'skills'), { recursive: true });
  writeFileSync(join(made.of, 'skills', 'a.md'), 'skill');
  makeMirror(made);
  rmSync(made.dir, { recursive: true });
  expect(readFileSync(join(made.of, 'skills', 'a.md'), 'utf8')).toBe('skill');
});
