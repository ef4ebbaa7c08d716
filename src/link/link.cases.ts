/** What every link promises, whatever carries it: run against the socket and the pair in memory. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Frame } from '../contract/index.js';
import type { Link } from './link.js';

const text = (word: string): Frame => ({ kind: 'input', bytes: Buffer.from(word) });
const wordOf = (frame: Frame): string =>
  frame.kind === 'json' ? JSON.stringify(frame.json) : Buffer.from(frame.bytes).toString();

export function linkCases(name: string, makePair: () => Promise<[Link, Link]>): void {
  describe(`a link over ${name}`, () => {
    const open: Link[] = [];
    const pair = async (): Promise<[Link, Link]> => {
      const made = await makePair();
      open.push(...made);
      return made;
    };
    afterEach(() => {
      for (const link of open.splice(0)) {
        link.release();
        link.close();
      }
    });
    const gather = (link: Link): string[] => {
      const got: string[] = [];
      link.onFrame((frame) => got.push(wordOf(frame)));
      return got;
    };

    it('keeps the order, in both directions at once', async () => {
      const [left, right] = await pair();
      const [atLeft, atRight] = [gather(left), gather(right)];
      const words = Array.from({ length: 500 }, (_, index) => `w${index}`);
      for (const word of words) {
        left.send(text(`l${word}`));
        right.send(text(`r${word}`));
      }
      await vi.waitFor(() => expect([atLeft.length, atRight.length]).toEqual([500, 500]));
      expect(atRight).toEqual(words.map((word) => `l${word}`));
      expect(atLeft).toEqual(words.map((word) => `r${word}`));
    });

    it('carries every kind of frame', async () => {
      const [left, right] = await pair();
      const frames: Frame[] = [
        { kind: 'json', json: { t: 'end', reason: 'ö\u2028\n', exit: 3 } },
        { kind: 'output', offset: 2 ** 40, bytes: Buffer.from('o') },
        { kind: 'input', bytes: Buffer.alloc(0) },
        { kind: 'stderr', bytes: Buffer.from('e') },
        { kind: 'snapshot', offset: 0, bytes: Buffer.from('s') },
      ];
      const got: Frame[] = [];
      right.onFrame((frame) => got.push(frame));
      for (const frame of frames) left.send(frame);
      await vi.waitFor(() => expect(got).toHaveLength(frames.length));
      const readable = (frame: Frame) => ({ ...frame, bytes: wordOf(frame) });
      expect(got.map(readable)).toEqual(frames.map(readable));
    });

    it('the last words arrive also where they are read late and something was said meanwhile', async () => {
      const [left, right] = await pair();
      const [heard, got] = [gather(left), gather(right)];
      right.hold();
      left.send(text('goodbye'));
      left.close();
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      right.send(text('what?'));
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      right.release();
      await vi.waitFor(() => expect(got).toEqual(['goodbye']));
      expect(heard).toEqual([]);
    });

    it('loses nothing that came before somebody listened', async () => {
      const [left, right] = await pair();
      for (const word of ['a', 'b', 'c']) left.send(text(word));
      right.send(text('answer'));
      const echo = gather(left);
      await vi.waitFor(() => expect(echo).toEqual(['answer']));
      const got = gather(right);
      left.send(text('d'));
      await vi.waitFor(() => expect(got).toEqual(['a', 'b', 'c', 'd']));
    });

    it('tells its end once, to both sides, after everything that was sent', async () => {
      const [left, right] = await pair();
      const got = gather(right);
      const ends: string[] = [];
      left.onClose((reason) => ends.push(`left: ${reason}`));
      right.onClose((reason) => ends.push(`right: ${reason} after ${got.join()}`));
      left.send(text('last'));
      left.close('enough');
      left.close('again');
      await vi.waitFor(() => expect(ends).toHaveLength(2));
      right.close();
      expect(ends.toSorted()).toEqual(['left: enough', 'right: closed by the other side after last']);
      const late: string[] = [];
      left.onClose((reason) => late.push(reason));
      expect(late).toEqual(['enough']);
      expect(() => left.send(text('too late'))).not.toThrow();
      expect(() => right.send(text('too late'))).not.toThrow();
    });

    it('holds and releases, also when told twice', async () => {
      const [left, right] = await pair();
      const got = gather(right);
      left.send(text('first'));
      await vi.waitFor(() => expect(got).toEqual(['first']));
      right.hold();
      right.hold();
      // A megabyte cannot hide in the buffers between: if it is not read, it shows as queued.
      left.send({ kind: 'input', bytes: Buffer.alloc(1024 * 1024, 'x') });
      left.send(text('second'));
      const back = gather(left);
      right.send(text('the other way is open'));
      await vi.waitFor(() => expect(back).toHaveLength(1));
      expect(got).toEqual(['first']);
      expect(left.queued).toBeGreaterThan(0);
      right.release();
      right.release();
      await vi.waitFor(() => expect(got.at(-1) === 'second').toBe(true));
      expect(got.length).toBe(3);
    });

    it('carries large frames whole', async () => {
      const [left, right] = await pair();
      const got: Frame[] = [];
      right.onFrame((frame) => got.push(frame));
      const large = Buffer.alloc(8 * 1024 * 1024, 'abcdefg');
      left.send({ kind: 'output', offset: 5, bytes: large });
      left.send(text('after'));
      await vi.waitFor(() => expect(got.length).toBe(2), { timeout: 20_000 });
      const [first] = got;
      expect(first?.kind === 'output' && Buffer.from(first.bytes).equals(large)).toBe(true);
    });

    it('never waits for a peer that does not read: what it is owed is counted, and told when it is gone', async () => {
      const [left, right] = await pair();
      right.hold();
      let drained = 0;
      left.onDrain(() => {
        drained += 1;
      });
      const seen: number[] = [];
      for (let index = 0; index < 20; index += 1) {
        left.send({ kind: 'input', bytes: Buffer.alloc(512 * 1024) });
        seen.push(left.queued);
      }
      expect(left.queued).toBeGreaterThan(8 * 1024 * 1024);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      let taken = 0;
      right.onFrame(() => {
        taken += 1;
      });
      right.release();
      await vi.waitFor(() => expect(taken).toBe(20), { timeout: 20_000 });
      await vi.waitFor(() => expect([left.queued, drained > 0]).toEqual([0, true]));
    });

    it('ends, and takes nothing with it, when whoever listens fails', async () => {
      const [left, right] = await pair();
      const ends: string[] = [];
      left.onClose((reason) => ends.push(reason));
      right.onClose((reason) => ends.push(reason));
      right.onFrame(() => {
        throw new Error('listener broke');
      });
      left.send(text('x'));
      await vi.waitFor(() => expect(ends).toHaveLength(2));
      expect(ends).toContain('a message could not be handled: listener broke');
    });
  });
}
