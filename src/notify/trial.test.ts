import { expect, test } from 'vitest';
import { ConfigSchema } from '../config/schema.js';
import type { SessionId } from '../contract/index.js';
import { Notification } from '../contract/schemas.js';
import type { DeliverPorts } from './deliver.js';
import { tellDied } from './tell-died.js';
import { lookAtNotifiers, tryNotifiers } from './trial.js';

const ports: DeliverPorts = {
  env: {},
  version: '0.0.0',
  now: () => Date.now(),
  run: async ({ argv, stdin }) => ({
    code: argv[0] === 'good' ? 0 : 3,
    stdout: new Uint8Array(),
    stderr: `first\n\u001b[31m${JSON.parse(stdin).type} failed\n`,
  }),
};
const config = (written: object) => ConfigSchema.parse({ notify: written }).notify;

test('each is tried once, whatever the hour, and a failure says why and what to do', async () => {
  const hooks = [{ url: 'https://a.example/x', secret_env: 'NOT_SET' }, 'http://127.0.0.1:9/discard'];
  const tried = await tryNotifiers(config({ command: ['bad'], webhooks: hooks, quiet_hours: '00:00-23:59' }), ports);
  expect(tried.map(({ notifier, ok, detail }) => [notifier, ok, detail])).toEqual([
    ['notify.command', false, 'it ended with 3: [31mtest failed'],
    ['webhook a.example', false, 'NOT_SET is not set'],
    ['webhook 127.0.0.1:9', false, 'ECONNREFUSED'],
  ]);
  expect(tried.every(({ fix }) => fix !== undefined)).toBe(true);
  expect(await tryNotifiers(config({ command: { run: ['good'], answers: true } }), ports)).toMatchObject([
    { notifier: 'notify.command', kind: 'command', answers: true, ok: true, detail: 'exit 0' },
  ]);
  expect(await tryNotifiers(config({}), ports)).toEqual([]);
});

test('what is missing is known without trying', () => {
  const hook = { url: 'https://a.example/x', secret_file: '/no/such/file', answers: true };
  expect(lookAtNotifiers(config({ command: 'x', webhooks: [hook] }), {})).toEqual([
    { name: 'notify.command', answers: false },
    { name: 'webhook a.example', answers: true, reason: '/no/such/file cannot be read: ENOENT: check secret_file' },
  ]);
});

test('a dead host is told by whoever noticed, to who is to be told now', async () => {
  const told: string[] = [];
  const noting: DeliverPorts = {
    ...ports,
    run: async ({ stdin }) => {
      told.push(stdin);
      return { code: 0, stdout: new Uint8Array(), stderr: '' };
    },
  };
  const session = {
    id: 'k7f2m9qd' as SessionId,
    name: 'shop',
    agent: 'claude',
    mode: 'autonomous' as const,
    cwd: '/a/shop',
  };
  expect(await tellDied(config({ command: 'x', webhooks: ['http://127.0.0.1:9/x'] }), session, noting)).toEqual([
    'webhook 127.0.0.1:9',
  ]);
  expect(Notification.parse(JSON.parse(told[0]!))).toMatchObject({
    type: 'session.died',
    title: 'shop: its host died',
  });
  expect(await tellDied(config({ command: 'x', on: ['ended'] }), session, noting)).toEqual([]);
  const night = { ...noting, now: () => new Date(2026, 4, 5, 3).getTime() };
  expect(await tellDied(config({ command: 'x', quiet_hours: '22:00-07:00' }), session, night)).toEqual([]);
  expect(told.length).toBe(1);
});
