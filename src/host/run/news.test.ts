/** What tells something new, by what real agents drew. */
import { expect, test } from 'vitest';
import { recording } from '../../../test/recordings/play.js';
import { News } from './news.js';

const bytes = (text: string) => Buffer.from(text);

test('letters are news once; figures, signs and colours are none', () => {
  const news = new News();
  const drawn = ['\x1b[2J✻ Thinking… (1s)', '\x1b[3;1H✳', '\x1b[31m✻ Thinking… (2s)\x1b[0m', '42%', 'Done.', '\r\n'];
  expect(drawn.map((text) => news.isIn(bytes(text)))).toEqual([true, false, false, false, true, false]);
});

test('a letter that was cut in two is one', () => {
  const news = new News();
  const whole = bytes('äß');
  expect([news.isIn(whole.subarray(0, 1)), news.isIn(whole.subarray(1))]).toEqual([false, true]);
});

test('what goes round stays known, what was said long ago may be said again', () => {
  const news = new News();
  const word = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  for (let n = 0; n < 5000; n += 1) expect(news.isIn(bytes(`Spin${n % 2 ? 'ning' : ''}`))).toBe(n < 2);
  expect(Array.from({ length: 2000 }, (_, n) => news.isIn(bytes(word(n)))).every(Boolean)).toBe(true);
  expect(news.isIn(bytes('Spin'))).toBe(true);
});

test('Claude that waits for a hook that never answers draws for minutes and says nothing', () => {
  const drawn = recording('../../test/recordings/claude/25-hookheld.cast.gz')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => JSON.parse(line) as [number, string, string])
    .filter(([, kind]) => kind === 'o');
  const news = new News();
  const told = drawn.filter(([, , text]) => news.isIn(bytes(text))).map(([at]) => at);
  const gaps = told.slice(1).map((at, index) => at - told[index]!);
  expect(drawn.length).toBeGreaterThan(2000);
  expect(Math.max(...gaps)).toBeGreaterThan(260);
});
