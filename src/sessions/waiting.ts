/** What waits for a person, in all sessions. */
import type { LostInquiry, ReinsError } from '../contract/index.js';
import { type Place, placeOf } from '../link/index.js';
import { livingPlaces } from './catalog.js';
import { tell } from './find.js';
import { lostInquiries } from './lost.js';
import { writtenRow } from './row-file.js';
import type { Where } from './where.js';

export interface WaitingNow {
  /** The oldest first; those that were lost with their host too. */
  inquiries: LostInquiry[];
  /** Sessions whose host does not answer, and which may have something that waits. */
  silent: string[];
}

/** Only hosts with something open are asked for it: that nothing waits can be read. */
export async function openInquiries(where: Where): Promise<WaitingNow> {
  const silent: string[] = [];
  const ask = (place: Place) =>
    tell(where, place, 'inbox').catch((error: ReinsError) => {
      // One that is over has nothing that waits; a link that broke says nothing of that.
      const isOver = error.code === 'SESSION_ENDED' || error.code === 'HOST_LOST';
      if (!isOver || placeOf(where.env, place.id).alive) silent.push(place.id);
      return [];
    });
  const places = livingPlaces(where.env);
  const asked = places.filter((place) => place.alive && writtenRow(place)?.inquiries !== 0);
  const dead = places.filter(({ alive, host }) => !alive && host !== undefined);
  const lists: LostInquiry[][] = await Promise.all([...asked.map(ask), lostInquiries(where, dead)]);
  return { inquiries: lists.flat().sort((a, b) => a.opened_at.localeCompare(b.opened_at)), silent };
}
