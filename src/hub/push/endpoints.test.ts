import { expect, it } from 'vitest';
import { isInside } from './addresses.js';
import { checkEndpoint } from './endpoints.js';

it.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '255.255.255.255',
  '224.0.0.1',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  'fe80::1',
  'fd00:ec2::254',
  'fc00::1',
  'ff02::1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:1::',
  '2001:db8::1',
  '2001::1',
  'fe80::1%eth0',
  'localhost',
  '',
])('%s is an address inside', (address) => {
  expect(isInside(address)).toBe(true);
});

it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2a00:1450:4001::200e', '64:ff9b::808:808', '2620:149::1'])(
  '%s is outside',
  (address) => {
    expect(isInside(address)).toBe(false);
  },
);

it.each([
  'https://fcm.googleapis.com/fcm/send/abc',
  'https://updates.push.services.mozilla.com/wpush/v2/abc',
  'https://web.push.apple.com/abc',
  'https://wns2-par02p.notify.windows.com/w/?token=abc',
])('%s is a push service', (endpoint) => {
  expect(checkEndpoint(endpoint, [])).toMatchObject({ mayBeInside: false });
});

it.each([
  ['http://fcm.googleapis.com/x', 'not https'],
  ['https://fcm.googleapis.com:8443/x', 'no push service'],
  ['https://fcm.googleapis.com./x', 'no push service'],
  ['https://fcm.googleapis.com.evil.example/x', 'no push service'],
  ['https://evil.example/fcm.googleapis.com', 'no push service'],
  ['https://push.apple.com/x', 'no push service'],
  ['https://notpush.apple.com/x', 'no push service'],
  ['https://user@fcm.googleapis.com/x', 'password'],
  ['https://fcm.googleapis.com@127.0.0.1/x', 'password'],
  ['https://127.0.0.1/x', 'no push service'],
  ['https://[::1]/x', 'no push service'],
  ['https://0x7f.1/x', 'no push service'],
  ['file:///etc/passwd', 'not https'],
  ['javascript:alert(1)', 'not https'],
  ['', 'no address'],
])('%s is refused', (endpoint, reason) => {
  expect(checkEndpoint(endpoint, [])).toEqual({ refused: expect.stringContaining(reason) });
});

it('a service that the user named is one, and inside only where that was written', () => {
  const named = ['push.example.org', '*.wide.example:8443', 'inside:push.lan', 'inside:127.0.0.1:9443'];
  expect(checkEndpoint('https://push.example.org/x', named)).toMatchObject({ mayBeInside: false });
  expect(checkEndpoint('https://a.b.wide.example:8443/x', named)).toMatchObject({ mayBeInside: false });
  expect(checkEndpoint('https://push.lan/x', named)).toMatchObject({ mayBeInside: true });
  expect(checkEndpoint('https://127.0.0.1:9443/x', named)).toMatchObject({ mayBeInside: true });
  for (const other of ['https://127.0.0.1/x', 'https://127.0.0.1:9444/x', 'https://wide.example:8443/x'])
    expect(checkEndpoint(other, named)).toHaveProperty('refused');
});
