import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Entry, HandClock, type SessionId } from '../contract/index.js';
import { Journal, readJournal, readJournalTail, readPage } from './index.js';

const session = 'k7f2m9qd' as SessionId;
let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'journal-'));
  file = join(dir, 'journal.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (clock = new HandClock()) => Journal.open({ file, session, clock });
const say = (journal: Journal, text: string) => journal.append('agent.text', { text });
const seqs = (entries: Iterable<Entry>) => [...entries].map((entry) => entry.seq);
/** Everything after an entry, page by page. */
function following(journal: Journal, since: number): number[] {
  const { entries, more } = journal.page({ since });
  return more ? [...seqs(entries), ...following(journal, entries.at(-1)!.seq)] : seqs(entries);
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a journal', () => {
  it('numbers, writes, then tells; goes on where it was when it is opened again', () => {
    const { journal, entries } = open();
    const told: number[] = [];
    const off = journal.subscribe((entry) => {
      expect(seqs(readJournal(file)).at(-1)).toBe(entry.seq);
      told.push(entry.seq);
    });
    const first = say(journal, 'one\u2028 — \ud83d\ude00\n');
    say(journal, 'two');
    off();
    say(journal, 'three');
    journal.close();
    journal.close();
    expect([...entries]).toEqual([]);
    expect(told).toEqual([1, 2]);
    expect(first).toMatchObject({ v: 1, seq: 1, session, type: 'agent.text', ts: '2023-11-14T22:13:20.000Z' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = open();
    expect([...again.entries][0]).toEqual(first);
    expect(seqs(again.entries)).toEqual([1, 2, 3]);
    expect(say(again.journal, 'four').seq).toBe(4);
    again.journal.close();
    expect(seqs(readJournal(file))).toEqual([1, 2, 3, 4]);
  });

  it.each(['still there', 'removed', 'replaced', 'a link to another file'])(
    'is made again under its name and loses nothing: %s',
    (how) => {
      const { journal } = open();
      for (const text of ['one', 'two', 'three']) say(journal, text);
      const other = join(dir, 'other');
      writeFileSync(other, 'of someone else');
      if (how !== 'still there') rmSync(file);
      if (how === 'replaced') writeFileSync(file, 'not a journal');
      if (how === 'a link to another file') symlinkSync(other, file);
      journal.again(file);
      say(journal, 'four');
      expect(following(journal, 0)).toEqual([1, 2, 3, 4]);
      expect(seqs(readJournal(file))).toEqual([1, 2, 3, 4]);
      expect(readFileSync(other, 'utf8')).toBe('of someone else');
      journal.close();
    },
  );

  it('tells every subscriber in order, also when one of them appends', () => {
    const { journal } = open();
    const told: string[] = [];
    journal.subscribe((entry) => {
      told.push(`a${entry.seq}`);
      if (entry.seq === 1) say(journal, 'from inside');
    });
    journal.subscribe((entry) => told.push(`b${entry.seq}`));
    say(journal, 'x');
    expect(told).toEqual(['a1', 'b1', 'a2', 'b2']);
    journal.close();
  });

  it('tells the others when one subscriber fails, and goes on', () => {
    const { journal } = open();
    const told: number[] = [];
    let broken = true;
    journal.subscribe(() => {
      if (broken) throw new Error('broken viewer');
    });
    journal.subscribe((entry) => told.push(entry.seq));
    expect(() => say(journal, 'x')).toThrow('broken viewer');
    broken = false;
    say(journal, 'y');
    expect(told).toEqual([1, 2]);
    expect(seqs(readJournal(file))).toEqual([1, 2]);
    journal.close();
  });

  it('takes no number for what cannot be written down', () => {
    const { journal } = open();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => journal.append('notice', { level: 'info', text: 'x', facts: circle })).toThrow();
    expect(say(journal, 'y').seq).toBe(1);
    journal.close();
  });

  it('touches no file after it was closed: its descriptor may be another one’s', () => {
    const { journal } = open();
    say(journal, 'x');
    journal.close();
    const others = Array.from({ length: 3 }, (_, index) =>
      Journal.open({ file: join(dir, `${index}`), session, clock: new HandClock() }),
    );
    expect(() => say(journal, 'late')).not.toThrow();
    for (const [index, other] of others.entries()) {
      other.journal.close();
      expect(readFileSync(join(dir, `${index}`), 'utf8')).toBe('');
    }
    expect(seqs(readJournal(file))).toEqual([1]);
  });

  it('says why it is in memory only, as long as it is, and leaves no timer behind then either', () => {
    const clock = new HandClock();
    // Every write to this device fails as on a full disk.
    const { journal } = Journal.open({ file: '/dev/full', session, clock });
    expect(journal.refusal).toBe(undefined);
    say(journal, 'x');
    expect(journal.refusal).toMatch(/^ENOSPC/);
    clock.advance(60_000);
    expect([journal.refusal?.slice(0, 6), clock.waiting]).toEqual(['ENOSPC', 1]);
    journal.close();
    expect(clock.waiting).toBe(0);
  });

  it('keeps only so much in memory for a disk that refuses, the newest', () => {
    const { journal } = Journal.open({ file: '/dev/full', session, clock: new HandClock() });
    for (let count = 0; count < 40; count += 1) say(journal, 'x'.repeat(1024 * 1024));
    const kept = following(journal, 0);
    expect([kept.length, kept.at(-1)]).toEqual([31, 40]);
    journal.close();
  });

  it('leaves no timer behind', () => {
    const clock = new HandClock();
    const { journal } = open(clock);
    say(journal, 'x');
    expect(clock.waiting).toBe(1);
    clock.advance(1000);
    journal.close();
    expect(clock.waiting).toBe(0);
  });
});

describe('a torn last line', () => {
  it('at every byte is cut off, and nothing before it is lost', () => {
    const { journal } = open();
    say(journal, 'first');
    say(journal, 'zwei — \ud83d\ude00');
    journal.close();
    const whole = readFileSync(file);
    const firstLine = whole.indexOf(10) + 1;
    for (let cut = 0; cut <= whole.length; cut += 1) {
      writeFileSync(file, whole.subarray(0, cut));
      const expected = cut < firstLine ? 0 : cut < whole.length ? 1 : 2;
      expect(seqs(readJournal(file))).toEqual(upTo(expected));
      const { journal: again, entries } = open();
      expect(seqs(entries)).toEqual(upTo(expected));
      expect(say(again, 'next').seq).toBe(expected + 1);
      expect(following(again, 0)).toEqual(upTo(expected + 1));
      again.close();
      expect(seqs(readJournal(file))).toEqual(upTo(expected + 1));
    }
  });

  it('a line the disk spoiled in the middle costs only itself', () => {
    const { journal } = open();
    for (let index = 0; index < 5; index += 1) say(journal, `${index}`);
    journal.close();
    const lines = readFileSync(file, 'utf8').split('\n');
    const spoiled = Buffer.concat([Buffer.from('{"seq":'), Buffer.from([0, 0xff, 0xc3]), Buffer.from('\nnull')]);
    const parts = lines.map((line, index) => (index === 2 ? spoiled : Buffer.from(line)));
    writeFileSync(file, Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')])).subarray(0, -1));
    appendFileSync(file, '{"v":1,"seq":6,"ty');
    const { journal: again, entries } = open();
    expect(seqs(entries)).toEqual([1, 2, 4, 5]);
    expect(say(again, 'next').seq).toBe(6);
    expect(following(again, 0)).toEqual([1, 2, 4, 5, 6]);
    again.close();
    expect(seqs(readJournal(file))).toEqual([1, 2, 4, 5, 6]);
  });

  it('any bytes at all are read without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        writeFileSync(file, bytes);
        const found = readJournal(file);
        expect(readPage(file, {}).entries).toEqual(found);
        open().journal.close();
        expect(statSync(file).size).toBe(Buffer.from(bytes).lastIndexOf(10) + 1);
      }),
    );
  });
});

