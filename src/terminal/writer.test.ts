import { expect, it } from 'vitest';
import { Writer } from './writer.js';

it('counts what waits, refuses what is too much, and settles each write once', async () => {
  const sent: { bytes: Uint8Array; done: (error?: Error) => void }[] = [];
  const writer = new Writer((bytes, done) => void sent.push({ bytes, done }), { limit: 10 });
  const first = writer.write('12345');
  const second = writer.write(Buffer.from('67890'));
  expect(writer.waiting).toBe(10);
  expect(await writer.write('x')).toBe('full');
  sent[0]?.done();
  sent[0]?.done(new Error('twice'));
  expect(await first).toBe('written');
  expect(writer.waiting).toBe(5);
  const third = writer.write('abc');
  sent[1]?.done(new Error('EIO'));
  expect(await second).toBe('gone');
  writer.close();
  writer.close();
  expect(await third).toBe('gone');
  expect(await writer.write('late')).toBe('gone');
  expect(writer.waiting).toBe(0);
});

it('takes one large write when nothing waits, and a copy of the bytes', async () => {
  const sent: { bytes: Uint8Array; done: () => void }[] = [];
  const writer = new Writer((bytes, done) => void sent.push({ bytes, done }), { limit: 10 });
  const bytes = Buffer.from('longer than the limit');
  const large = writer.write(bytes);
  bytes.fill(0);
  expect(Buffer.from(sent[0]?.bytes ?? []).toString()).toBe('longer than the limit');
  sent[0]?.done();
  expect(await large).toBe('written');
  expect(await writer.write('')).toBe('written');
  expect(writer.lastByte).toBe('t'.charCodeAt(0));
});
