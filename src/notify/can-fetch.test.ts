import { expect, test } from 'vitest';
import { ConfigSchema } from '../config/schema.js';
import { canFetch } from './can-fetch.js';
import { notifiersOf } from './notifiers.js';
import { isQuiet, quietFor } from './quiet-hours.js';

const notify = (written: object) => ConfigSchema.parse({ notify: written }).notify;
const secret = 'a secret of some length';
const at = (hour: number, minute = 0) => new Date(2026, 4, 5, hour, minute).getTime();

test('as the contract writes it, and as maps', () => {
  const [command, short, long] = notifiersOf(
    notify({
      command: 'x | y',
      webhooks: ['https://a.example/key', { url: 'https://a.example/2', secret, answers: true }],
    }),
  );
  expect(command).toEqual({
    kind: 'command',
    name: 'notify.command',
    argv: ['/bin/sh', '-c', 'x | y'],
    answers: false,
    always: false,
    timeoutMs: 30_000,
  });
  expect(short).toMatchObject({ name: 'webhook a.example', answers: false, timeoutMs: 10_000 });
  expect(long).toMatchObject({
    name: 'webhook a.example (2)',
    answers: true,
    secret: { text: secret },
    timeoutMs: 60_000,
  });
  expect(notifiersOf(notify({ command: ['x', '|'] }))).toMatchObject([{ argv: ['x', '|'] }]);
  expect(notifiersOf(notify({}))).toEqual([]);
});

test.each([
  { webhooks: ['http://a.example/x'] },
  { webhooks: ['http://127.0.0.1.a.example/x'] },
  { webhooks: ['ftp://a.example/x'] },
  { webhooks: [{ url: 'https://a.example', answers: true }] },
  { webhooks: [{ url: 'https://a.example', secret: 'short' }] },
  { webhooks: [{ url: 'https://a.example', secret, secret_env: 'X' }] },
  { command: [] },
  { quiet_hours: '22-7' },
  { quiet_hours: '25:00-07:00' },
  { on: ['everything'] },
])('%j is refused', (written) => expect(() => notify(written)).toThrow());

test('somebody is reachable by what may answer, while it may be told of inquiries', () => {
  expect(canFetch(notify({ command: 'x', webhooks: ['https://a.example'] }))).toBeUndefined();
  expect(canFetch(notify({ command: { run: 'x', answers: true } }))).toBe('notify.command');
  expect(canFetch(notify({ command: { run: 'x', answers: true }, on: ['ended'] }))).toBeUndefined();
  expect(canFetch(notify({ webhooks: [{ url: 'http://localhost:1', name: 'phone', secret, answers: true }] }))).toBe(
    'phone',
  );
});

test('in quiet hours nobody is, unless it is told always', () => {
  const hours = { quiet_hours: '22:00-07:00' };
  const asks = notify({ command: { run: 'x', answers: true }, ...hours });
  expect([at(21, 59), at(22), at(3), at(6, 59), at(7)].map((now) => canFetch(asks, now) !== undefined)).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
  const always = notify({ command: { run: 'x', answers: true, always: true }, ...hours });
  expect(canFetch(always, at(3))).toBe('notify.command');
});

test('quiet hours end', () => {
  expect(quietFor('22:00-07:00', at(23, 30))).toBe(7.5 * 3_600_000);
  expect(quietFor('12:00-13:00', at(12, 59) + 30_000)).toBe(30_000);
  expect(quietFor('12:00-13:00', at(13))).toBe(0);
  expect([isQuiet('12:00-13:00', at(12)), isQuiet('12:00-12:00', at(12)), isQuiet(undefined, at(12))]).toEqual([
    true,
    false,
    false,
  ]);
});
