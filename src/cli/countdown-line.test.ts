import { expect, test } from 'vitest';
import { type Entry, HandClock } from '../contract/index.js';
import { CountdownLine } from './countdown-line.js';

const MINUTE = 60_000;

function watching() {
  const clock = new HandClock();
  const lines: string[] = [];
  const countdown = new CountdownLine({ clock, show: (text) => lines.push(text) });
  const tell = (type: string, data: unknown) => countdown.entry({ type, data } as unknown as Entry);
  const waits = (ms: number) =>
    tell('notice', { code: 'loop.wait', level: 'warn', text: '', facts: { until: clock.now() + ms, why: 'a limit' } });
  return { clock, lines, tell, waits, countdown };
}

test('a long wait is told of every ten minutes, then every minute, then every quarter of one', () => {
  const { clock, lines, waits } = watching();
  waits(40 * MINUTE);
  clock.advance(10 * MINUTE);
  expect(lines).toEqual(['  … 30 min left: a limit']);
  clock.advance(27 * MINUTE);
  expect(lines).toHaveLength(28);
  expect(lines.at(-1)).toBe('  … 3 min left: a limit');
  clock.advance(3 * MINUTE);
  expect(lines).toHaveLength(39);
  expect(lines.at(-1)).toBe('  … 15 s left: a limit');
  clock.advance(60 * MINUTE);
  expect(lines).toHaveLength(39);
});

test.each(['iteration.started', 'session.ended'])('%s ends it', (type) => {
  const { clock, lines, waits, tell } = watching();
  waits(5 * MINUTE);
  clock.advance(MINUTE);
  tell(type, {});
  clock.advance(10 * MINUTE);
  expect(lines).toEqual(['  … 4 min left: a limit']);
});

test('a short wait needs no reminder, and closing twice is closing', () => {
  const { clock, lines, waits, countdown } = watching();
  waits(5000);
  clock.advance(MINUTE);
  waits(5 * MINUTE);
  countdown.close();
  countdown.close();
  clock.advance(10 * MINUTE);
  expect(lines).toEqual([]);
});
