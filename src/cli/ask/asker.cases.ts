/** An asker on a terminal in memory, with a clock moved by hand. */
import { afterEach, beforeEach, expect } from 'vitest';
import { HandClock, type Inquiry } from '../../contract/index.js';
import { inquiryOf } from './ask.cases.js';
import { type AskerOptions, createAsker } from './index.js';
import { MemoryTty } from './memory-tty.cases.js';

export const SHOWN = 150;
export const ARMED = 310;

export let clock: HandClock;
export let tty: MemoryTty;
export let answers: unknown[];
export let refuse: string | undefined;
export let signals: string[];
export let asker: ReturnType<typeof createAsker>;

export function start(more: Partial<AskerOptions> = {}): void {
  asker = createAsker({
    openTty: tty.opens,
    pretty: false,
    clock,
    env: {},
    agent: () => 'claude',
    midLine: () => false,
    grantRule: () => 'Bash(npm test:*)',
    answer: async (id, given) => {
      answers.push([id, given]);
      return refuse;
    },
    interrupted: () => signals.push('interrupted'),
    killed: () => signals.push('killed'),
    ...more,
  });
}

beforeEach(() => {
  clock = new HandClock();
  tty = new MemoryTty();
  answers = [];
  refuse = undefined;
  signals = [];
  start();
});
afterEach(() => {
  asker.close();
  expect([tty.open, tty.raw, clock.waiting]).toEqual([false, false, 0]);
});

export const show = (...inquiries: Inquiry[]) => {
  for (const inquiry of inquiries) expect(asker.opened(inquiry)).toBe(true);
  clock.advance(SHOWN);
  clock.advance(ARMED);
};
/** The answer's promise has been looked at. */
export const settled = () => new Promise((done) => setImmediate(done));
export const call = (command: string, count: number) => inquiryOf({ input: { command } }, count);

/** What the host will say instead of taking an answer. */
export function refuseWith(reason: string | undefined): void {
  refuse = reason;
}

export function useTty(other: MemoryTty): void {
  tty = other;
}
