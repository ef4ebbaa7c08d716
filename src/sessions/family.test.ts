/** Who is above a new session: by descent, by the mark where that is broken, and how far down it goes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sessionsDir } from '../disk/index.js';
import { statOf } from '../proc/index.js';
import { familyOf } from './family.js';

let root: string;
let env: Record<string, string>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'family-'));
  env = { XDG_STATE_HOME: root };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A living host is a process that lives: an ancestor of ours, or ourselves, who are no ancestor of what we would start. */
function lives(id: string, pid: number, depth?: number, namespace?: string): void {
  const dir = join(sessionsDir(env), id);
  mkdirSync(dir, { recursive: true });
  const start_ticks = statOf(pid)!.startTicks;
  writeFileSync(join(dir, 'host.json'), JSON.stringify({ pid, start_ticks }));
  const spec = {
    id,
    name: id,
    mode: 'autonomous',
    trust: 'guarded',
    cwd: '/',
    created_at: '',
    ...(depth ? { depth } : {}),
    ...(namespace ? { namespace } : {}),
  };
  writeFileSync(join(dir, 'session.json'), JSON.stringify(spec));
}

const inside = (mark: string) => ({ env: { ...env, REINS_SESSION: mark }, cwd: '/' });
const ELSEWHERE = 1;

test('outside every session there is none', () => {
  lives('aaaa2222', ELSEWHERE);
  expect(familyOf({ env, cwd: '/' })).toEqual({});
});

test('the nearest host above counts, whatever the mark says', () => {
  lives('aaaa2222', process.ppid, 1);
  lives('bbbb2222', ELSEWHERE);
  expect(familyOf(inside('bbbb2222'))).toEqual({ parent: 'aaaa2222', depth: 2 });
  expect(familyOf(inside('gone2222'))).toEqual({ parent: 'aaaa2222', depth: 2 });
});

test('where no host is above, the mark, or what a server of ours keeps, names a living one', () => {
  lives('bbbb2222', ELSEWHERE);
  expect(familyOf(inside('bbbb2222'))).toEqual({ parent: 'bbbb2222', depth: 1 });
  expect(familyOf({ env, cwd: '/', inside: 'bbbb2222' })).toEqual({ parent: 'bbbb2222', depth: 1 });
  expect(familyOf(inside('gone2222'))).toEqual({ depth: 1 });
});

test('a session below another is in its namespace; outside, in the one that was asked for', () => {
  lives('aaaa2222', process.ppid, 1, 'work');
  const asking = { ...inside('aaaa2222'), env: { ...env, REINS_SESSION: 'aaaa2222', REINS_NAMESPACE: 'other' } };
  expect(familyOf(asking)).toEqual({ parent: 'aaaa2222', depth: 2, namespace: 'work' });
  expect(familyOf(asking, 'work')).toMatchObject({ namespace: 'work' });
  expect(() => familyOf(asking, 'other')).toThrow('may not choose the namespace other');
  expect(() => familyOf(asking, 'default')).toThrow('may not choose the namespace default');
  const outside = { env: { ...env, REINS_NAMESPACE: 'other' }, cwd: '/' };
  expect(familyOf(outside)).toEqual({ namespace: 'other' });
  expect(familyOf(outside, 'work')).toEqual({ namespace: 'work' });
  expect(familyOf(outside, 'default')).toEqual({});
  for (const bad of ['', '.x', '../x', 'a b', 'a'.repeat(65), 'ü'])
    expect(() => familyOf(outside, bad)).toThrow('is no name of a namespace');
});

test('three below the one a person started, and no more; nor by forgetting where one is', () => {
  lives('aaaa2222', process.ppid, 2);
  expect(familyOf(inside('aaaa2222')).depth).toBe(3);
  lives('aaaa2222', process.ppid, 3);
  expect(() => familyOf(inside('aaaa2222'))).toThrow('3 sessions below');
  lives('aaaa2222', ELSEWHERE, 3);
  expect(() => familyOf(inside('gone2222'))).toThrow('3 sessions below');
});
