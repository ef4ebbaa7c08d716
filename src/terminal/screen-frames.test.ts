/** What a screen tells whoever watches it: frames, and what the agent says to its terminal. */
import { describe, expect, test } from 'vitest';
import { HandClock, type ScreenShot } from '../contract/index.js';
import { bytes, screenOf, told } from './screen.cases.js';

describe('frames', () => {
  test('one at once, then at most every 16 ms, and a last one when output stops', async () => {
    const clock = new HandClock();
    const screen = screenOf({ clock });
    const frames: ScreenShot[] = [];
    screen.onFrame((shot) => frames.push(shot));
    screen.write(bytes('a'));
    await screen.shot();
    for (const letter of 'bcd') {
      screen.write(bytes(letter));
      await screen.shot();
    }
    expect(frames.map((shot) => shot.lines[0])).toEqual(['a']);
    clock.advance(16);
    expect(frames.map((shot) => shot.lines[0])).toEqual(['a', 'abcd']);
    clock.advance(1000);
    expect(frames).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  test('a marked frame is shown when it ends, not in its middle', async () => {
    const clock = new HandClock();
    const screen = screenOf({ clock });
    const frames: string[] = [];
    screen.onFrame((shot) => frames.push(shot.lines[0]!));
    await screen.shot();
    screen.write(bytes('\x1b[?2026hhalf'));
    await screen.shot();
    clock.advance(50);
    expect(frames).toEqual([]);
    screen.write(bytes(' whole\x1b[?2026l'));
    await screen.shot();
    expect(frames).toEqual(['half whole']);
  });

  test('a frame that is never ended is shown anyway', async () => {
    const clock = new HandClock();
    const screen = screenOf({ clock });
    const frames: string[] = [];
    screen.onFrame((shot) => frames.push(shot.lines[0]!));
    screen.write(bytes('\x1b[?2026hstuck'));
    await screen.shot();
    clock.advance(200);
    expect(frames).toEqual(['stuck']);
  });

  test('a listener that throws stops neither the screen nor the others', async () => {
    const screen = screenOf();
    screen.onFrame(() => {
      throw new Error('listener');
    });
    const seen = told<ScreenShot>((call) => screen.onFrame(call));
    screen.write(bytes('still here'));
    expect((await seen).lines[0]).toBe('still here');
  });
});

describe('what the agent tells its terminal', () => {
  test('titles, state and notifications, cut anywhere; bounded', async () => {
    const screen = screenOf();
    const heard: [number, number][] = [];
    screen.onOsc((code, text) => heard.push([code, text.length]));
    const output = bytes(`\x1b]0;t\x07\x1b]7501;idle\x1b\\\x1b]777;notify;a;b\x07\x1b]9;${'x'.repeat(50_000)}\x07`);
    for (const byte of output) screen.write(Uint8Array.of(byte));
    await screen.shot();
    expect(heard).toEqual([
      [0, 1],
      [7501, 4],
      [777, 10],
      [9, 16_384],
    ]);
  });

  test('the bell', async () => {
    const screen = screenOf();
    const rung = told<void>((call) => screen.onBell(call));
    screen.write(bytes('\x07'));
    await rung;
  });

  test('after close nothing is accepted and everything is refused', async () => {
    const screen = screenOf();
    const waiting = screen.shot();
    screen.close();
    screen.close();
    screen.write(bytes('x'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(screen.snapshot()).rejects.toThrow('closed');
  });
});
