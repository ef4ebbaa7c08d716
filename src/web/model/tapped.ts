/**
 * The notification that led here: what it showed stands in for its card until the hub has spoken. At most one, for its own address
 * only, and not for longer than a day. It is never answered from: it may be a part of the thing.
 */
import { signal } from '@preact/signals';
import type { PushMessage } from '../../contract/page.js';
import { keep, kept, TAPPED } from './kept.js';

export type Tapped = Pick<PushMessage, 'title' | 'body' | 'tag' | 'path' | 'at'>;

const LONGEST_MS = 86_400_000;

export const tapped = signal<Tapped | undefined>(undefined);

export async function recallTapped(path = location.pathname): Promise<void> {
  const found = await kept<Tapped>(TAPPED);
  if (found === undefined) return;
  if (found.path === path && Date.now() - Date.parse(found.at) < LONGEST_MS) tapped.value = found;
  else forgetTapped();
}

/** The hub has spoken. */
export function forgetTapped(): void {
  tapped.value = undefined;
  void keep(TAPPED, undefined);
}
