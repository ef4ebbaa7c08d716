/** Waiting for facts: a condition is looked at until it holds, and a test that waits in vain says what for. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Far above anything that should happen here: it bounds a hang, it measures nothing. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 15;

export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  state: () => string = () => '',
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}\n${state()}`);
    await sleep(LOOK_EVERY_MS);
  }
}
