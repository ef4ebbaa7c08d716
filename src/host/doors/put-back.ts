/**
 * A prompt that an interrupt put back into the agent's input box: it was given once already, and the next message would
 * be glued to it. It is taken out before that message is typed; a draft that somebody typed is not, for it is theirs.
 */
import type { Tui } from '../../adapters/index.js';
import type { Clock, ScreenShot } from '../../contract/index.js';
import { squeeze } from './signs.js';

/** An agent repaints at once; one that has not emptied its box by then will not. */
const REPAINT_MS = 2_000;
const LOOK_EVERY_MS = 25;
/** Only what was given last can come back; a record of it may lag behind. */
const MOST_REMEMBERED = 3;

export interface PutBack {
  /** The agent was given this prompt. */
  given(prompt: string): void;
  /** Contract: never presses a key into a box that holds anything but such a prompt. */
  takeOut(): Promise<void>;
}

export function putBack(parts: {
  tui: Tui;
  shot(): Promise<ScreenShot>;
  write(keys: string): Promise<unknown>;
  clock: Clock;
}): PutBack {
  const { tui, clock } = parts;
  let prompts: string[] = [];
  const isBack = async (): Promise<boolean> => {
    const text = squeeze(tui.draft?.read(await parts.shot()) ?? '');
    return text !== '' && prompts.includes(text);
  };
  return {
    given(prompt) {
      prompts = [...prompts, squeeze(prompt)].slice(-MOST_REMEMBERED);
    },
    async takeOut() {
      const clear = tui.draft?.clear;
      if (clear === undefined || !(await isBack())) return;
      await parts.write(clear);
      const until = clock.now() + REPAINT_MS;
      while ((await isBack()) && clock.now() < until)
        await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    },
  };
}
