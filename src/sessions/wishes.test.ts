import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FILES, sessionsDir } from '../disk/index.js';
import { wishedSession, withWish } from './wishes.js';

function machine() {
  const dir = mkdtempSync(join(tmpdir(), 'wishes-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const env = { HOME: dir, XDG_STATE_HOME: dir };
  const session = (id: string, wishes: string[], startedAt?: number) => {
    const at = join(sessionsDir(env), id);
    mkdirSync(at, { recursive: true, mode: 0o700 });
    const facts = { v: 1, id, name: id, mode: 'autonomous', trust: 'guarded', cwd: dir, created_at: '', wishes };
    writeFileSync(join(at, FILES.spec), JSON.stringify(facts));
    if (startedAt === undefined) return;
    const entry = {
      v: 1,
      seq: 1,
      ts: new Date(startedAt).toISOString(),
      session: id,
      type: 'session.started',
      data: {},
    };
    writeFileSync(join(at, FILES.journal), `${JSON.stringify(entry)}\n`);
  };
  const found = async (wish: string) => (await wishedSession({ env }, wish, 60))?.id;
  return { session, found };
}

test('a session is found by what it was started for, if it ever came to life', async () => {
  const { session, found } = machine();
  session('aaaaaaaa', ['phone one'], Date.now() + 5);
  session('bbbbbbbb', ['phone two']);
  session('cccccccc', ['phone three'], Date.now() - 5_000);
  session('dddddddd', ['phone four', 'phone five'], Date.now() - 5_000);
  expect(await found('phone one')).toBe('aaaaaaaa');
  // Its starter was killed before its host was there; or it was to go on, and did not.
  expect(await found('phone two')).toBeUndefined();
  expect(await found('phone three')).toBeUndefined();
  expect(await found('phone five')).toBeUndefined();
  // It went on since: it did come to life.
  expect(await found('phone four')).toBe('dddddddd');
  expect(await found('phone six')).toBeUndefined();
});

test('the newest wishes are kept', () => {
  expect(withWish(undefined, undefined)).toEqual({});
  const many = Array.from({ length: 30 }, (_, at) => `phone ${at}`);
  expect(withWish(many, 'last').wishes).toHaveLength(20);
  expect(withWish(many, 'last').wishes?.at(-1)).toBe('last');
});
