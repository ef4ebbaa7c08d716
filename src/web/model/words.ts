/** Times and counts as people say them. Every age is counted by the clock it is given, so that all of them tick together. */

const pad = (n: number): string => String(n).padStart(2, '0');
const DAY_S = 86_400;

/** How long it has been: `4 s`, `12 min`, `3 h 10 min`, `2 d 4 h`, never longer than two parts. What is left of something: `timeLeft`. */
export function span(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  const [big, bigWord, small, smallWord] =
    s < DAY_S
      ? [Math.floor(s / 3600), 'h', Math.floor((s % 3600) / 60), 'min']
      : [Math.floor(s / DAY_S), 'd', Math.floor((s % DAY_S) / 3600), 'h'];
  return small === 0 || big > 9 ? `${big} ${bigWord}` : `${big} ${bigWord} ${small} ${smallWord}`;
}

/** `14:02` today, `Mon 14:02` this week, `3 Jan 14:02` before. */
export function clock(when: string | number, now: number): string {
  const at = new Date(when);
  if (Number.isNaN(at.getTime())) return '';
  const time = `${pad(at.getHours())}:${pad(at.getMinutes())}`;
  if (at.toDateString() === new Date(now).toDateString()) return time;
  const near = Math.abs(now - at.getTime()) < 6 * DAY_S * 1000;
  return `${at.toLocaleDateString('en-GB', near ? { weekday: 'short' } : { day: 'numeric', month: 'short' })} ${time}`;
}

export const ago = (when: string | undefined, now: number): string =>
  when === undefined ? 'never' : `${span(now - Date.parse(when))} ago`;

/** `3rd`. */
export function nth(n: number): string {
  const tens = n % 100;
  const end = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${end}`;
}

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** The last parts of a path, for a narrow place: the whole of it stands in a title. */
export function folderName(path: string): string {
  const parts = path.split('/').filter(Boolean);
  return parts.length <= 2 ? path : `…/${parts.slice(-2).join('/')}`;
}
