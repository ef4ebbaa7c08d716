/** What a session's journal says about its messages: which still wait, and what became of the others. Pure. */
import type { Entry, SendReceipt } from '../contract/index.js';
import { ofTypes } from '../journal/journal.js';
import { echoed } from './doors/signs.js';

export interface KnownMessage {
  key: string;
  text: string;
  queuedAt: string;
  by?: string | undefined;
  viewer?: string | undefined;
}

export interface FoldedMessages {
  waiting: KnownMessage[];
  /** What whoever sends one of these again is told. */
  done: Map<string, SendReceipt>;
  /** It was being given to the agent when its host was lost. `proven`: the agent's own record has it. */
  cut: { message: KnownMessage; proven: boolean } | undefined;
}

const TYPES = [
  'message.queued',
  'message.moved',
  'message.sending',
  'message.kept',
  'message.sent',
  'message.dropped',
  'prompt.given',
] as const;

export function foldMessages(entries: Iterable<Entry>): FoldedMessages {
  let waiting: KnownMessage[] = [];
  let cut: FoldedMessages['cut'];
  const done = new Map<string, SendReceipt>();
  const settle = (key: string, receipt: SendReceipt) => {
    waiting = waiting.filter((one) => one.key !== key);
    if (cut?.message.key === key) cut = undefined;
    done.set(key, receipt);
  };
  for (const { type, data, ts } of ofTypes(entries, TYPES)) {
    if (type === 'message.queued') {
      const { edited: _, ...message } = data;
      const known = waiting.find((one) => one.key === data.key);
      if (known) known.text = data.text;
      else waiting.push({ ...message, queuedAt: ts });
    } else if (type === 'message.moved') waiting = moved(waiting, data.key, data.before);
    else if (type === 'message.sending') {
      const message = waiting.find((one) => one.key === data.key);
      if (message) cut = { message, proven: false };
    } else if (type === 'message.kept') cut = undefined;
    else if (type === 'message.sent') {
      const { key, ...receipt } = data;
      settle(key, receipt);
    } else if (type === 'message.dropped') settle(data.key, droppedReceipt(data.how, data.reason));
    else if (cut && (data.key === cut.message.key || echoed(data.text, cut.message.text))) cut.proven = true;
  }
  return { waiting: waiting.filter((one) => one !== cut?.message), done, cut };
}

/** The one of this key before another; without one, or where that does not wait any more, last. */
export function moved<T extends { key: string }>(messages: T[], key: string, before: string | null): T[] {
  const one = messages.find((message) => message.key === key);
  if (!one || key === before) return messages;
  const rest = messages.filter((message) => message !== one);
  const at = rest.findIndex((message) => message.key === before);
  return at < 0 ? [...rest, one] : [...rest.slice(0, at), one, ...rest.slice(at)];
}

const DROPPED = {
  cancelled: 'it was cancelled',
  ended: 'the session ended before it was sent',
  refused: 'the agent did not take it',
  unknown: 'its host was lost while it was being sent; nobody can say whether the agent got it',
} as const;

export const droppedReceipt = (how: keyof typeof DROPPED, reason: string = DROPPED[how]): SendReceipt => ({
  verdict: 'refused',
  reason,
});
