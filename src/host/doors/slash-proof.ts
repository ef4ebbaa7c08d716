/**
 * Proof that a slash command was taken: many of them (`/new`, `/fork`) start no turn and leave no record, but the input
 * box they were typed into stands there without them. An Enter that became a newline leaves them in it, and a page or
 * menu in place of the box proves nothing here. A command to leave is proven by the exit alone.
 */
import type { Tui } from '../../adapters/index.js';
import type { Clock, ScreenShot } from '../../contract/index.js';
import { squeeze } from './signs.js';

const LOOK_EVERY_MS = 100;
/** Looks in a row that must see it so: a frame in between may lack anything. */
const LOOKS = 3;
const LEAVES = /^\/(?:exit|quit)\b/;

/** Called right before Enter. Contract: never rejects; resolves only for proof, and stops looking when `signal` says so. */
export async function slashProof(given: {
  command: string;
  tui: Tui;
  shot(): Promise<ScreenShot>;
  clock: Clock;
  signal: AbortSignal;
}): Promise<string> {
  const { tui, clock, signal } = given;
  const command = squeeze(given.command);
  const never = new Promise<string>(() => undefined);
  const holds = (text: string): boolean => squeeze(text).includes(command);
  // A screen that is closed shows nothing any more; the exit is the proof then.
  const look = () => given.shot().catch(() => undefined);
  const before = await look();
  if (!tui.draft || LEAVES.test(given.command) || !before || !holds(before.lines.join('\n'))) return never;
  for (let seen = 0; seen < LOOKS; ) {
    await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    if (signal.aborted) return never;
    const shot = await look();
    if (!shot) return never;
    const draft = tui.draft.read(shot);
    seen = draft === undefined || holds(draft) ? 0 : seen + 1;
  }
  return 'screen';
}
