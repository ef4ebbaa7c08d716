import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../contract/index.js';
import { vapidKeys } from './keys.js';
import { FakePushService, isSignedBy } from './push-service.cases.js';
import { PushSender } from './sender.js';

const dir = mkdtempSync(join(tmpdir(), 'push-'));
const env = { XDG_STATE_HOME: dir };
const file = join(dir, 'reins', 'hub', 'push-keys.json');
const service = new FakePushService();
const never = new AbortController().signal;
beforeAll(() => service.listen());
afterAll(async () => {
  await service.close();
  rmSync(dir, { recursive: true });
});

const keys = vapidKeys(env, silentLog);
const sender = (hosts: string[], address = '127.0.0.1') =>
  new PushSender({
    keys,
    hosts,
    subject: 'mailto:hub@reins.example',
    ca: service.cert,
    resolve: async () => [{ address, family: 4 }],
  });
const asked = (endpoint = service.subscription('one').endpoint) => ({
  ...service.subscription('one'),
  endpoint,
  payload: JSON.stringify({ title: 'hello' }),
  ttlSecs: 60,
  urgency: 'high' as const,
  topic: 'abc',
});

it('W55 the hub’s key pair is made once, and readable by the user alone', () => {
  expect(vapidKeys(env, silentLog)).toEqual(keys);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const kept = readFileSync(file, 'utf8');
  writeFileSync(file, '{"publicKey": "x", "privateKey": "y"}');
  expect(vapidKeys(env, silentLog).publicKey).not.toBe(keys.publicKey);
  writeFileSync(file, kept);
});

it('W29 a message arrives encrypted for its browser and signed by the hub', async () => {
  const receipt = await sender([`inside:127.0.0.1:${service.port}`]).send(asked(), never);
  expect(receipt).toEqual({ status: 201 });
  const [request] = service.got;
  expect(request!.message).toEqual({ title: 'hello' });
  expect(request!.headers).toMatchObject({ ttl: '60', urgency: 'high', topic: 'abc', 'content-encoding': 'aes128gcm' });
  expect(isSignedBy(keys.publicKey, request!, service.origin)).toBe(true);
});

it('W33 the hub cannot be made to call an address inside', async () => {
  const before = service.got.length;
  const named = `push.test:${service.port}`;
  const endpoint = `https://push.test:${service.port}/push/one`;
  // Named by the user, but it means an address inside: written as such it may, else not.
  expect(await sender([named]).send(asked(endpoint), never)).toMatchObject({
    trouble: expect.stringMatching(/inside/),
    again: false,
  });
  expect(await sender([named], '169.254.169.254').send(asked(endpoint), never)).toMatchObject({
    trouble: expect.stringMatching(/inside/),
  });
  expect(await sender([]).send(asked(), never)).toMatchObject({
    trouble: expect.stringMatching(/no push service/),
    again: false,
  });
  // A service that is known, and a resolver that lies.
  const known = asked('https://fcm.googleapis.com/fcm/send/x');
  expect(await sender([]).send(known, never)).toMatchObject({ trouble: expect.stringMatching(/inside/) });
  expect(service.got).toHaveLength(before);
  expect(await sender([`inside:${named}`]).send(asked(endpoint), never)).toEqual({ status: 201 });
});

it('W33 no redirect is followed, and a status comes back as it is', async () => {
  const before = service.got.length;
  const good = sender([`inside:127.0.0.1:${service.port}`]);
  service.answers.push({ status: 307, headers: { location: `${service.origin}/elsewhere` } });
  expect(await good.send(asked(), never)).toEqual({ status: 307 });
  service.answers.push({ status: 429, headers: { 'retry-after': '7' } });
  expect(await good.send(asked(), never)).toEqual({ status: 429, retryAfterSecs: 7 });
  expect(service.got).toHaveLength(before + 2);
  // Nobody listens: that may change.
  expect(await sender(['inside:127.0.0.1:1']).send(asked('https://127.0.0.1:1/x'), never)).toMatchObject({
    again: true,
  });
});
