import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HandClock, type Size } from '../contract/index.js';
import { castFixture, trimmed } from './cast-fixture.cases.js';
import { Recording } from './recording.js';
import { openRecording } from './recording-read.js';
import { Screen } from './screen.js';

const MB = 1024 * 1024;
let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'reins-recording-'));
  path = join(dir, 'terminal.cast');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

interface Stage {
  clock: HandClock;
  screen: Screen;
  recording: Recording;
  troubles: string[];
  /** How often it went on after one. */
  again(): number;
  play(output: string | Uint8Array, afterMs?: number): void;
  end(): Promise<void>;
}

/** A recording beside a screen, fed as a host feeds them. */
function stage(options: { size?: Size; maxBytes?: number; at?: string; clock?: HandClock } = {}): Stage {
  const clock = options.clock ?? new HandClock();
  const size = options.size ?? { cols: 40, rows: 8 };
  const screen = new Screen({ size, clock });
  screen.answering = false;
  const troubles: string[] = [];
  let again = 0;
  const recording = new Recording({
    path: options.at ?? path,
    size,
    maxBytes: options.maxBytes ?? 64 * MB,
    clock,
    keyframe: () => screen.snapshot({ scrollback: 0 }),
    onTrouble: (reason) => troubles.push(reason),
    onAgain: () => {
      again += 1;
    },
  });
  return {
    clock,
    screen,
    recording,
    troubles,
    again: () => again,
    play(output, afterMs = 10) {
      clock.advance(afterMs);
      const bytes = typeof output === 'string' ? Buffer.from(output, 'utf8') : output;
      screen.write(bytes);
      recording.output(bytes);
    },
    async end() {
      await recording.close();
      screen.close();
    },
  };
}

async function shown(drawn: { size: Size; bytes: Uint8Array }): Promise<string[]> {
  const screen = new Screen({ size: drawn.size });
  screen.write(drawn.bytes);
  const { lines } = await screen.shot();
  screen.close();
  return lines;
}

async function sizeOnDisk(): Promise<number> {
  let sum = 0;
  for (const name of await readdir(dir)) sum += (await stat(join(dir, name))).size;
  return sum;
}

