/**
 * How much was said in each session since it was last looked at on this device: the row says how often the agent has spoken, and this
 * browser keeps how much of that was seen.
 */
import { effect, signal } from '@preact/signals';
import { keep, kept } from './kept.js';
import { route } from './routes.js';
import { connection, now, rows, type SessionRow } from './store.js';

const KEY = 'read';
const marks = signal<Readonly<Record<string, number>> | undefined>(undefined);

export const unread = ({ id, said }: SessionRow): number =>
  marks.value === undefined || said === undefined ? 0 : Math.max(0, said.count - (marks.value[id] ?? 0));

function mark(seen: Record<string, number>): void {
  // Of sessions that are gone nothing is kept.
  const all = Object.entries({ ...marks.peek(), ...seen }).filter(([id]) => rows.peek().has(id));
  marks.value = Object.fromEntries(all);
  void keep(KEY, marks.peek());
}

export async function watchUnread(): Promise<void> {
  const before = await kept<Record<string, number>>(KEY);
  if (before !== undefined) marks.value = before;
  effect(() => {
    if (connection.value.state !== 'live') return;
    // A browser that is new here has missed nothing.
    if (marks.peek() === undefined)
      mark(Object.fromEntries([...rows.value].map(([id, { said }]) => [id, said?.count ?? 0])));
    void now.value;
    const { session = '' } = route.value;
    const row = rows.value.get(session);
    if (row !== undefined && unread(row) > 0 && document.visibilityState === 'visible')
      mark({ [session]: row.said!.count });
  });
}
