/**
 * Can a person answer now? Decided anew for each inquiry: a flag or the environment may rule it out, a visible viewer
 * that can show the inquiry on its screen is a yes, and a viewer whose only way is /dev/tty is asked at that moment. So is a
 * hub, which answers for its pages, and says whom it could fetch.
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

export interface PresenceAsk {
  nonInteractive: string | null;
  viewers: Iterable<PresenceSource>;
  /** By what somebody who is not there can be fetched. */
  reachable?(): string | undefined;
}

/** Whoever said that nobody is to be asked has nobody fetched either. */
export async function presenceNow(options: PresenceAsk): Promise<Presence> {
  if (options.nonInteractive !== null) return { present: false, reason: options.nonInteractive };
  const presence = await atAViewer(options);
  if (presence.present) return { present: true, reason: presence.reason };
  const reachable = presence.reachable ?? options.reachable?.();
  return reachable === undefined ? presence : { ...presence, reachable };
}

async function atAViewer(options: PresenceAsk): Promise<Presence> {
  const viewers = [...options.viewers];
  if (viewers.some((viewer) => viewer.visible && viewer.answers === 'screen'))
    return { present: true, reason: 'viewer' };
  const asked = viewers.filter((one) => one.answers === 'tty').map((one) => one.ask());
  // All at once: one that does not answer must not keep the others waiting.
  const present = new Promise<Presence>((resolve) => {
    for (const one of asked) void one.then((presence) => presence.present && resolve(presence));
  });
  const absent = Promise.all(asked).then(
    (all): Presence =>
      // Nobody is there: a viewer that knows how to fetch somebody comes before one that does not.
      all.find((one) => one.present) ??
      all.find((one) => one.reachable !== undefined) ??
      all.at(-1) ?? { present: false, reason: 'no-viewer' },
  );
  return Promise.race([present, absent]);
}