describe('what is written', () => {
  test('asciicast v2, private, output of one moment in one event', async () => {
    const { recording, play, clock, end } = stage();
    await recording.flush();
    play('one ', 5);
    play('two\r\n', 5);
    clock.advance(60);
    await recording.flush();
    recording.marker('inquiry: may I?');
    recording.resize({ cols: 50, rows: 9 });
    recording.input(Buffer.from('ls\r'), { redact: false });
    recording.input(Buffer.from('hunter2'), { redact: true });
    play('three', 5);
    await end();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const [head, ...events] = (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(head).toMatchObject({ version: 2, width: 40, height: 8, timestamp: 1_700_000_000 });
    expect(events).toEqual([
      [0.005, 'o', 'one two\r\n'],
      [0.07, 'm', 'inquiry: may I?'],
      [0.07, 'r', '50x9'],
      [0.07, 'i', 'ls\r'],
      [0.07, 'i', '•••'],
      [0.075, 'o', 'three'],
    ]);
  });

  test('characters cut by the end of a read are whole, bytes that are no text do no harm', async () => {
    const { recording, play, end } = stage();
    const bytes = Buffer.from('日本👍é', 'utf8');
    for (const byte of bytes) {
      play(Uint8Array.of(byte));
      await recording.flush();
    }
    play(Uint8Array.of(0xff, 0x41));
    await end();
    const reader = await openRecording(path);
    let text = '';
    for await (const event of reader.events()) text += event.data;
    expect(text).toBe('日本👍é\ufffdA');
  });

  test('batched: one event per 50 ms, and few writes', async () => {
    const { recording, play, clock, end } = stage();
    await recording.flush();
    for (let i = 0; i < 10; i++) play('x', 1);
    expect(clock.waiting).toBe(1);
    await end();
    expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('reading back', () => {
  test('the screen at any moment, chapters, duration', async () => {
    const { recording, play, end } = stage();
    await recording.flush();
    play('first\r\n', 100);
    recording.marker('iteration 1');
    await recording.flush();
    play('second\r\n', 1000);
    await recording.flush();
    recording.marker('answer: allow');
    play('\x1b[2J\x1b[Hthird', 1000);
    await end();
    const reader = await openRecording(path);
    expect(reader.durationMs).toBe(2100);
    expect(await reader.chapters()).toEqual([
      { timeMs: 100, label: 'iteration 1' },
      { timeMs: 1100, label: 'answer: allow' },
    ]);
    expect(trimmed(await shown(await reader.at(500)))).toEqual(['first']);
    expect(trimmed(await shown(await reader.at(1500)))).toEqual(['first', 'second']);
    expect(trimmed(await shown(await reader.at(9999)))).toEqual(['third']);
  });

  test.each(['gemini-states.cast', 'codex-states.cast', '03-states.cast'])(
    'every marker of %s shows the screen that was there, over all parts',
    async (cast) => {
      const { size, events } = castFixture(cast);
      const { recording, screen, play, clock, end } = stage({ size, maxBytes: 512 * 1024 });
      await recording.flush();
      const seen: { timeMs: number; lines: string[] }[] = [];
      const start = clock.now();
      for (let round = 0; round < 3; round++) {
        for (const [index, event] of events.filter(({ code }) => code === 'o').entries()) {
          play(event.data, 20);
          if (index % 40 !== 7) continue;
          recording.marker(`moment ${index}`);
          await recording.flush();
          seen.push({ timeMs: clock.now() - start, lines: (await screen.shot()).lines });
          clock.advance(1);
        }
      }
      await end();
      const reader = await openRecording(path);
      const chapters = await reader.chapters();
      expect(chapters.map(({ timeMs }) => timeMs)).toEqual(seen.map(({ timeMs }) => timeMs));
      for (const moment of seen) expect(await shown(await reader.at(moment.timeMs))).toEqual(moment.lines);
    },
  );

  test('an exported file is plain asciicast and ends on the same screen', async () => {
    const { size, events } = castFixture('gemini-states.cast');
    const { recording, screen, play, end } = stage({ size, maxBytes: 1 * MB });
    await recording.flush();
    for (const event of events.filter(({ code }) => code === 'o')) play(event.data);
    await recording.flush();
    recording.resize(size);
    const { lines } = await screen.shot();
    await end();
    expect((await readdir(dir)).some((name) => name.endsWith('.gz'))).toBe(true);
    const dest = join(dir, 'out.cast');
    await (await openRecording(path)).exportCast(dest);
    const again = new Screen({ size });
    again.answering = false;
    let last = 0;
    for (const line of (await readFile(dest, 'utf8')).trimEnd().split('\n').slice(1)) {
      const [seconds, code, data] = JSON.parse(line) as [number, string, string];
      expect(seconds).toBeGreaterThanOrEqual(last);
      last = seconds;
      if (code === 'o') again.write(Buffer.from(data, 'utf8'));
    }
    expect((await again.shot()).lines).toEqual(lines);
    again.close();
  });

  test('a plain asciicast of someone else', async () => {
    await writeFile(path, '{"version":2,"width":20,"height":3}\n[0.5,"o","hi"]\n[1.5,"o"," there"]\n');
    const reader = await openRecording(path);
    expect([reader.size, reader.durationMs]).toEqual([{ cols: 20, rows: 3 }, 1500]);
    expect((await shown(await reader.at(1000)))[0]).toBe('hi');
  });

  test('no recording is an error that names the path', async () => {
    await expect(openRecording(path)).rejects.toThrow(path);
  });
});

describe('what can go wrong', () => {
  test('killed at any byte: what came before the cut is read', async () => {
    const { recording, play, end } = stage();
    await recording.flush();
    for (let i = 0; i < 20; i++) {
      play(`line ${i} é\r\n`, 100);
      await recording.flush();
    }
    await end();
    const whole = await readFile(path, 'utf8');
    const header = whole.indexOf('\n') + 1;
    for (let cut = Buffer.byteLength(whole); cut >= header; cut -= 7) {
      await truncate(path, cut);
      const reader = await openRecording(path);
      let text = '';
      for await (const event of reader.events()) text += event.data;
      expect(
        Buffer.concat([...Array(20).keys()].map((i) => Buffer.from(`line ${i} é\r\n`)))
          .toString()
          .startsWith(text),
      ).toBe(true);
    }
  });

  test('a session that goes on keeps what was recorded before, torn line and all', async () => {
    const clock = new HandClock();
    const first = stage({ clock });
    await first.recording.flush();
    first.play('before\r\n');
    await first.end();
    await truncate(path, (await stat(path)).size);
    await writeFile(path, '[1.0,"o","to', { flag: 'a' });
    clock.advance(5000);
    const second = stage({ clock });
    await second.recording.flush();
    second.play('after\r\n');
    await second.end();
    const reader = await openRecording(path);
    const texts: string[] = [];
    for await (const event of reader.events()) texts.push(event.data);
    expect(texts).toEqual(['before\r\n', 'after\r\n']);
    expect(reader.durationMs).toBeGreaterThan(5000);
  });

  test('bounded: the recent past stays, the oldest goes, any moment left still opens', async () => {
    const { recording, screen, play, end } = stage({ maxBytes: 256 * 1024 });
    await recording.flush();
    let count = 0;
    // Numbers that do not compress well, so that the bound is met soon.
    let seed = 1;
    const noise = (): string => {
      seed = (seed * 48271) % 2147483647;
      return seed.toString(36);
    };
    for (let i = 0; i < 400; i++) {
      play(`${Array.from({ length: 200 }, noise).join(' ')}\r\nline ${++count}\r\n`);
      if (i % 20 === 0) await recording.flush();
    }
    await recording.flush();
    const { lines } = await screen.shot();
    await end();
    expect(await sizeOnDisk()).toBeLessThanOrEqual(256 * 1024 + 64 * 1024);
    const reader = await openRecording(path);
    expect(await shown(await reader.at(reader.durationMs))).toEqual(lines);
    expect((await shown(await reader.at(0))).join('')).not.toBe('');
  });

  test('no place to write: told once, and the agent notices nothing', async () => {
    await writeFile(join(dir, 'file'), '');
    const { recording, play, troubles, end } = stage({ at: join(dir, 'file', 'terminal.cast') });
    await recording.flush();
    for (let i = 0; i < 10; i++) play('output');
    recording.marker('x');
    await recording.flush();
    await end();
    await end();
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toMatch(/ENOTDIR|EEXIST/);
  });

  test('a full disk stops the recording and nothing else', async () => {
    // Every write to this device fails as on a full disk.
    const { recording, play, troubles, end } = stage({ at: '/dev/full' });
    await recording.flush();
    play('output');
    await recording.flush();
    await end();
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toContain('ENOSPC');
  });

  test('a directory that vanishes in the middle stops the recording and nothing else', async () => {
    const { recording, play, troubles, end } = stage({ maxBytes: 64 * 1024 });
    await recording.flush();
    await rm(dir, { recursive: true });
    for (let i = 0; i < 20; i++) {
      play(`${'z'.repeat(2000)}\r\n`);
      await recording.flush();
    }
    await end();
    expect(troubles).toHaveLength(1);
  });

  test('a disk that takes it again gets a new part, with the screen as it is then; the gap is not in it', async () => {
    const { clock, recording, screen, play, troubles, again, end } = stage({ maxBytes: 64 * 1024 });
    await recording.flush();
    play('before\r\n');
    await recording.flush();
    // A part cannot be closed where a directory is in the way of its name.
    const inTheWay = `${path}.000001-${new HandClock().now()}`;
    await mkdir(join(inTheWay, 'x'), { recursive: true });
    for (let i = 0; i < 20; i++) {
      play(`${'z'.repeat(2000)}\r\n`);
      await recording.flush();
    }
    for (let i = 0; i < 3; i++) {
      play(`lost ${i}\r\n`, 11_000);
      recording.marker('lost as well');
      await recording.flush();
    }
    expect([troubles.length, again()]).toEqual([1, 0]);
    await rm(inTheWay, { recursive: true });
    clock.advance(11_000);
    await recording.flush();
    expect([troubles.length, again()]).toEqual([1, 1]);
    play('after\r\n');
    await recording.flush();
    const { lines } = await screen.shot();
    await end();
    const reader = await openRecording(path);
    expect(await shown(await reader.at(reader.durationMs))).toEqual(lines);
    let text = '';
    for await (const event of reader.events()) text += event.data;
    expect(await shown({ size: reader.size, bytes: Buffer.from(text) })).toEqual(lines);
    expect(text).toMatch(/^before\r\nz+/);
    expect(text).toMatch(/after\r\n$/);
    expect(text).not.toContain('lost as well');
    expect(await readdir(dir)).toHaveLength(2);
  });

  test('a directory that was removed and made again has what comes after', async () => {
    const { recording, play, troubles, end } = stage({ maxBytes: 64 * 1024 });
    await recording.flush();
    play('before\r\n');
    await recording.flush();
    await rm(dir, { recursive: true });
    await mkdir(dir);
    for (let i = 0; i < 20; i++) {
      play(`${'z'.repeat(2000)}\r\n`);
      await recording.flush();
    }
    play('after\r\n');
    await end();
    expect(troubles).toEqual([]);
    const reader = await openRecording(path);
    expect(await shown(await reader.at(reader.durationMs))).toContain('after');
  });

  test('a part that cannot be compressed stays plain, and the recording goes on', async () => {
    const { recording, play, troubles, end } = stage({ maxBytes: 64 * 1024 });
    await recording.flush();
    await mkdir(join(`${path}.000001-${new HandClock().now()}.gz.tmp`, 'in the way'), { recursive: true });
    for (let i = 0; i < 12; i++) {
      play(`${i}${'z'.repeat(2000)}\r\n`);
      await recording.flush();
    }
    await end();
    expect(troubles).toEqual([]);
    const reader = await openRecording(path);
    let text = '';
    for await (const event of reader.events()) text += event.data;
    expect(text.match(/\d+(?=z)/g)).toEqual([...Array(12).keys()].map(String));
    expect((await readdir(dir)).filter((name) => /000001-\d+$/.test(name))).toHaveLength(1);
  });

  test('without a screen the recording goes on', async () => {
    const { recording, screen, play, troubles, end } = stage({ maxBytes: 64 * 1024 });
    await recording.flush();
    screen.close();
    for (let i = 0; i < 40; i++) {
      recording.output(Buffer.from(`${'y'.repeat(4000)}\r\n`));
      await recording.flush();
    }
    play('the end');
    await end();
    expect(troubles).toEqual([]);
    expect(await sizeOnDisk()).toBeLessThan(128 * 1024);
  });
});

describe('size', () => {
  test('a busy agent for a long time takes less than a fifth of its bytes', async () => {
    const { size, events } = castFixture('gemini-states.cast');
    const { recording, play, end } = stage({ size });
    await recording.flush();
    let raw = 0;
    const outputs = events.filter(({ code }) => code === 'o');
    for (let round = 0; round < 20; round++) {
      for (const [index, event] of outputs.entries()) {
        // The clock in a status line differs each time, so that no round is a copy of another.
        play(`${event.data}\x1b[1;1H${round}:${index}`, 30);
        raw += Buffer.byteLength(event.data) + 10;
        if (index % 200 === 0) await recording.flush();
      }
    }
    await end();
    expect((await sizeOnDisk()) / raw).toBeLessThan(0.2);
  });
});
