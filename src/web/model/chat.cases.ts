/** Journal entries for tests of a chat, and the chat they make. */
import type { Entry } from '../../contract/index.js';
import { ChatFold } from './chat-items.js';
import type { ChatItem } from './chat-types.js';

let seq = 0;
export const entry = (type: string, data: object): Entry =>
  ({
    v: 1,
    seq: ++seq,
    ts: `2026-01-02T03:04:${String(seq % 60).padStart(2, '0')}.000Z`,
    session: 's',
    type,
    data,
  }) as Entry;
export function folded(...told: [string, object][]): ChatFold {
  seq = 0;
  const fold = new ChatFold();
  fold.add(told.map(([type, data]) => entry(type, data)));
  return fold;
}
export const kinds = (items: ChatItem[]): string[] => items.map(({ kind }) => kind);
export const asked = (id: string, call?: string) => ({
  inquiry: { id, session: 's', kind: 'run', tool: 'Bash', exclusive: false, opened_at: '', ...(call ? { call } : {}) },
});
export const answered = (inquiry: string, by: object, kind = 'allow') => ({
  answer: { inquiry, verdict: { kind }, by },
});
