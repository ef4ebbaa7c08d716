/** A viewer that is far behind is brought up to date in pages: what is on its way stays bounded, and nothing is missing. */
import { expect, it } from 'vitest';
import { type Entry, systemClock } from '../contract/index.js';
import { memoryPair } from './memory.js';
import { type CatchUp, Outbox } from './outbox.js';

const entry = (seq: number) => ({ v: 1, seq, type: 'notice', data: { text: 'x'.repeat(1000) } }) as unknown as Entry;

it('gets page after page, then what happened meanwhile, each entry once', async () => {
  const [hostLink, viewerLink] = memoryPair();
  const got: number[] = [];
  viewerLink.onFrame((frame) => {
    if (frame.kind === 'json' && frame.json.t === 'entry') got.push(frame.json.entry.seq);
  });
  let last = 20_000;
  let pages = 0;
  let mostQueued = 0;
  const catchUp: CatchUp = async ({ seq = 0 }) => {
    pages += 1;
    // The agent does not stand still meanwhile.
    last += 1;
    outbox.entry(entry(last));
    const end = Math.min(last, seq + 500);
    mostQueued = Math.max(mostQueued, hostLink.queued);
    const frames = Array.from({ length: end - seq }, (_, index) => ({
      kind: 'json' as const,
      json: { t: 'entry' as const, entry: entry(seq + index + 1) },
    }));
    return { frames, at: { seq: end }, more: end < last };
  };
  const outbox: Outbox = new Outbox({
    link: hostLink,
    catchUp,
    since: { seq: 0 },
    bytes: false,
    entries: true,
    clock: systemClock,
    isSpared: () => false,
  });
  await outbox.start();
  last += 1;
  outbox.entry(entry(last));
  await outbox.upToDate();
  await expect.poll(() => got.at(-1)).toBe(last);
  expect(got).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  expect(pages).toBeGreaterThan(40);
  expect(mostQueued).toBeLessThan(5 * 1024 * 1024);
});
