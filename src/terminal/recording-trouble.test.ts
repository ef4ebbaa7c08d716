/** Recordings on disks that refuse, and of hosts that died. */
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HandClock } from '../contract/index.js';
import { dir, path, shown, sizeOnDisk, stage } from './recording.cases.js';
import { openRecording } from './recording-read.js';

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
