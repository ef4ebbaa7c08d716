/**
 * Whether an agent has taken what was typed: its input box changes, or, where that cannot be read, its picture. On a busy machine a paste is shown late, and an Enter
 * that comes before the agent has read the paste is swallowed or becomes a newline; so a late echo is waited for.
 */
import type { Clock, ScreenShot } from '../../contract/index.js';

/** An agent that shows nothing by then will not show it at all; Enter is pressed as it always was. */
const LATE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Called once before typing and once before Enter; the second call waits for the echo if it is late. */
export function echoWait(given: {
  shot(): Promise<ScreenShot>;
  /** What stands in the input box: other parts of the picture change by themselves while a long paste is still read. */
  draft?: ((shot: ScreenShot) => string | undefined) | undefined;
  settleMs: number;
  clock: Clock;
}): () => Promise<void> {
  const { clock, settleMs } = given;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const picture = async (): Promise<string> => {
    const shot = await given.shot();
    return given.draft?.(shot) ?? shot.lines.join('\n');
  };
  let before: string | undefined;
  return async () => {
    if (before === undefined) {
      before = await picture();
      return;
    }
    const until = clock.now() + LATE_MS;
    while ((await picture()) === before) {
      if (clock.now() >= until) return;
      await pause(LOOK_EVERY_MS);
    }
    // It may have been shown this very moment: only from here on is it known to be taken.
    await pause(settleMs);
  };
}
