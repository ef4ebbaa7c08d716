import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Entry, HandClock, type SessionId } from '../contract/index.js';
import { countOf, type EntriesAsk, Journal, journalOf, MOST_ENTRIES, ofTypes, readPage } from './index.js';
import { type Bytes, entriesFrom } from './lines.js';
import { Past, pageOf } from './pages.js';

const session = 'k7f2m9qd' as SessionId;
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'journal-'));
  file = join(dir, 'journal.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const line = (seq: number, text: string, type = 'agent.text') =>
  `${JSON.stringify({ v: 1, seq, ts: '2026-01-01T00:00:00.000Z', session, type, data: { text } })}\n`;

/** Bytes in memory that count how many of them were asked for. */
function counted(content: Buffer): Bytes & { taken: number } {
  return {
    size: content.length,
    taken: 0,
    read(from, to) {
      const part = content.subarray(from, to);
      this.taken += part.length;
      return part;
    },
  };
}

const seqs = (entries: Iterable<Entry>) => [...entries].map(({ seq }) => seq);

describe('a past that is fixed', () => {
  const opened = (seq: number, text = 'q') => line(seq, text, 'inquiry.opened');
  const past = (content: string) => {
    const bytes = counted(Buffer.from(content));
    return { bytes, entries: new Past((use) => use(bytes), { isFixed: true }) };
  };

  it('is read once for what a host asks again and again, and each asker has entries of its own', () => {
    const { bytes, entries } = past(`${line(1, 'words')}${opened(2)}${line(3, 'x', 'agent.ended')}${opened(4)}`);
    expect(seqs(ofTypes(entries, ['inquiry.opened']))).toEqual([2, 4]);
    const { taken } = bytes;
    const [first] = [...ofTypes(entries, ['inquiry.opened', 'agent.ended'])];
    (first!.data as { text?: string }).text = 'changed';
    expect([...ofTypes(entries, ['inquiry.opened'])][0]!.data).toEqual({ text: 'q' });
    expect(seqs(ofTypes(entries, ['agent.ended']))).toEqual([3]);
    expect(countOf(entries, 'inquiry.opened')).toBe(2);
    expect(bytes.taken).toBe(taken);
    expect(seqs(ofTypes(entries, ['inquiry.opened', 'agent.text']))).toEqual([1, 2, 4]);
    expect(bytes.taken).toBe(2 * taken);
  });

  it('with more than is kept is read each time, whole', () => {
    const many = Array.from({ length: 30 }, (_, index) => opened(index + 1, 'x'.repeat(50_000))).join('');
    const { entries } = past(many);
    for (let round = 0; round < 2; round += 1)
      expect(seqs(ofTypes(entries, ['inquiry.opened']))).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });
});

describe('a page', () => {
  it('is what the whole journal would give, whatever is asked and whatever lines are spoiled', () => {
    const lines = fc.array(
      fc.record({ gap: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 0, max: 9000 }), bad: fc.boolean() }),
      { maxLength: 60 },
    );
    const number = fc.option(fc.integer({ min: 0, max: 130 }), { nil: undefined });
    const asks = fc.record({ since: number, before: number, limit: fc.integer({ min: 1, max: 70 }) });
    fc.assert(
      fc.property(lines, asks, (drafts, ask: EntriesAsk & { limit: number }) => {
        let seq = 0;
        const whole: number[] = [];
        const text = drafts.map(({ gap, size, bad }) => {
          seq += gap;
          if (!bad) whole.push(seq);
          return bad ? `{"v":1,"seq":${'#'.repeat(size)}\n` : line(seq, 'x'.repeat(size));
        });
        const { entries, more } = pageOf(counted(Buffer.from(`${text.join('')}{"torn`)), ask);
        const { since = 0, before = Number.POSITIVE_INFINITY, limit } = ask;
        const fits = whole.filter((one) => one > since && one < before);
        const isForward = ask.since !== undefined && ask.before === undefined;
        const got = seqs(entries);
        // Bounded in bytes too: it may be shorter than asked for, and then says that there is more.
        expect(got).toEqual(isForward ? fits.slice(0, got.length) : fits.slice(fits.length - got.length));
        expect(more).toBe(got.length < fits.length);
        expect(got.length).toBeLessThanOrEqual(limit);
        if (fits.length > 0) expect(got.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  it('of a journal of 200 000 entries reads a bounded part of it, from either end and from the middle', () => {
    const text = Array.from({ length: 200_000 }, (_, index) => line(index + 1, `word ${index} `.repeat(index % 20)));
    const content = Buffer.from(text.join(''));
    expect(content.length).toBeGreaterThan(30_000_000);
    const asks: [EntriesAsk, number[], boolean][] = [
      [{ limit: 3 }, [199_998, 199_999, 200_000], true],
      [{ since: 0, limit: 2 }, [1, 2], true],
      [{ since: 123_456, limit: 2 }, [123_457, 123_458], true],
      [{ before: 77_777, limit: 2 }, [77_775, 77_776], true],
      [{ since: 199_999 }, [200_000], false],
      [{ since: 200_000 }, [], false],
      [{ before: 1 }, [], false],
      [{ since: 77_770, before: 77_773 }, [77_771, 77_772], false],
    ];
    for (const [ask, expected, more] of asks) {
      const bytes = counted(content);
      const page = pageOf(bytes, ask);
      expect([seqs(page.entries), page.more], JSON.stringify(ask)).toEqual([expected, more]);
      expect(bytes.taken, JSON.stringify(ask)).toBeLessThan(400_000);
    }
    const all = counted(content);
    expect(pageOf(all, { limit: 1_000_000 }).entries.length).toBeLessThanOrEqual(MOST_ENTRIES);
    expect(all.taken).toBeLessThan(1_000_000);
  });

  it('holds one large entry, and not two', () => {
    const large = 'y'.repeat(3 * 1024 * 1024);
    writeFileSync(file, line(1, 'a') + line(2, large) + line(3, large) + line(4, 'b'));
    expect(seqs(readPage(file, { since: 0 }).entries)).toEqual([1, 2]);
    expect(seqs(readPage(file, { since: 2 }).entries)).toEqual([3]);
    expect(seqs(readPage(file, {}).entries)).toEqual([3, 4]);
    expect(seqs(readPage(file, { before: 3 }).entries)).toEqual([2]);
    expect(readPage(join(dir, 'none'), {})).toEqual({ entries: [], more: false });
  });

  it('is the same from a host and from the file, and tells of what the disk has not taken yet', () => {
    const { journal } = Journal.open({ file, session, clock: new HandClock() });
    for (let count = 0; count < 500; count += 1) journal.append('agent.text', { text: 'z'.repeat(count) });
    for (const ask of [{}, { since: 100 }, { before: 300, limit: 7 }])
      expect(journal.page(ask)).toEqual(readPage(file, ask));
    journal.close();
    const full = Journal.open({ file: '/dev/full', session, clock: new HandClock() }).journal;
    for (let count = 0; count < 500; count += 1) full.append('agent.text', { text: 'z'.repeat(count) });
    expect(seqs(full.page({ before: 300, limit: 3 }).entries)).toEqual([297, 298, 299]);
    expect(seqs(full.page({ limit: 1 }).entries)).toEqual([500]);
    full.close();
  });

  it('passes over a line longer than any entry, and holds none of it', () => {
    appendFileSync(file, line(1, 'a'));
    truncateSync(file, 65 * 1024 * 1024);
    appendFileSync(file, `\n${line(3, 'b')}`);
    expect(seqs(journalOf(file))).toEqual([1, 3]);
    expect(seqs(readPage(file, {}).entries)).toEqual([1, 3]);
  });
});

describe('what a journal held', () => {
  it('is gone through as often as wanted, and by type without reading the others', () => {
    writeFileSync(file, line(1, 'a') + line(2, 'b', 'notice') + line(3, 'c') + line(4, 'd', 'notice'));
    const { journal, entries } = Journal.open({ file, session, clock: new HandClock() });
    journal.append('notice', { level: 'info', text: 'new' });
    expect(seqs(entries)).toEqual([1, 2, 3, 4]);
    expect(seqs(entries)).toEqual([1, 2, 3, 4]);
    expect(seqs(ofTypes(entries, ['notice']))).toEqual([2, 4]);
    expect(seqs(ofTypes([...entries], ['notice']))).toEqual([2, 4]);
    expect(seqs(entries.since(3))).toEqual([4]);
    journal.close();
  });

  it('a line that another program wrote in another order is known by what it says', () => {
    const odd = '{"data":{"type":"agent.text"},"type":"notice","seq":1}\n{"type":"agent.text","seq":2,"data":{}}\n';
    const found = entriesFrom(counted(Buffer.from(odd)), 0, ['notice']);
    expect([...found].map(({ entry }) => entry.seq)).toEqual([1]);
  });
});
