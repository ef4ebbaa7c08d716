import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandClock, systemClock } from '../contract/index.js';
import { acceptEntry } from './agent-file.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-file-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const entryIn = (folder: string) => {
  const file = join(folder, '.claude.json');
  return { file, path: ['projects', '/w', 'ok'], value: true, lock: `${file}.lock` };
};
const read = () => readFileSync(join(dir, '.claude.json'), 'utf8');

describe('an entry in the agent’s own file', () => {
  it('is added, and nothing else is touched: bytes, mode, other files', async () => {
    const text = '{"numStartups": 12,\n\n  "huge":123456789012345678901234567890, "projects":{"/v":{"ok":false}}}';
    writeFileSync(join(dir, '.claude.json'), text);
    chmodSync(join(dir, '.claude.json'), 0o640);
    expect(await acceptEntry(entryIn(dir), systemClock)).toEqual({ did: 'added' });
    expect(read()).toBe(text.replace('{"ok":false}}}', '{"ok":false},"/w":{"ok":true}}}'));
    expect(statSync(join(dir, '.claude.json')).mode & 0o777).toBe(0o640);
    expect(readdirSync(dir)).toEqual(['.claude.json']);
    const before = statSync(join(dir, '.claude.json')).mtimeMs;
    expect(await acceptEntry(entryIn(dir), systemClock)).toEqual({ did: 'nothing' });
    expect(statSync(join(dir, '.claude.json')).mtimeMs).toBe(before);
  });

  it('makes the file where there is none, for its user alone', async () => {
    const folder = join(dir, 'new');
    expect(await acceptEntry(entryIn(folder), systemClock)).toEqual({ did: 'added' });
    expect(JSON.parse(readFileSync(join(folder, '.claude.json'), 'utf8'))).toEqual({
      projects: { '/w': { ok: true } },
    });
    expect(statSync(join(folder, '.claude.json')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['half a file', '{"projects": {'],
    ['not an object', '[]'],
    ['something else in its place', '{"projects": "none"}'],
    ['bytes that are no text', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('is refused, and the file left as it is: %s', async (_, content) => {
    writeFileSync(join(dir, '.claude.json'), content);
    const before = readFileSync(join(dir, '.claude.json'));
    expect(await acceptEntry(entryIn(dir), systemClock)).toMatchObject({ did: 'refused' });
    expect(readFileSync(join(dir, '.claude.json')).equals(before)).toBe(true);
    expect(readdirSync(dir)).toEqual(['.claude.json']);
  });

  it('goes into the file a link leads to, and the link stays', async () => {
    mkdirSync(join(dir, 'dotfiles'));
    writeFileSync(join(dir, 'dotfiles', 'claude.json'), '{}');
    symlinkSync(join('dotfiles', 'claude.json'), join(dir, '.claude.json'));
    expect(await acceptEntry(entryIn(dir), systemClock)).toEqual({ did: 'added' });
    expect(lstatSync(join(dir, '.claude.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(dir, 'dotfiles', 'claude.json'), 'utf8')).toContain('"ok":true');
  });

  it('waits for the agent’s lock, and sees what the agent wrote meanwhile', async () => {
    writeFileSync(join(dir, '.claude.json'), '{}');
    const entry = entryIn(dir);
    mkdirSync(entry.lock);
    const clock = new HandClock(Date.now());
    const done = acceptEntry(entry, clock);
    clock.advance(50);
    expect(read()).toBe('{}');
    writeFileSync(entry.file, '{"numStartups":1}');
    rmdirSync(entry.lock);
    await Promise.resolve();
    clock.advance(50);
    expect(await done).toEqual({ did: 'added' });
    expect(JSON.parse(read())).toEqual({ numStartups: 1, projects: { '/w': { ok: true } } });
    expect(existsSync(entry.lock)).toBe(false);
  });

  it('takes over a lock that a dead process left', async () => {
    writeFileSync(join(dir, '.claude.json'), '{}');
    const entry = entryIn(dir);
    mkdirSync(entry.lock);
    utimesSync(entry.lock, new Date(0), new Date(0));
    expect(await acceptEntry(entry, systemClock)).toEqual({ did: 'added' });
    expect(existsSync(entry.lock)).toBe(false);
  });
});
