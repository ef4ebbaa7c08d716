/**
 * The chat of a followed session: its entries folded as they come. What is added at the end is folded onto what is there; when
 * older ones came in above, or were let go of, all is folded again.
 */
import { computed, type ReadonlySignal } from '@preact/signals';
import { ChatFold } from './chat-items.js';
import type { ChatItem, ChatUsage } from './chat-types.js';
import type { Followed } from './follow.js';

export interface ChatView {
  items: readonly ChatItem[];
  usage: ChatUsage;
  background: number;
  door: string | undefined;
  /** Keys of messages that are on record. */
  keys: ReadonlySet<string>;
}

export function chatOf({ entries }: Pick<Followed, 'entries'>): ReadonlySignal<ChatView> {
  let fold = new ChatFold();
  let first = 0;
  return computed(() => {
    const all = entries.value;
    if (all[0]?.seq !== first) {
      fold = new ChatFold();
      first = all[0]?.seq ?? 0;
    }
    fold.add(all);
    const { items, usage, background, door, keys } = fold;
    return { items: [...items], usage, background, door, keys: new Set(keys) };
  });
}