describe('catching up', () => {
  it('from any entry gives exactly what follows, also after opening again', () => {
    let { journal } = open();
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 300; count += 1) say(journal, 'ö'.repeat(count % 7));
      for (const seq of upTo(journal.seq + 2).map((one) => one - 2)) {
        const found = following(journal, seq);
        expect(found.length).toBe(Math.min(journal.seq, journal.seq - seq));
        expect(found[0]).toBe(seq >= journal.seq ? undefined : Math.max(1, seq + 1));
        expect(found.at(-1)).toBe(seq >= journal.seq ? undefined : journal.seq);
      }
      journal.close();
      ({ journal } = open());
    }
    journal.close();
  });

  it('reads only the end of a long journal', () => {
    const { journal } = open();
    for (let count = 0; count < 2000; count += 1) say(journal, 'x'.repeat(1000));
    journal.close();
    const tail = readJournalTail(file);
    expect(tail.at(-1)?.seq).toBe(2000);
    expect(tail.length).toBeLessThan(300);
    expect(seqs(tail)).toEqual(upTo(2000).slice(-tail.length));
  });

  it('finds a last entry however large it is', () => {
    const { journal } = open();
    say(journal, 'x');
    say(journal, 'y'.repeat(3 * 1024 * 1024));
    journal.close();
    expect(readJournalTail(file).at(-1)?.seq).toBe(2);
    appendFileSync(file, `{"torn":"${'z'.repeat(600 * 1024)}`);
    expect(readJournalTail(file).at(-1)?.seq).toBe(2);
    expect(readJournalTail(join(dir, 'none'))).toEqual([]);
    writeFileSync(file, '');
    expect(readJournalTail(file)).toEqual([]);
    expect(readJournal(join(dir, 'none'))).toEqual([]);
  });
});

