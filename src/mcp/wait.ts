/** Waits for a session's state by its journal, on a link of its own: nobody is asked again and again. */
import { ReinsError, type SessionRow, type SessionState, type WaitingInquiry } from '../contract/index.js';
import type { Place } from '../link/index.js';
import { connectTo, rowOf, SILENT_DETAIL, tell, type Where } from '../sessions/index.js';

export interface Waited {
  /** False: the limit came first. */
  reached: boolean;
  session: SessionRow;
  /** What waits for a person there. */
  inquiries: WaitingInquiry[];
}

export interface WaitAsk {
  until: SessionState[];
  limitMs: number;
  signal: AbortSignal;
}

export async function waitFor(where: Where, place: Place, { until, limitMs, signal }: WaitAsk): Promise<Waited> {
  if (!place.alive) return standing(where, place, until);
  const link = new AbortController();
  let giveUp: () => void = () => undefined;
  // A host that is stopped or stuck answers nothing: whatever is asked of it, the limit and the caller's leaving end it.
  const givenUp = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  const late = setTimeout(giveUp, limitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    const reached = await Promise.race([watch(where, place, until, link.signal), givenUp]);
    return reached ? { reached: true, ...reached } : await standing(where, place, until);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', giveUp);
    link.abort();
  }
}

type WaitSeen = Omit<Waited, 'reached'>;

/** Undefined: the host went away. It has ended its session, or that is found ended by its files. */
async function watch(
  where: Where,
  place: Place,
  until: SessionState[],
  signal: AbortSignal,
): Promise<WaitSeen | undefined> {
  let changed: () => void = () => undefined;
  let isOver = false;
  const closed = () => {
    isOver = true;
    changed();
  };
  const client = await connectTo(where, place, { entry: () => changed(), closed }, 'view').catch(() => undefined);
  if (!client) return undefined;
  const close = () => client.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
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
    while (!isOver) {
      const next = new Promise<void>((resolve) => {
        changed = resolve;
      });
      const now = { session: await client.command('summary'), inquiries: await client.command('inbox') };
      if (until.includes(now.session.state)) return now;
      if (!isOver) await next;
    }
    return undefined;
  } catch (error) {
    const { code } = error as ReinsError;
    if (code === 'SESSION_ENDED' || code === 'HOST_LOST') return undefined;
    throw error;
  } finally {
    close();
  }
}

/** How things stand, within bounds: a host that says nothing is told as such, and has reached nothing we know of. */
async function standing(where: Where, place: Place, until: SessionState[]): Promise<Waited> {
  const session = await rowOf(where, place);
  if (!session) throw new ReinsError('NO_SUCH_SESSION', { session: place.id });
  const speaks = session.state !== 'ended' && session.detail !== SILENT_DETAIL;
  const inquiries = speaks ? await tell(where, place, 'inbox').catch(() => []) : [];
  return { reached: (speaks || session.state === 'ended') && until.includes(session.state), session, inquiries };
}
