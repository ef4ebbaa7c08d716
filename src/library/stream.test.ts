import { describe, expect, it } from 'vitest';
import { Stream } from './stream.js';

function open(most = 4) {
  const calls: string[] = [];
  const source = {
    hold: () => calls.push('hold'),
    release: () => calls.push('release'),
    close: () => calls.push('close'),
  };
  return { calls, stream: new Stream<number>(source, most) };
}

describe('what comes is read in order', () => {
  it('before it is asked for, and after', async () => {
    const { stream } = open();
    stream.push(1);
    const [first, second] = [stream.next(), stream.next()];
    stream.push(2);
    stream.end();
    expect([await first, await second, await stream.next()]).toEqual([
      { value: 1, done: false },
      { value: 2, done: false },
      { value: undefined, done: true },
    ]);
  });

  it('holds its source while much waits, and lets it go on at half of that', async () => {
    const { stream, calls } = open(4);
    for (const each of [1, 2, 3]) stream.push(each);
    expect(calls).toEqual([]);
    for (const each of [4, 5]) stream.push(each);
    expect(calls).toEqual(['hold']);
    for (const _ of [1, 2]) await stream.next();
    expect(calls).toEqual(['hold']);
    await stream.next();
    expect(calls).toEqual(['hold', 'release']);
  });

  it('keeps what came before the end, and tells an error after it, once', async () => {
    const { stream, calls } = open();
    stream.push(1);
    stream.end(new Error('lost'));
    stream.push(2);
    expect(await stream.next()).toEqual({ value: 1, done: false });
    await expect(stream.next()).rejects.toThrow('lost');
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(calls).toEqual(['close']);
  });

  it('closes its source once when the reader leaves, and keeps nothing', async () => {
    const { stream, calls } = open();
    for (const each of [1, 2, 3, 4, 5]) stream.push(each);
    for await (const each of stream) if (each === 2) break;
    stream.push(6);
    stream.end();
    expect(calls).toEqual(['hold', 'close']);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  it('wakes a reader that waits when it is closed elsewhere', async () => {
    const { stream } = open();
    const waiting = stream.next();
    await stream.return();
    expect(await waiting).toEqual({ value: undefined, done: true });
  });
});
