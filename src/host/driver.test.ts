import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HandClock, type SessionId, type ViewerId } from '../contract/index.js';
import { Journal } from '../journal/index.js';
import { DriverLease } from './driver.js';

const [ann, bob] = ['v-ann', 'v-bob'] as ViewerId[] as [ViewerId, ViewerId];
let dir: string;
let journal: Journal;
let lease: DriverLease;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'driver-'));
  const session = 'k7f2m9qd' as SessionId;
  ({ journal } = Journal.open({ file: join(dir, 'j'), session, clock: new HandClock() }));
  lease = new DriverLease(journal);
});

afterEach(() => {
  journal.close();
  rmSync(dir, { recursive: true, force: true });
});

const changes = () => journal.page({ since: 0 }).entries.map(({ data }) => (data as { driver: string | null }).driver);

it('goes to the first who asks, and to nobody else unasked', () => {
  expect(lease.holder).toBeNull();
  expect(lease.ask(ann, { take: false })).toBe(true);
  expect(lease.ask(bob, { take: false })).toBe(false);
  expect(lease.ask(ann, { take: true })).toBe(true);
  expect([lease.holder, changes()]).toEqual([ann, [ann]]);
});

it('is taken over only on purpose, and everyone sees it', () => {
  lease.ask(ann, { take: false });
  expect(lease.ask(bob, { take: true })).toBe(true);
  expect([lease.holder, changes()]).toEqual([bob, [ann, bob]]);
  expect(journal.page({ since: 1 }).entries[0]?.data).toMatchObject({ because: 'taken over from v-ann' });
});

it('is free when its holder leaves, and not when another does', () => {
  lease.ask(ann, { take: false });
  lease.release(bob);
  expect(lease.holder).toBe(ann);
  lease.release(ann);
  lease.release(ann);
  expect([lease.holder, changes()]).toEqual([null, [ann, null]]);
  expect(lease.ask(bob, { take: false })).toBe(true);
});
