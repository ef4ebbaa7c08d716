/**
 * Pauses and resumes a session's whole tree with SIGSTOP and SIGCONT. Not SIGTSTP: the leader of a terminal's session
 * is an orphaned group, and the kernel drops it there; and no group signal reaches the tools an agent starts.
 */
import type { Clock } from '../contract/index.js';
import { systemClock } from '../contract/index.js';
import { sendSignal } from './signals.js';
import { isStopped } from './table.js';
import { type TreeAsk, TreeWatch } from './tree.js';

export interface PauseAsk extends TreeAsk {
  watch?: TreeWatch;
  clock?: Clock;
}

/** A process may fork before its stop arrives; a tree that still grows after this many looks is not paused, but bounded. */
const ROUNDS = 50;
const ROUND_PAUSE_MS = 5;
/** One look can miss a child that was forked while it was taken. */
const STILL_LOOKS = 2;

/** Stops everyone, parents first, until a look shows nobody running. Returns the pids that stand still. */
export async function pauseTree(ask: PauseAsk): Promise<number[]> {
  const watch = ask.watch ?? new TreeWatch(ask);
  const clock = ask.clock ?? systemClock;
  let stillLooks = 0;
  for (let round = 0; round < ROUNDS && stillLooks < STILL_LOOKS; round += 1) {
    const moving = watch.sample().filter((member) => !isStopped(member));
    stillLooks = moving.length === 0 ? stillLooks + 1 : 0;
    for (const member of moving) if (watch.current(member)) sendSignal(member.pid, 'SIGSTOP');
    await new Promise<void>((resolve) => clock.after(ROUND_PAUSE_MS, resolve));
  }
  return watch
    .sample()
    .filter(isStopped)
    .map((member) => member.pid);
}

/** Lets everyone go on, children first. Returns the pids that had stood still. */
export async function resumeTree(ask: PauseAsk): Promise<number[]> {
  const watch = ask.watch ?? new TreeWatch(ask);
  const stopped = watch.sample().filter(isStopped).reverse();
  for (const member of stopped) if (watch.current(member)) sendSignal(member.pid, 'SIGCONT');
  return stopped.map((member) => member.pid);
}
