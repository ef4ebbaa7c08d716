/** `reins rm` and `reins prune`: ended sessions, removed. */
import { ReinsError } from '../../contract/index.js';
import { findSession, lostOf } from '../../sessions/index.js';
import { refuseInside } from '../../sessions/inside.js';
import { endedBefore, readSettings, removeSession } from '../../sessions/run.js';
import type { Context } from '../context.js';

export async function rm(context: Context, ids: string[], flags: { json?: boolean }): Promise<number> {
  notInside(context);
  // All are found before one is removed: a wrong word among them costs nothing.
  const found = ids.map((id) => findSession(context, id));
  for (const place of new Map(found.map((one) => [one.id, one])).values()) {
    const { length } = place.alive ? [] : await lostOf(place);
    await removeSession(context, place);
    if (length > 0) context.channels.complain(`! ${waits(length)} in ${place.id}, and went with it`);
  }
  told(context, [...new Set(found.map(({ id }) => id))], flags);
  return 0;
}

/** What an agent did is on record, and stays there until a person removes it. */
const notInside = (context: Context): void =>
  refuseInside(context, 'remove sessions', 'do it from a terminal of your own');

const waits = (count: number): string => (count === 1 ? '1 inquiry waited' : `${count} inquiries waited`);

export interface PruneFlags {
  all?: boolean;
  olderThan?: string;
  dryRun?: boolean;
  json?: boolean;
}

export async function prune(context: Context, flags: PruneFlags): Promise<number> {
  if (!flags.dryRun) notInside(context);
  const days = flags.all ? 0 : daysOf(context, flags.olderThan);
  const removed: string[] = [];
  const found = endedBefore(context, days);
  for (const place of found) {
    try {
      const { length } = await lostOf(place);
      if (length > 0) throw new Error(`${waits(length)} (reins inbox); reins rm ${place.id} removes it all the same`);
      if (!flags.dryRun) await removeSession(context, place);
      removed.push(place.id);
    } catch (error) {
      context.channels.complain(`! ${place.id} stays: ${(error as Error).message}`);
    }
  }
  told(context, removed, flags);
  const younger = flags.dryRun ? 0 : endedBefore(context, 0).length - (found.length - removed.length);
  if (found.length === 0)
    context.channels.chrome(days === 0 ? 'No session has ended.' : `Nothing ended more than ${days} days ago.`);
  if (younger > 0 && !flags.all)
    context.channels.chrome(`${younger} ended since then: reins prune --all removes them too`);
  return 0;
}

function daysOf(context: Context, asked: string | undefined): number {
  if (asked === undefined) {
    const days = readSettings(context).loaded.config.sessions.keep_days;
    return days > 0 ? days : 30;
  }
  const days = Number(asked);
  if (asked.trim() === '' || !Number.isFinite(days) || days < 0) {
    throw new ReinsError('USAGE', { problem: `--older-than ${asked} is no number of days`, fix: 'like 7' });
  }
  return days;
}

function told({ channels }: Context, ids: string[], flags: { json?: boolean }): void {
  if (flags.json) channels.json(ids);
  else channels.out(ids.map((id) => `${id}\n`).join(''));
}
