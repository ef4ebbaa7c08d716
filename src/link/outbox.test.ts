import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Entry, type Frame, systemClock } from '../contract/index.js';
import type { Link } from './link.js';
import { memoryPair } from './memory.js';
import { TinyHost, TinyViewer, turn } from './outbox.cases.js';
import { type CatchUp, Outbox } from './outbox.js';
import { socketLink } from './socket.js';

const LIMIT = 4 * 1024 * 1024;
/** Someone who drives: every byte is for them. */
const DRIVES = { clock: systemClock, isSpared: () => false };

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function socketPair(): Promise<{ host: Link; viewer: Link; far: Socket }> {
  const dir = mkdtempSync(join(tmpdir(), 'outbox-'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(dir, 's'), resolve));
  const arrived = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const far = dial(join(dir, 's'));
  const near = await arrived;
  cleanups.push(() => {
    far.destroy();
    near.destroy();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return { host: socketLink(near), viewer: socketLink(far), far };
}

type Step =
  | { do: 'write'; text: string }
  | { do: 'note' | 'turn' | 'hide' | 'show' | 'slow' | 'go' | 'stall' | 'read' }
  | { do: 'flood'; kb: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), text: fc.string({ minLength: 1 }) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom('note', 'note', 'note', 'turn', 'turn', 'hide', 'show', 'slow', 'go', 'stall', 'read'),
    }) as fc.Arbitrary<Step>,
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('flood' as const), kb: fc.integer({ min: 100, max: 3000 }) }) },
);

async function play(
  steps: Step[],
  start: { bytes: boolean; isSpared: boolean; links: { host: Link; viewer: Link } },
): Promise<void> {
  const { host: hostLink, viewer: viewerLink } = start.links;
  const host = new TinyHost();
  host.write('before');
  host.note();
  const viewer = new TinyViewer(viewerLink);
  const outbox = new Outbox({
    link: hostLink,
    catchUp: host.catchUp,
    since: { seq: 0 },
    bytes: start.bytes,
    entries: true,
    clock: systemClock,
    isSpared: () => start.isSpared,
  });
  host.outbox = outbox;
  const live = outbox.start();
  for (const one of steps) {
    if (one.do === 'write') host.write(one.text);
    else if (one.do === 'flood') for (let kb = 0; kb < one.kb; kb += 50) host.write('f'.repeat(50 * 1024));
    else if (one.do === 'note') host.note();
    else if (one.do === 'turn') await turn();
    else if (one.do === 'hide' || one.do === 'show') outbox.setBytes(one.do === 'show');
    else if (one.do === 'slow') host.slow = true;
    else if (one.do === 'stall') viewerLink.hold();
    else if (one.do === 'read') viewerLink.release();
    else {
      host.slow = false;
      for (const go of host.waiting.splice(0)) go();
    }
  }
  host.slow = false;
  for (const go of host.waiting.splice(0)) go();
  viewerLink.release();
  outbox.setBytes(true);
  await live;
  await outbox.upToDate();
  host.note();
  await outbox.upToDate();
  await vi.waitFor(() => expect(viewer.seqs.at(-1)).toBe(host.entries.length), { timeout: 20_000, interval: 5 });
  expect(viewer.seqs).toEqual(host.entries.map(({ seq }) => seq));
  expect(viewer.screen === host.output.toString()).toBe(true);
}

describe('what a viewer has applied is what the host has', () => {
  it('for every order of output, entries, hiding, slow catch-ups and stalls, over a socket', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.boolean(),
        fc.boolean(),
        async (steps, bytes, isSpared) => {
          await play(steps, { bytes, isSpared, links: await socketPair() });
          for (const cleanup of cleanups.splice(0)) cleanup();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('the same in memory, many times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, bytes) => {
        const [host, viewer] = memoryPair();
        await play(
          steps.filter(({ do: what }) => what !== 'flood'),
          { bytes, isSpared: true, links: { host, viewer } },
        );
        host.close();
      }),
      { numRuns: 200 },
    );
  });
});

