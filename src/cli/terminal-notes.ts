/** The one line of ours on a session's terminal: what the person has to know now, and what they can do. Pure. */

export interface Standing {
  session: string;
  /** How the key that leaves is called. */
  detach: string;
  isSilent: boolean;
  isPaused: boolean;
  /** This viewer may drive and does not. */
  isWatching: boolean;
  driver: string | null;
}

/** Empty when there is nothing to say. */
export function noteOf({ session, detach, isSilent, isPaused, isWatching, driver }: Standing): string {
  if (isSilent) return `[its host does not answer. ${detach} leaves; end it: reins kill ${session}]`;
  // A screen that stands still for a pause looks like one that hangs.
  if (isPaused) return `[paused: keys wait until it goes on. Let it: reins resume ${session}]`;
  if (!isWatching) return '';
  return driver === null
    ? '[nobody drives: type to take the keys]'
    : `[${driver} drives, you watch. Take over: reins attach --take ${session}]`;
}

export const leftWords = (session: string, { isSilent }: { isSilent: boolean }): string =>
  isSilent
    ? `[left ${session}; its host does not answer. End it: reins kill ${session}]`
    : `[detached from ${session}; it goes on. Come back: reins attach ${session}]`;
