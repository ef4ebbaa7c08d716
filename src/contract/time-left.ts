/**
 * How much time is left of something, as people say it: `12 h`, `3 h 10 min`, `13 min`, `4 min 10 s`, `50 s`. Seconds only where they
 * matter, and never more than two parts. The one way to say it: on the page, at the prompt, in the inbox and in lists.
 */

const MINUTE_S = 60;
/** From here on seconds are noise. */
const SECONDS_BELOW_S = 10 * MINUTE_S;
const DAY_H = 24;

/** Contract: pure, for a browser and for node. Rounded up, so that nothing runs out before it is said to. */
export function timeLeft(ms: number): string {
  const secs = Math.max(0, Math.ceil(ms / 1000));
  if (secs < MINUTE_S) return `${secs} s`;
  if (secs < SECONDS_BELOW_S) return parts([Math.floor(secs / MINUTE_S), 'min'], [secs % MINUTE_S, 's']);
  const minutes = Math.ceil(secs / MINUTE_S);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 10 * 60) return parts([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
  const hours = Math.round(minutes / 60);
  if (minutes < DAY_H * 60) return `${hours} h`;
  if (hours < 10 * DAY_H) return parts([Math.floor(hours / DAY_H), 'd'], [hours % DAY_H, 'h']);
  return `${Math.round(hours / DAY_H)} d`;
}

const parts = ([big, bigWord]: [number, string], [small, smallWord]: [number, string]): string =>
  small === 0 ? `${big} ${bigWord}` : `${big} ${bigWord} ${small} ${smallWord}`;
