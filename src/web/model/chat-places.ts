/**
 * Where something is put in a chat: at the end, unless the agent's own record tells it late. An agent's hook or server can be
 * quicker than its record: then a call, or what is asked about it, stands there before the words that led to it.
 */
import type { ChatItem } from './chat-types.js';

/** A record lags by half a second at most; what was asked longer ago was asked before. */
const LATE_MS = 5_000;

export interface Late {
  /** The call that the host knows to come after it. */
  before?: string | undefined;
  at: string;
  /** It is told by a terminal program's own record, which knows of these calls so far. */
  recorded?: { calls: ReadonlyMap<string, unknown> } | undefined;
}

/** Contract: an index from 0 to the length of the list. */
export function placeIn(list: readonly ChatItem[], { before, at, recorded }: Late): number {
  if (before !== undefined) {
    const call = list.findLastIndex((one) => one.kind === 'tool' && one.call === before);
    if (call >= 0) return call;
  }
  if (!recorded) return list.length;
  const isAhead = (one: ChatItem | undefined): boolean =>
    one?.kind === 'inquiry' &&
    one.inquiry.call !== undefined &&
    !recorded.calls.has(one.inquiry.call) &&
    Date.parse(at) - Date.parse(one.at) <= LATE_MS;
  let place = list.length;
  while (isAhead(list[place - 1])) place -= 1;
  return place;
}