/** A process of its own that appends on command and says what it has acknowledged. */
const WRITER = `
  import { writeSync } from 'node:fs';
  const { Journal } = await import(process.env.JOURNAL);
  const { systemClock } = await import(process.env.CONTRACT);
  const { journal } = Journal.open({ file: process.env.FILE, session: 'k7f2m9qd', clock: systemClock });
  const seen = []; const troubles = [];
  journal.subscribe((entry) => seen.push(entry.seq));
  journal.onTrouble((reason) => {
    troubles.push(reason);
    journal.append('notice', { level: 'error', text: reason });
  });
  const all = (journal, since = 0) => {
    const { entries, more } = journal.page({ since });
    const found = entries.map((entry) => entry.seq);
    return more ? [...found, ...all(journal, found.at(-1))] : found;
  };
  const say = (what) => {
    const line = JSON.stringify(what) + '\\n';
    for (let done = 0; done < line.length; ) {
      try { done += writeSync(1, line.slice(done)); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
    }
  };
  say({ ready: process.pid });
  if (process.env.FOREVER) {
    for (let n = 0; ; n += 1) say({ ack: journal.append('agent.text', { text: 'x'.repeat(n % 5000) }).seq });
  }
  process.stdin.on('data', (chunk) => {
    for (const line of String(chunk).split('\\n').filter(Boolean)) {
      for (let n = 0; n < Number(line); n += 1) journal.append('agent.text', { text: 'y'.repeat(500) });
      say({ seq: journal.seq, seen, troubles, since: all(journal) });
    }
  });
  process.stdin.on('end', () => { journal.close(); process.exit(0); });
`;

function writer(env: Record<string, string>, limit = '') {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(
    '/bin/sh',
    ['-c', `${limit} exec "$0" --import tsx --input-type=module -e "$1"`, process.execPath, WRITER],
    {
      cwd: path('../..'),
      env: {
        PATH: process.env.PATH,
        FILE: file,
        JOURNAL: path('index.ts'),
        CONTRACT: path('../contract/index.ts'),
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { child, exited };
}

describe('a writer that is killed', () => {
  it('at any moment leaves a journal that can be read, with everything it acknowledged', async () => {
    let lasting = 0;
    for (const after of [0, 1, 37, 400, 1500]) {
      const { child, exited } = writer({ FOREVER: '1' });
      let acknowledged = lasting;
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = (JSON.parse(line) as { ack?: number }).ack ?? acknowledged;
        if (acknowledged - lasting >= after) child.kill('SIGKILL');
      }
      await exited;
      const found = readJournal(file);
      expect(found.length).toBeGreaterThanOrEqual(acknowledged);
      expect(seqs(found)).toEqual(upTo(found.length));
      lasting = found.length;
    }
    expect(lasting).toBeGreaterThan(1900);
  });
});

describe('a disk that refuses', () => {
  it('does not stop the session; once it takes lines again, nothing is missing and nothing is doubled', async () => {
    const { child, exited } = writer({}, 'ulimit -S -f 16;');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value as string);
    const ask = async (count: number) => {
      child.stdin.write(`${count}\n`);
      return next();
    };
    const { ready } = await next();
    try {
      expect(await ask(10)).toMatchObject({ seq: 10, troubles: [] });
      const full = await ask(60);
      // The trouble itself is an entry: 70 and one.
      expect(full).toMatchObject({ seq: 71, seen: upTo(71), since: upTo(71) });
      expect(full.troubles).toEqual([expect.stringContaining('EFBIG')]);
      const onDisk = readJournal(file);
      expect(onDisk.length).toBeLessThan(30);
      expect(readFileSync(file).at(-1)).toBe(10);
      expect((await ask(500)).troubles).toHaveLength(1);
      execFileSync('/bin/sh', ['-c', 'prlimit --fsize=unlimited:unlimited --pid "$0"', String(ready)]);
      // By itself: an idle session has nothing new to say, and may be killed before it has.
      await vi.waitFor(() => expect(seqs(readJournal(file))).toEqual(upTo(571)), { timeout: 20_000, interval: 20 });
      const well = await ask(1);
      expect(well).toMatchObject({ seq: 572, since: upTo(572) });
      expect(seqs(readJournal(file))).toEqual(upTo(572));
      expect((await ask(1)).troubles).toHaveLength(1);
    } finally {
      child.stdin.end();
      await exited;
    }
    expect(seqs(readJournal(file))).toEqual(upTo(573));
  });
});
