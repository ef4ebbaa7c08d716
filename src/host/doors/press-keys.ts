/**
 * Presses the keys that answer a dialog, with eyes open: what to press is read off the dialog as it stands now, and after
 * every step it is looked at again. Learned from real agents: an arrow and Enter written together confirm the option the
 * pointer stood on before, Enter right behind a text is one more letter of it, and a key that comes with the first frame of
 * a page is swallowed.
 */
import type { ScreenDialog, ScreenReading } from '../../adapters/index.js';
import type { Clock } from '../../contract/index.js';
import type { Settlement } from '../desk.js';
import { isGone } from './signs.js';

/** An agent repaints at once; one that has not moved its pointer by then does not take our keys. */
const STEP_MS = 2_000;
/**
 * A busy machine's agent took a key after three seconds. Whoever is asked again sooner answers twice, and the second key is for
 * the dialog behind this one.
 */
const TAKEN_MS = 8_000;
const LOOK_EVERY_MS = 25;
/** Claude took keys 300 ms after it had painted a page, and lost those that came with its first frame. */
const STANDS_MS = 300;
/** A page that still stands as it did is given its last key so often. */
const MOST_PRESSES = 3;
/** Keys of one answer are read one by one. */
const GAP_MS = 100;

/** Nothing was told: the dialog is asked about again. */
export const NOT_TAKEN = 'its key was not taken: the dialog still stands as it did';
export const NO_KEYS = 'this dialog can only be answered in the agent’s own terminal';

const isArrow = (key: string | undefined): boolean => key !== undefined && /^\x1b\[[ABCD]$/.test(key);

export async function pressKeys(given: {
  dialog: ScreenDialog;
  settled: Settlement;
  clock: Clock;
  /** What the screen says now. */
  now(): Promise<ScreenReading>;
  /** Everything on the screen now: a key that was taken changes it. */
  painted(): Promise<string>;
  write(key: string, unseen: boolean): Promise<string>;
  /** Why no key may be pressed now, whatever stands there. */
  hindered?(): string | undefined;
  /** Takes what was typed and not confirmed out again, where that can be done. */
  takeBack?(): Promise<void>;
}): Promise<string> {
  const { dialog, settled, clock } = given;
  const unseen = dialog.line === 'unseen';
  const write = (key: string): Promise<string> => given.write(key, unseen);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const keysOf = (one: ScreenDialog) => {
    const carried = one.keys(settled);
    return { keys: carried ?? one.keys({ verdict: { kind: 'deny' } }), carried: carried !== undefined };
  };
  /** As it stands now; undefined: it is gone, or half painted. */
  const look = async () => {
    const shown = (await given.now()).dialog;
    return shown?.key === dialog.key ? keysOf(shown) : undefined;
  };
  const GONE = 'the agent was gone before it could be told';
  const STUCK = 'the dialog did not follow its keys; nothing was confirmed';
  const CHANGED = 'the dialog changed while its keys were pressed; nothing was confirmed';
  /** A busy agent reads keys that came one after the other as one, or as a paste: each has to show before the next. */
  const changed = async (before: string): Promise<boolean> => {
    const until = clock.now() + STEP_MS;
    while ((await given.painted()) === before) {
      if (clock.now() >= until) return false;
      await pause(LOOK_EVERY_MS);
    }
    return true;
  };

  /** Between two keys: still this dialog, or the one it leads to. A line for a program has to be proven there each time. */
  const isStill = async (): Promise<boolean> => {
    const reading = await given.now();
    if (dialog.line) return reading.dialog?.key === dialog.key;
    if (reading.dialog && dialog.page !== undefined && reading.dialog.page === dialog.page) return true;
    const led = dialog.leadsTo !== undefined && reading.dialog?.key.startsWith(dialog.leadsTo) === true;
    return led || !isGone(dialog.key, reading);
  };
  /**
   * A key that was taken for another, or late, has ticked something else: the dialog then asks for other keys than those
   * that are left. Where it can no longer be read, the pointer has left its list, and it was right until then.
   */
  const agrees = async (rest: string[]): Promise<boolean> => {
    const until = clock.now() + STEP_MS;
    for (;;) {
      const keys = (await look())?.keys;
      if (!keys || (keys.length === rest.length && keys.every((key, at) => key === rest[at]))) return true;
      if (clock.now() >= until) return false;
      await pause(LOOK_EVERY_MS);
    }
  };
  const stop = async (why: string): Promise<string> => {
    await given.takeBack?.();
    return why;
  };

  /** It no longer stands there as it did when its key was pressed. A page may well be followed by nothing we know. */
  const taken = async (): Promise<boolean> => {
    // A page is given its key again, and sooner: it is no permission, and it swallows keys.
    const until = clock.now() + (dialog.kind === 'first-run' ? STEP_MS : TAKEN_MS);
    for (;;) {
      const reading = await given.now();
      const stands = reading.dialog?.key === dialog.key;
      if (dialog.kind === 'first-run' ? !stands : isGone(dialog.key, reading)) return true;
      // What cannot be read at all by then is not that dialog.
      if (clock.now() >= until) return !stands;
      await pause(LOOK_EVERY_MS);
    }
  };

  // A key is for this dialog or for nobody: what the last frame showed may be gone.
  if (dialog.kind === 'first-run' && (await look())) await pause(STANDS_MS);
  let plan = await look();
  if (!plan) return 'the dialog was gone before it could be answered';
  if (!plan.keys) return NO_KEYS;
  while (plan.keys && isArrow(plan.keys[0])) {
    const before = plan.keys.length;
    if ((await write(plan.keys[0]!)) !== 'written') return GONE;
    const until = clock.now() + STEP_MS;
    let next = await look();
    while (!next?.keys || next.keys.length >= before) {
      if (clock.now() >= until) return STUCK;
      await pause(LOOK_EVERY_MS);
      next = await look();
    }
    plan = next;
  }
  let before: string | undefined;
  for (const [at, key] of (plan.keys ?? []).entries()) {
    if (before !== undefined) {
      if (!unseen && !(await changed(before))) return stop(STUCK);
      await pause(GAP_MS);
      if (dialog.follows && !(await agrees(plan.keys!.slice(at)))) return stop(STUCK);
    }
    // Before the first one there is nothing of ours to be taken back.
    const leave = before === undefined ? async (why: string) => why : stop;
    before = await given.painted();
    // The last thing before a key is a look.
    if (!(await isStill())) return leave(CHANGED);
    const hindered = given.hindered?.();
    if (hindered !== undefined) return leave(hindered);
    if ((await write(key)) !== 'written') return GONE;
  }
  for (let presses = 1; plan.keys && !(await taken()); presses += 1) {
    // Only pages get it again: a key that a slow agent takes late would answer the permission dialog behind this one.
    if (dialog.kind !== 'first-run') return NOT_TAKEN;
    if (presses === MOST_PRESSES || plan.keys.length !== 1) return STUCK;
    if ((await write(plan.keys[0]!)) !== 'written') return GONE;
  }
  return plan.carried ? 'told' : 'this dialog cannot carry that answer; it was refused instead';
}
