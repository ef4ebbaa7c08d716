/**
 * Messages that were sent and not yet acknowledged: kept in this browser with the key each was given once, and sent again until
 * the hub says yes or no. The same key twice is one message, so a cut connection or a reload costs nothing.
 */
import { effect, signal } from '@preact/signals';
import { ask, HubError } from './api.js';
import { keep, kept } from './kept.js';
import { connection } from './store.js';

export interface OutgoingMessage {
  key: string;
  session: string;
  what: 'message' | 'guide' | 'continue';
  text: string;
  at: number;
  /** `accepted` is shown until it is seen in the session itself. */
  state: 'waits' | 'accepted' | 'refused';
  /** The hub's or the host's words. */
  said?: string;
  /** By which name the session knows it, where that is not its key. */
  as?: string;
  /** Why it was refused, where something can be done about it here. */
  code?: string;
  /** Of `continue`: also beside another loop in its folder. */
  beside?: boolean;
}

/** More than this nobody writes without a connection. */
const MOST = 100;
/** Accepted and never seen in the journal: an older host does not say the key. */
const SEEN_WITHIN_MS = 15_000;

export const outbox = signal<readonly OutgoingMessage[]>([]);
let recalled = false;
let busy = false;

const save = (): Promise<void> =>
  keep('outbox', outbox.peek().length === 0 ? undefined : outbox.peek().filter(({ state }) => state !== 'accepted'));

const change = (key: string, news: Partial<OutgoingMessage>): void => {
  outbox.value = outbox.peek().map((one) => (one.key === key ? { ...one, ...news } : one));
  void save();
};

export function forget(key: string): void {
  if (!outbox.peek().some((one) => one.key === key)) return;
  outbox.value = outbox.peek().filter((one) => one.key !== key);
  void save();
}

/** Takes a message over; from here on it is not lost. False if there are too many. */
export async function post(message: Pick<OutgoingMessage, 'session' | 'what' | 'text'>): Promise<boolean> {
  await recall();
  if (outbox.peek().length >= MOST) return false;
  outbox.value = [...outbox.peek(), { ...message, key: crypto.randomUUID(), at: Date.now(), state: 'waits' }];
  // Written down before it is sent: a reload in between finds it.
  await save();
  void flush();
  return true;
}

/** Sends once more what was refused, said differently. */
export function again(key: string, news: Pick<OutgoingMessage, 'beside'>): void {
  change(key, { state: 'waits', ...news });
  void flush();
}

async function recall(): Promise<void> {
  if (recalled) return;
  recalled = true;
  const before = (await kept<OutgoingMessage[]>('outbox')) ?? [];
  const have = new Set(outbox.peek().map(({ key }) => key));
  outbox.value = [...before.filter(({ key }) => !have.has(key)), ...outbox.peek()];
}

/** One after the other, in their order. */
async function flush(): Promise<void> {
  if (busy) return;
  busy = true;
  try {
    for (;;) {
      const next = outbox.peek().find(({ state }) => state === 'waits');
      if (!next || !(await deliver(next))) return;
    }
  } finally {
    busy = false;
  }
}

/** False if nobody answered: it waits for the connection. */
async function deliver({ key, session, what, text, beside }: OutgoingMessage): Promise<boolean> {
  try {
    if (what === 'continue') {
      const args = { key, ...(text === '' ? {} : { prompt: text }), ...(beside ? { share_folder: true } : {}) };
      await ask('continue', { id: session, args });
    } else if (what === 'guide') {
      const { id } = await ask('guide', { id: session, args: { text, key } });
      change(key, { as: id });
    } else {
      const { verdict, reason } = await ask('message', { id: session, args: { text, key } });
      if (verdict === 'refused') {
        change(key, { state: 'refused', said: reason ?? 'it was refused' });
        return true;
      }
      if (verdict === 'no-evidence') change(key, { said: reason ?? 'the agent gave no sign of it' });
    }
    change(key, { state: 'accepted' });
    setTimeout(() => forget(key), SEEN_WITHIN_MS);
    return true;
  } catch (error) {
    if (!(error instanceof HubError) || error.status === 401 || error.status === 429 || error.status >= 502)
      return false;
    change(key, { state: 'refused', said: [error.message, error.hint].filter(Boolean).join('; '), code: error.code });
    return true;
  }
}

/** Sends what waits whenever there is somebody to hear it. */
export function watchOutbox(): () => void {
  void recall().then(flush);
  return effect(() => {
    if (connection.value.state === 'live') void flush();
  });
}
