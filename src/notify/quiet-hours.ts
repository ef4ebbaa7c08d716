/** Hours in which nobody is told, in local time or that of a zone; they may go over midnight. Pure. */

const MINUTE_MS = 60_000;

export function isQuiet(hours: string | undefined, now: number, zone?: string): boolean {
  const span = spanOf(hours);
  if (!span) return false;
  const minute = zone === undefined ? minuteOf(now) : minuteIn(zone, now);
  const { from, to } = span;
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Milliseconds until they are over; 0 if they are not on. A change of the clocks makes it an hour off, so it is looked at again. */
export function quietFor(hours: string | undefined, now: number): number {
  const span = spanOf(hours);
  if (!span || !isQuiet(hours, now)) return 0;
  const left = (span.to - minuteOf(now) + 24 * 60) % (24 * 60);
  return left * MINUTE_MS - (now % MINUTE_MS);
}

function spanOf(hours: string | undefined): { from: number; to: number } | undefined {
  const [, fromHour, fromMinute, toHour, toMinute] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(hours ?? '') ?? [];
  if (fromHour === undefined) return undefined;
  const span = { from: Number(fromHour) * 60 + Number(fromMinute), to: Number(toHour) * 60 + Number(toMinute) };
  // The same hour twice is no time at all, not the whole day.
  return span.from === span.to ? undefined : span;
}

function minuteOf(now: number): number {
  const date = new Date(now);
  return date.getHours() * 60 + date.getMinutes();
}

/** A zone that this machine does not know is its own. */
function minuteIn(zone: string, now: number): number {
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    const [hour, minute] = format.format(now).split(':').map(Number) as [number, number];
    return hour * 60 + minute;
  } catch {
    return minuteOf(now);
  }
}
