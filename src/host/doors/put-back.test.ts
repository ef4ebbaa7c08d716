import { describe, expect, it, vi } from 'vitest';
import type { Tui } from '../../adapters/index.js';
import { HandClock, type ScreenShot } from '../../contract/index.js';
import { putBack } from './put-back.js';
import { slashProof } from './slash-proof.js';

const CTRL_C = '\x03';

/** An input box that is one line; without one, `undefined` stands for a page in its place. */
function boxed({ clears = true } = {}) {
  const clock = new HandClock();
  const box = { text: undefined as string | undefined, wrote: [] as string[] };
  const tui = { draft: { read: () => box.text, clear: CTRL_C } } as unknown as Tui;
  const shot = async () => ({ lines: [box.text ?? ''] }) as ScreenShot;
  const write = async (keys: string) => {
    box.wrote.push(keys);
    if (clears) box.text = '';
  };
  return { clock, box, tui, shot, write };
}

describe('a prompt that was put back', () => {
  it('is taken out, however it is wrapped', async () => {
    const parts = boxed();
    const back = putBack(parts);
    back.given('the first prompt\nof two lines');
    parts.box.text = 'the first\n  prompt of two lines ';
    await back.takeOut();
    expect(parts.box).toEqual({ text: '', wrote: [CTRL_C] });
  });

  it.each([['somebody’s draft'], ['the first prompt and more'], [''], [undefined]])(
    '%j is none: nothing is pressed',
    async (text) => {
      const parts = boxed();
      const back = putBack(parts);
      back.given('the first prompt');
      parts.box.text = text;
      await back.takeOut();
      expect(parts.box.wrote).toEqual([]);
    },
  );

  it('one key, and no waiting for ever, where the box stays as it is', async () => {
    const parts = boxed({ clears: false });
    const back = putBack(parts);
    back.given('go');
    parts.box.text = 'go';
    let over = false;
    void back.takeOut().then(() => {
      over = true;
    });
    await vi.waitFor(() => {
      parts.clock.advance(500);
      expect(over).toBe(true);
    });
    expect(parts.box.wrote).toEqual([CTRL_C]);
  });
});

describe('a slash command', () => {
  function entered(command: string, shown: string = command) {
    const parts = boxed();
    parts.box.text = shown;
    const abort = new AbortController();
    const state = { proof: undefined as string | undefined };
    void slashProof({ ...parts, command, signal: abort.signal }).then((proof) => {
      state.proof = proof;
    });
    const look = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        await vi.waitFor(() => expect(parts.clock.waiting).toBe(1));
        parts.clock.advance(100);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { ...parts, state, look, abort };
  }

  it('is proven by the box that stands there without it', async () => {
    const { box, state, look } = entered('/new');
    await look(2);
    expect(state.proof).toBeUndefined();
    box.text = 'Ask anything';
    await look(3);
    await vi.waitFor(() => expect(state.proof).toBe('screen'));
  });

  it.each([
    ['a newline after it', '/new\n'],
    ['a page in place of the box', undefined],
  ])('%s proves nothing', async (_name, text) => {
    const { box, state, look, abort, clock } = entered('/new');
    box.text = text;
    await look(6);
    expect(state.proof).toBeUndefined();
    abort.abort();
    clock.advance(100);
    await vi.waitFor(() => expect(clock.waiting).toBe(0));
    expect(state.proof).toBeUndefined();
  });

  it.each([
    ['/exit', '/exit'],
    ['/new', 'never shown'],
  ])('%s, seen as %j before Enter, is not proven here', async (command, shown) => {
    const { box, state, clock } = entered(command, shown);
    box.text = '';
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.waiting).toBe(0);
    expect(state.proof).toBeUndefined();
  });
});
