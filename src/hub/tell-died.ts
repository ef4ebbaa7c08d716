/**
 * A detached session has nobody who notices at once that its host died, unless a hub runs: it sees all of them, and tells whom
 * the session's own config names (`notify.command`, webhooks). Paired devices hear of it by push.
 */
import type { Log } from '../contract/index.js';
import { DIED_REASON, tellHostDied, type Where } from '../sessions/index.js';
import type { Watching } from './watching.js';

/** Returns what ends it. */
export function tellOfDead(tools: { where: Where; log: Log }, watching: Pick<Watching, 'listen'>): () => void {
  /** Seen alive: one that was dead before we came is no news. */
  const alive = new Set<string>();
  return watching.listen((news) => {
    if (news.t !== 'row') return;
    const { id, state, detail, left } = news.row;
    if (state !== 'ended') alive.add(id);
    else if (alive.delete(id) && (detail === DIED_REASON || left !== undefined)) void tell(tools, id);
  });
}

async function tell({ where, log }: { where: Where; log: Log }, session: string): Promise<void> {
  const untold = await tellHostDied(where, session).catch((error: Error) => [error.message]);
  if (untold.length > 0) log.log('warn', 'nobody could be told that a host died', { session, untold });
}
