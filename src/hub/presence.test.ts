/** Whether a person is at a page: hosts are told when that changes, not with every key. */
import { expect, test } from 'vitest';
import type { SessionRow } from '../contract/index.js';
import { PagePeople, type PagePerson } from './presence.js';

const IDLE_MS = 60_000;

function setUp() {
  let now = 1_000_000;
  let told = 0;
  const people = new PagePeople({
    now: () => now,
    idleMs: IDLE_MS,
    row: () => ({}) as SessionRow,
    callable: () => [],
  });
  people.changed(() => {
    told += 1;
  });
  const page: PagePerson = {
    name: 'desk',
    right: 'admin',
    sees: () => true,
    device: { id: 'd1' },
    visible: true,
    touchedAt: now,
  };
  people.add(page);
  return {
    people,
    page,
    pass(ms: number) {
      now += ms;
    },
    touch: (visible = true) => people.sign(page, { visible, touchedAt: now }),
    told: () => told,
    isHere: () => people.now('s').present,
  };
}

test('keys of someone who is there already are told to nobody, and keep them there', () => {
  const { touch, told, pass, isHere } = setUp();
  const before = told();
  for (let key = 0; key < 100; key++) {
    pass(1_000);
    touch();
  }
  expect({ told: told() - before, isHere: isHere() }).toEqual({ told: 0, isHere: true });
});

test('one who comes back, hides the page or shows it again is told', () => {
  const { touch, told, pass, isHere } = setUp();
  const since = told();
  pass(IDLE_MS + 1);
  expect(isHere()).toBe(false);
  touch();
  expect([told() - since, isHere()]).toEqual([1, true]);
  touch(false);
  expect([told() - since, isHere()]).toEqual([2, false]);
  touch();
  expect([told() - since, isHere()]).toEqual([3, true]);
});
