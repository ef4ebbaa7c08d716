/** A fresh look, asked for by hand: the inbox and the rows anew, and the connection tried if it is not there. */
import { batch, signal } from '@preact/signals';
import { ask } from './api.js';
import { connectNow } from './socket.js';
import { cards, now, rows } from './store.js';

/** When it was last asked for and answered, by the hub's clock; `no` if nobody answered. */
export const refreshed = signal<number | 'no' | undefined>(undefined);

export async function refresh(): Promise<void> {
  connectNow();
  try {
    const [inbox, list] = await Promise.all([ask('inbox', {}), ask('sessions', { args: { ended: true } })]);
    batch(() => {
      cards.value = new Map(inbox.map((card) => [card.inquiry.id, card]));
      rows.value = new Map([...rows.peek(), ...list.map((row) => [row.id, row] as const)]);
      refreshed.value = now.peek();
    });
  } catch {
    refreshed.value = 'no';
  }
}