describe('a viewer that does not read', () => {
  it('costs a bounded queue during 200 MB, and is brought up to date afterwards', async () => {
    const { host: hostLink, viewer: viewerLink } = await socketPair();
    const host = new TinyHost();
    const viewer = new TinyViewer(viewerLink);
    // Only the end of the output is kept here: 200 MB need not be in memory to be sent.
    let offset = 0;
    const catchUp: CatchUp = async (from, wants) => {
      const frames: Frame[] = host.entries
        .filter(({ seq }) => seq > (from.seq ?? 0))
        .map((entry) => ({ kind: 'json', json: { t: 'entry', entry } }));
      if (wants.bytes) frames.push({ kind: 'snapshot', offset, bytes: Buffer.from(`screen at ${offset}`) });
      return { frames, at: { seq: host.entries.length, offset } };
    };
    const outbox = new Outbox({ link: hostLink, catchUp, since: {}, bytes: true, entries: true, ...DRIVES });
    host.outbox = outbox;
    await outbox.start();
    viewerLink.hold();
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let most = 0;
    for (let sent = 0; sent < 200 * 1024 * 1024; sent += chunk.length) {
      outbox.output(offset, chunk);
      offset += chunk.length;
      if (sent % (8 * 1024 * 1024) === 0) {
        host.note();
        await turn();
      }
      most = Math.max(most, hostLink.queued);
    }
    expect(outbox.state).toBe('behind');
    expect(most).toBeGreaterThan(LIMIT);
    expect(most).toBeLessThanOrEqual(LIMIT + 256 * 1024 + 64);
    expect(outbox.crowded).toBe(true);
    let hasRoom = false;
    const room = outbox.room().then(() => {
      hasRoom = true;
    });
    await turn();
    expect(hasRoom).toBe(false);
    viewerLink.release();
    await room;
    await outbox.upToDate();
    await vi.waitFor(() => expect(viewer.screen).toBe(`screen at ${offset}`));
    expect(viewer.seqs).toEqual(host.entries.map(({ seq }) => seq));
    outbox.output(offset, Buffer.from('!'));
    await vi.waitFor(() => expect(viewer.screen).toBe(`screen at ${offset}!`));
  });

  it('is not sent a long journal all at once', async () => {
    const { host: hostLink, viewer: viewerLink } = await socketPair();
    viewerLink.hold();
    const host = new TinyHost();
    const large = 'x'.repeat(20 * 1024);
    for (let seq = 1; seq <= 1000; seq += 1) {
      host.entries.push({ v: 1, seq, type: 'agent.text', data: { text: large } } as unknown as Entry);
    }
    const viewer = new TinyViewer(viewerLink);
    const outbox = new Outbox({
      link: hostLink,
      catchUp: host.catchUp,
      since: { seq: 0 },
      bytes: true,
      entries: true,
      ...DRIVES,
    });
    host.outbox = outbox;
    const live = outbox.start();
    await vi.waitFor(() => expect(outbox.state).toBe('behind'));
    expect(hostLink.queued).toBeLessThan(LIMIT + 64 * 1024);
    host.note();
    viewerLink.release();
    await live;
    await vi.waitFor(() => expect(viewer.seqs).toHaveLength(1001));
    expect(viewer.seqs).toEqual(host.entries.map(({ seq }) => seq));
  });
});

describe('the ends of it', () => {
  it('a hidden viewer gets entries and not one byte', async () => {
    const [hostLink, viewerLink] = memoryPair();
    const host = new TinyHost();
    host.write('secret');
    const viewer = new TinyViewer(viewerLink);
    host.outbox = new Outbox({
      link: hostLink,
      catchUp: host.catchUp,
      since: {},
      bytes: false,
      entries: true,
      ...DRIVES,
    });
    await host.outbox.start();
    host.write('more');
    host.outbox.stderr(Buffer.from('errors'));
    host.note();
    await vi.waitFor(() => expect(viewer.seqs).toEqual([1]));
    expect([viewer.screen, viewer.frames]).toEqual(['', 1]);
    hostLink.close();
  });

  it('standard error comes in order with the output', async () => {
    const [hostLink, viewerLink] = memoryPair();
    const host = new TinyHost();
    const order: string[] = [];
    viewerLink.onFrame((frame) => {
      if (frame.kind !== 'json') order.push(`${frame.kind}:${Buffer.from(frame.bytes)}`);
    });
    host.outbox = new Outbox({
      link: hostLink,
      catchUp: host.catchUp,
      since: { offset: 0 },
      bytes: true,
      entries: false,
      ...DRIVES,
    });
    await host.outbox.start();
    host.write('a');
    host.write('b');
    host.outbox.stderr(Buffer.from('E'));
    host.write('c');
    await vi.waitFor(() => expect(order).toEqual(['output:a', 'output:b', 'stderr:E', 'output:c']));
    hostLink.close();
  });

  it('a viewer that is gone keeps nobody waiting', async () => {
    const [hostLink] = memoryPair();
    const host = new TinyHost();
    host.slow = true;
    const outbox = new Outbox({
      link: hostLink,
      catchUp: host.catchUp,
      since: {},
      bytes: true,
      entries: true,
      ...DRIVES,
    });
    const live = outbox.start();
    hostLink.close();
    await live;
    await outbox.upToDate();
    for (const go of host.waiting) go();
    await turn();
    expect(outbox.state).toBe('catching');
  });

  it('a catch-up that fails ends the link, not the process', async () => {
    const [hostLink, viewerLink] = memoryPair();
    const why = new Promise<string>((resolve) => hostLink.onClose(resolve));
    const catchUp = () => Promise.reject(new Error('no screen'));
    const outbox = new Outbox({ link: hostLink, catchUp, since: {}, bytes: true, entries: true, ...DRIVES });
    viewerLink.onFrame(() => undefined);
    await outbox.start();
    expect(await why).toBe('it could not be brought up to date: no screen');
  });
});
