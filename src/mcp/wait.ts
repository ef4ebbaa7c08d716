/** Waits for a session's state by its journal, on a link of its own: nobody is asked again and again. */
import { type Inquiry, ReinsError, type SessionRow, type SessionState } from '../contract/index.js';
import type { HostClient, Place } from '../link/index.js';
import { connectTo, rowOf, type Where } from '../sessions/index.js';

export interface Waited {
  /** False: the limit came first. */
  reached: boolean;
  session: SessionRow;
  /** What waits for a person there. */
  inquiries: Inquiry[];
}

export interface WaitAsk {
  until: SessionState[];
  limitMs: number;
  signal: AbortSignal;
}

export async function waitFor(where: Where, place: Place, { until, limitMs, signal }: WaitAsk): Promise<Waited> {
  const ended = async (): Promise<Waited> => {
    const session = await rowOf(where, place);
    if (!session) throw new ReinsError('NO_SUCH_SESSION', { session: place.id });
    return { reached: until.includes(session.state), session, inquiries: [] };
  };
  if (!place.alive) return ended();
  let changed: () => void = () => undefined;
  let isOver = false;
  const over = () => {
    isOver = true;
    changed();
  };
  // A host that went away has ended its session, or it is found ended by its files.
  const client = await connectTo(where, place, { entry: () => changed(), closed: over }, 'view').catch(() => undefined);
  if (!client) return ended();
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    changed();
  }, limitMs);
  signal.addEventListener('abort', over, { once: true });
  try {
    await client.attach({
      kind: 'api',
      name: 'session_wait',
      role: 'watcher',
      visible: false,
      bytes: false,
      entries: true,
      answers: 'no',
    });
    client.ready();
    for (;;) {
      const next = new Promise<void>((resolve) => {
        changed = resolve;
      });
      const now = await look(client);
      if (signal.aborted) return { reached: false, ...now };
      if (until.includes(now.session.state) || isLate) return { reached: until.includes(now.session.state), ...now };
      if (isOver) return await ended();
      await next;
    }
  } catch (error) {
    if ((error as ReinsError).code === 'SESSION_ENDED' || (error as ReinsError).code === 'HOST_LOST') return ended();
    throw error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', over);
    client.close();
  }
}

const look = async (client: HostClient) => ({
  session: await client.command('summary'),
  inquiries: await client.command('inbox'),
});
