/** Screens of one test, closed after it, and what is read from them. */
import { afterEach } from 'vitest';
import type { HandClock, Size } from '../contract/index.js';
import { Screen } from './screen.js';

export const open: Screen[] = [];
afterEach(() => {
  for (const screen of open.splice(0)) screen.close();
});

export function screenOf(options: { size?: Size; clock?: HandClock; scrollback?: number } = {}): Screen {
  const screen = new Screen({ size: { cols: 40, rows: 8 }, ...options });
  open.push(screen);
  return screen;
}

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
export const told = <T>(listen: (call: (value: T) => void) => () => void): Promise<T> =>
  new Promise((resolve) => {
    const off = listen((value) => {
      off();
      resolve(value);
    });
  });

/** What one terminal shows, with everything that can be compared. */
export async function whole(screen: Screen): Promise<unknown> {
  return {
    shot: await screen.shot({ scrollback: 1000 }),
    ansi: await screen.ansi({ scrollback: 1000 }),
    modes: await screen.modes(),
  };
}
