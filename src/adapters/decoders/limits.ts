/**
 * Texts in which an agent says that its plan or provider refuses more work, and until when. Wordings seen in the wild:
 *   Claude AI usage limit reached|1800003600                    You've hit your limit · resets 3:30pm (Europe/Berlin)
 *   You've hit your usage limit. … try again in 5 days 22 hours 11 minutes.      … or try again at 3:42 PM.
 *   … try again at Mar 10th, 2026 3:39 AM.                      Your quota will reset after 12h3m4s.
 * Ask it only about error texts: the model itself may write such words.
 */
const LIMIT =
  /\b(?:hit|reached|exceeded) your (?:[\w-]+ ){0,3}(?:limit|quota)|\b(?:usage|hour|session|weekly|daily|opus|sonnet) limit (?:has been )?reached|usage_limit_reached|\bquota (?:exceeded|exhausted)|exhausted your (?:\w+ ){0,3}quota|exceeded your current quota|out of extra usage|usage limit is set to/i;

const UNIT_MS: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** No plan's window is longer than a month; a time beyond that was misread. */
const FARTHEST_MS = 40 * 86_400_000;
/** A time of day so little ago is today's: a message takes its time, and clocks differ. */
const JUST_NOW_MS = 5 * 60_000;

/** The limit a text speaks of, or undefined; `until` in ms since the epoch, if the text says when. */
export function limitIn(text: string, now: number): { message: string; until?: number } | undefined {
  if (!LIMIT.test(text)) return undefined;
  const until = resetIn(text, now);
  const message = text.length > 500 ? `${text.slice(0, 500)}…` : text;
  return until !== undefined && until > now - UNIT_MS.d! && until < now + FARTHEST_MS
    ? { message, until }
    : { message };
}

function resetIn(text: string, now: number): number | undefined {
  const epoch = /(?:limit reached\||resets_at"?:\s*)(\d{10})\b/i.exec(text);
  if (epoch) return Number(epoch[1]) * 1000;
  const span =
    /(?:try again in|resets? (?:in|after)|retry in)\s+((?:[\d.]+\s*(?:days?|hours?|minutes?|seconds?|[dhms])[\s,]*)+)/i;
  const spanText = span.exec(text)?.[1];
  if (spanText !== undefined) return now + spanMs(spanText);
  return clockTime(text, now);
}

function spanMs(text: string): number {
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/([\d.]+)\s*([dhms])/gi))
    ms += Number(count) * UNIT_MS[unit!.toLowerCase()]!;
  return ms;
}

/** `resets 3pm (Zone)`, `try again at 3:42 PM`, `resets Jul 26, 5:59am (Zone)`, `try again at Mar 10th, 2026 3:39 AM`. */
function clockTime(text: string, now: number): number | undefined {
  const match =
    /(?:resets?|try again)(?: at)?\s+(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?(?:at )?)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)\b(?:\s*\(([\w/+-]+)\))?/i.exec(
      text,
    );
  if (!match) return undefined;
  const [, month, day, year, hour12, minute, half, zone] = match;
  const hour = (Number(hour12) % 12) + (half!.toLowerCase() === 'pm' ? 12 : 0);
  const today = wallClock(now, zone);
  if (!today) return undefined;
  const wall = { ...today, hour, minute: Number(minute ?? 0) };
  if (month === undefined) {
    const at = epochOf(wall, zone);
    return at > now - JUST_NOW_MS ? whenOver(at, now) : epochOf({ ...wall, day: wall.day + 1 }, zone);
  }
  const index = MONTHS.indexOf(month.toLowerCase());
  if (index < 0) return undefined;
  const dated = { ...wall, year: Number(year ?? today.year), month: index + 1, day: Number(day) };
  const at = epochOf(dated, zone);
  // Without a year, a day long gone means next year's (said in December about January).
  const isLongGone = year === undefined && at < now - FARTHEST_MS;
  return isLongGone ? epochOf({ ...dated, year: dated.year + 1 }, zone) : whenOver(at, now);
}

/** A clock without seconds names a minute: where that has begun, the limit may last to its end. */
const whenOver = (at: number, now: number): number => (at > now ? at : at + UNIT_MS.m!);

interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** What a clock on the wall shows there; undefined for a zone nobody knows. */
function wallClock(at: number, zone: string | undefined): Wall | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...(zone === undefined ? {} : { timeZone: zone }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return { year: part.year!, month: part.month!, day: part.day!, hour: part.hour!, minute: part.minute! };
  } catch {
    return undefined; // RangeError: no such zone. The limit is known all the same, only not its end.
  }
}

const asUtc = (wall: Wall) => Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute);

/** The moment at which that wall clock shows this: guess in UTC, correct by the zone's offset, twice for DST edges. */
function epochOf(wall: Wall, zone: string | undefined): number {
  const target = asUtc(wall);
  let at = target;
  for (let round = 0; round < 2; round++) at += target - asUtc(wallClock(at, zone) ?? wall);
  return at;
}
