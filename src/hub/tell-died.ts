/**
 * A detached session has nobody who notices at once that its host died, unless a hub runs: it sees all of them, and tells whom
 * the session's own config names (`notify.command`, webhooks). Paired devices hear of it by push.
 */
import type { Log, SessionRow } from '../contract/index.js';
import { DIED_REASON, tellHostDied, type Where } from '../sessions/index.js';
import type { Watching } from './watching.js';

/** Returns what ends it. */
export function tellOfDead(
  tools: { where: Where; log: Log },
  watching: Pick<Watching, 'listen' | 'ready' | 'rows'>,
): () => void {
  const alive = new Set<string>();
  const began = new Date().toISOString();
  const look = ({ id, state, detail, left, ended_at, started_at }: SessionRow) => {
    if (state !== 'ended') {
      alive.add(id);
      return;
    }
    // One that was dead before we came is no news; one that came and went without our having met it is.
    const isNews = alive.delete(id) || (ended_at ?? started_at) > began;
    if (isNews && (detail === DIED_REASON || left !== undefined)) void tell(tools, id);
  };
  const end = watching.listen((news) => {
    if (news.t === 'row') look(news.row);
  });
  // While it took its first look.
  void watching.ready.then(() => [...watching.rows.values()].forEach(look));
  return end;
}

async function tell({ where, log }: { where: Where; log: Log }, session: string): Promise<void> {
  const untold = await tellHostDied(where, session).catch((error: Error) => [error.message]);
  if (untold.length > 0) log.log('warn', 'nobody could be told that a host died', { session, untold });
}
