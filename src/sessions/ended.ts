/**
 * The sessions that ended last, for who shows them beside the living: a few of them, however many there are. Whose directory
 * changed last is known without a look into any of them; only those that are shown are read.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionRow } from '../contract/index.js';
import { sessionsDir } from '../disk/index.js';
import { placeOf, sessionNames } from '../link/index.js';
import { rowOf } from './find.js';
import type { Where } from './where.js';

export interface EndedAsk {
  most: number;
  /** Only those that ended before this instant. */
  before?: string | undefined;
  /** Those that are not wanted, whatever became of them. */
  isWanted?(row: SessionRow): boolean;
}

/** The newest end first. Contract: reads no more sessions than it has to; one that cannot be read is left out. */
export async function endedRows(where: Where, { most, before, isWanted }: EndedAsk): Promise<SessionRow[]> {
  const rows: SessionRow[] = [];
  for (const id of newestFirst(where, before)) {
    if (rows.length >= most) break;
    const place = placeOf(where.env, id);
    if (place.alive) continue;
    // One broken session must not hide the others; `ls` says what is wrong with it.
    const row = await rowOf(where, place).catch(() => undefined);
    if (row?.state !== 'ended' || (isWanted && !isWanted(row))) continue;
    if (before === undefined || (row.ended_at ?? row.started_at) < before) rows.push(row);
  }
  return rows.sort((a, b) => (b.ended_at ?? b.started_at).localeCompare(a.ended_at ?? a.started_at));
}

/** A directory changes last when its host leaves it, or later. */
function newestFirst({ env }: Where, before: string | undefined): string[] {
  const dir = sessionsDir(env);
  const floor = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
  const found = sessionNames(env).flatMap((id) => {
    const at = statSync(join(dir, id), { throwIfNoEntry: false })?.mtimeMs;
    return at === undefined ? [] : [{ id, at }];
  });
  // What was touched after `before` may still have ended before it (an answer that was kept): looked at last.
  const rank = ({ at }: { at: number }) => (at < floor ? at : -at);
  return found.sort((a, b) => rank(b) - rank(a)).map(({ id }) => id);
}
