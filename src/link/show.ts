/**
 * A client shows to its host which process it is, before it asks for more than to look (`proc/peer.ts`). Loaded only then. A
 * host of before there was such a question asks nothing; then a process inside a session refuses itself, as far as it can.
 */
import { ReinsError } from '../contract/index.js';
import { insideOf } from '../proc/inside.js';
import { bearing, ownIdentity, type ProcessIdentity, proofName } from '../proc/peer.js';

export interface ShowAsk {
  session: string;
  /** What the host greeted with. */
  challenge: string | undefined;
  /** Contract: ends by itself, also when the host does not answer. */
  prove(identity: ProcessIdentity): Promise<{ shown: boolean }>;
}

/** Another copy of this code in the same process may take the name away at the wrong moment. */
const MOST_TRIES = 3;

/** What stands in the way here already; the host says the rest to whatever is asked of it. */
export async function show({ session, challenge, prove }: ShowAsk): Promise<ReinsError | undefined> {
  if (challenge === undefined) {
    const inside = insideOf(process.pid);
    if (!inside) return undefined;
    return new ReinsError('USAGE', {
      problem: `this comes from inside a session: the process ${inside.why}`,
      fix: 'do it from a terminal of your own',
    });
  }
  const name = proofName(session, challenge);
  if (name === undefined) return undefined;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { shown } = await bearing(name, () => prove(ownIdentity()));
    if (shown) break;
  }
  return undefined;
}
