import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { castFixture, trimmed } from './cast-fixture.cases.js';
import { dir, MB, path, shown, sizeOnDisk, stage } from './recording.cases.js';
import { openRecording } from './recording-read.js';
import { Screen } from './screen.js';

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
