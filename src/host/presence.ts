/**
 * Can a person answer now? Decided anew for each inquiry: a flag or the environment may rule it out, a visible viewer
 * that can show the inquiry on its screen is a yes, and a viewer whose only way is /dev/tty is asked at that moment.
 */
import type { Presence } from '../contract/index.js';

/** A viewer that does not say within this time is not there. */
export const PRESENCE_WAIT_MS = 2_000;

export interface PresenceSource {
  answers: 'screen' | 'tty' | 'no';
  visible: boolean;
  /** Contract: resolves, never rejects; a viewer that is gone says it is not present. */
  ask(): Promise<Presence>;
}

export async function presenceNow(options: {
  nonInteractive: string | null;
  viewers: Iterable<PresenceSource>;
}): Promise<Presence> {
  if (options.nonInteractive !== null) return { present: false, reason: options.nonInteractive };
  const viewers = [...options.viewers];
  if (viewers.some((viewer) => viewer.visible && viewer.answers === 'screen'))
    return { present: true, reason: 'viewer' };
  let last: Presence = { present: false, reason: 'no-viewer' };
  for (const viewer of viewers.filter((one) => one.answers === 'tty')) {
    last = await viewer.ask();
    if (last.present) return last;
  }
  return last;
}
