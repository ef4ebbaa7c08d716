/** Messages of this browser that are not seen in the session yet: each says how far it came. */
import { useEffect } from 'preact/hooks';
import type { ChatView } from '../model/chat.js';
import { draft } from '../model/drafts.js';
import type { Followed } from '../model/follow.js';
import { again, forget, type OutgoingMessage, outbox } from '../model/outbox.js';
import { connection } from '../model/store.js';
import { seenText } from '../model/visible.js';
import { TickSign } from './message.js';

/** On record or in the queue under its key: it is shown there. */
function useSeen(mine: readonly OutgoingMessage[], followed: Followed, chat: ChatView): void {
  const queued = followed.queue.value;
  useEffect(() => {
    for (const { key, as = key, state } of mine) {
      if (state === 'accepted' && (chat.keys.has(as) || queued.some((one) => one.key === key))) forget(key);
    }
  }, [mine, queued, chat.keys]);
}

const words = ({ state, said }: OutgoingMessage, isLive: boolean): string => {
  if (state === 'refused') return `not sent: ${said ?? 'refused'}`;
  if (state === 'accepted') return said ?? 'taken by the host';
  return isLive ? 'on its way' : 'when connected';
};

export function OnTheirWay({ followed, chat }: { followed: Followed; chat: ChatView }) {
  const mine = outbox.value.filter(
    // That it goes on is seen on the session itself.
    ({ session, key, as = key, what, state }) =>
      session === followed.session && !chat.keys.has(as) && !(what === 'continue' && state === 'accepted'),
  );
  useSeen(mine, followed, chat);
  const back = ({ key, text }: OutgoingMessage): void => {
    const field = draft(`message:${followed.session}`);
    field.value = [field.peek(), text].filter(Boolean).join('\n');
    forget(key);
  };
  const isLive = connection.value.state === 'live';
  return (
    <>
      {mine.map((one) => (
        <div key={one.key} class="prompt pending" data-pending={one.state}>
          <p class="said">{one.text === '' ? <i class="soft">Continue</i> : seenText(one.text, { lines: true })}</p>
          <p class="meta">
            {seenText(words(one, isLive))} <TickSign tick={one.state === 'waits' ? 'sending' : one.state} />
          </p>
          {one.state === 'accepted' ? null : (
            <button type="button" class="button quiet small" data-do="unsend" onClick={() => back(one)}>
              {one.text === '' ? 'Leave it' : 'Back into the field'}
            </button>
          )}
          {one.code === 'FOLDER_BUSY' && one.state === 'refused' ? (
            <button
              type="button"
              class="button small"
              data-do="beside"
              onClick={() => again(one.key, { beside: true })}
            >
              Go on beside it
            </button>
          ) : null}
        </div>
      ))}
    </>
  );
}
