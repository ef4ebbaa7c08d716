import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Frame, silentLog, systemClock } from '../contract/index.js';
import { Output } from './output.js';

const RING = 256 * 1024;
let dir: string;
let output: Output;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'output-'));
});

afterEach(() => {
  output.close();
  rmSync(dir, { recursive: true, force: true });
});

const terminal = () =>
  new Output({
    size: { cols: 40, rows: 5 },
    clock: systemClock,
    log: silentLog,
    recording: { path: join(dir, 'cast'), maxBytes: 1_000_000, onTrouble: () => undefined },
  });
const bytesOf = (frame: Frame | undefined) =>
  frame && frame.kind !== 'json' ? Buffer.from(frame.bytes).toString() : '';

describe('on pipes', () => {
  beforeEach(() => {
    output = new Output();
  });

  it('a viewer that was away gets exactly the bytes it missed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), fc.nat(), async (texts, seed) => {
        output = new Output();
        for (const text of texts) output.write(Buffer.from(text));
        const all = Buffer.from(texts.join(''));
        const from = seed % (all.length + 1);
        const { frame, offset } = await output.since(from);
        expect(offset).toBe(all.length);
        expect(bytesOf(frame)).toBe(all.subarray(from).toString());
        if (from < all.length) expect(frame).toMatchObject({ kind: 'output', offset: from });
      }),
    );
  });

  it('memory stays bounded, and what is older is left out by its true offset', async () => {
    for (let count = 0; count < 100; count += 1) output.write(Buffer.alloc(10_000, 'x'));
    const { frame, offset } = await output.since(0);
    expect(offset).toBe(1_000_000);
    expect(frame?.kind === 'output' && frame.offset + frame.bytes.length).toBe(1_000_000);
    expect(bytesOf(frame).length).toBeLessThanOrEqual(RING);
    expect(bytesOf(frame).length).toBeGreaterThan(RING - 10_000);
  });
});

describe('in a terminal', () => {
  beforeEach(() => {
    output = terminal();
  });

  it('a new viewer gets a redraw, and the offset it stands for', async () => {
    output.write(Buffer.from('hello'));
    const { frame, offset } = await output.since(undefined);
    expect([frame?.kind, offset]).toEqual(['snapshot', 5]);
    expect(bytesOf(frame)).toContain('hello');
  });

  it.each([-1, 6, Number.NaN, 1e15])('a viewer with an impossible offset (%d) gets a redraw', async (from) => {
    output.write(Buffer.from('hello'));
    expect((await output.since(from)).frame?.kind).toBe('snapshot');
  });

  it('whoever is up to date gets nothing', async () => {
    output.write(Buffer.from('hello'));
    expect(await output.since(5)).toEqual({ frame: undefined, offset: 5 });
  });

  it('after its end nobody who asks is failed', async () => {
    output.write(Buffer.alloc(RING + 1000, 'x'));
    output.write(Buffer.from('last'));
    output.close();
    output.close();
    expect(await output.since(undefined)).toEqual({ frame: undefined, offset: RING + 1004 });
    expect((await output.since(RING + 1000)).frame).toMatchObject({ kind: 'output' });
  });
});
