import { expect, it, vi } from 'vitest';
import { HandClock, type ScreenShot } from '../../contract/index.js';
import { echoWait } from './echo.js';

const shotOf = (line: string) => ({ lines: [line] }) as ScreenShot;

function watched(settleMs = 200) {
  const clock = new HandClock();
  const screen = { line: 'empty' };
  const echo = echoWait({ shot: async () => shotOf(screen.line), settleMs, clock });
  const state = { over: false };
  const before = echo();
  const enter = async () => {
    await before;
    void echo().then(() => {
      state.over = true;
    });
  };
  return { clock, screen, state, enter };
}

it('an echo that is there may be there since this moment: the agent gets its time too', async () => {
  const { screen, state, enter, clock } = watched();
  await Promise.resolve();
  const entered = enter();
  screen.line = 'typed';
  await entered;
  await vi.waitFor(() => expect(clock.waiting).toBe(1));
  clock.advance(200);
  await vi.waitFor(() => expect(state.over).toBe(true));
  expect(clock.waiting).toBe(0);
});

it('N8: a late echo is waited for, and then the agent gets its moment', async () => {
  const { clock, screen, state, enter } = watched(200);
  await enter();
  await vi.waitFor(() => expect(clock.waiting).toBe(1));
  screen.line = 'typed';
  clock.advance(50);
  await vi.waitFor(() => expect(clock.waiting).toBe(1));
  expect(state.over).toBe(false);
  clock.advance(200);
  await vi.waitFor(() => expect(state.over).toBe(true));
});

it('without any echo it does not wait for ever', async () => {
  const { clock, state, enter } = watched();
  await enter();
  await vi.waitFor(() => {
    clock.advance(1_000);
    expect(state.over).toBe(true);
  });
});

it('a picture that changes beside the input box is no echo', async () => {
  const clock = new HandClock();
  const lines = ['box', 'footer'];
  const shot = async () => ({ lines: [...lines] }) as ScreenShot;
  const echo = echoWait({ shot, draft: (seen) => seen.lines[0], settleMs: 200, clock });
  await echo();
  let over = false;
  void echo().then(() => {
    over = true;
  });
  lines[1] = 'another footer';
  for (let count = 0; count < 20; count += 1) {
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    clock.advance(50);
  }
  expect(over).toBe(false);
  lines[0] = 'typed';
  await vi.waitFor(() => {
    clock.advance(50);
    expect(over).toBe(true);
  });
});
