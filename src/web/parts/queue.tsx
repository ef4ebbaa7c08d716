/** Messages that wait for the agent's turn to end: each can be changed, moved and taken back until then. */
import { useState } from 'preact/hooks';
import type { QueuedMessage } from '../../contract/page.js';
import { ask } from '../model/api.js';
import type { Followed } from '../model/follow.js';
import { seenText } from '../model/visible.js';
import { count } from '../model/words.js';

function Waiting({ followed, message, at }: { followed: Followed; message: QueuedMessage; at: number }) {
  const [text, setText] = useState<string | undefined>(undefined);
  const [said, setSaid] = useState('');
  const all = followed.queue.value;
  const change = async (args: { do: 'edit' | 'move' | 'cancel'; text?: string; before?: string | null }) => {
    try {
      followed.queue.value = await ask('queue', { id: followed.session, args: { ...args, key: message.key } });
      setText(undefined);
      setSaid('');
    } catch (error) {
      setSaid((error as Error).message);
    }
  };
  const isLate = message.sending === true;
  const up = () => at > 0 && void change({ do: 'move', before: all[at - 1]!.key });
  const down = () => at < all.length - 1 && void change({ do: 'move', before: all[at + 2]?.key ?? null });
  const keyed = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    if (event.key === 'ArrowUp') up();
    else down();
  };
  if (text !== undefined) {
    return (
      <li class="editing">
        <textarea
          class="field"
          aria-label="the message"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          rows={Math.min(6, text.split('\n').length + 1)}
        />
        <p class="deeds">
          <button type="button" class="button quiet small" onClick={() => setText(undefined)}>
            Leave it
          </button>
          <button
            type="button"
            class="button small"
            data-do="queue-save"
            disabled={text.trim() === ''}
            onClick={() => void change({ do: 'edit', text })}
          >
            Change it
          </button>
        </p>
        {said ? <p class="bad small">{said}</p> : null}
      </li>
    );
  }
  return (
    <li data-queued={message.key} onKeyDown={keyed}>
      <span class="cut">{seenText(message.text)}</span>
      {isLate ? <span class="faint small">on its way</span> : null}
      <span class="deeds" hidden={isLate}>
        <button
          type="button"
          class="button quiet icon"
          aria-label="earlier (Alt Up)"
          disabled={at === 0}
          data-do="queue-up"
          onClick={up}
        >
          ↑
        </button>
        <button
          type="button"
          class="button quiet icon"
          aria-label="later (Alt Down)"
          disabled={at === all.length - 1}
          data-do="queue-down"
          onClick={down}
        >
          ↓
        </button>
        <button
          type="button"
          class="button quiet icon"
          aria-label="change"
          data-do="queue-edit"
          onClick={() => setText(message.text)}
        >
          ✎
        </button>
        <button
          type="button"
          class="button quiet icon"
          aria-label="take it back"
          data-do="queue-cancel"
          onClick={() => void change({ do: 'cancel' })}
        >
          ✕
        </button>
      </span>
      {said ? <p class="bad small">{said}</p> : null}
    </li>
  );
}

export function Queue({ followed }: { followed: Followed }) {
  const waiting = followed.queue.value;
  if (waiting.length === 0) return null;
  return (
    <section class="queue" aria-label="messages that wait">
      <p class="faint small">{count(waiting.length, 'message waits', 'messages wait')} until the agent is ready</p>
      <ol>
        {waiting.map((message, at) => (
          <Waiting key={message.key} followed={followed} message={message} at={at} />
        ))}
      </ol>
    </section>
  );
}
