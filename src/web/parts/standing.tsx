/**
 * What stands in the way of a session, above its composer, with what can be done about it: nothing above moves for it. How far one
 * that starts has come is said in the chat, where its first words will be.
 */
import { useState } from 'preact/hooks';
import { allows } from '../../contract/page.js';
import { ask } from '../model/api.js';
import type { Followed } from '../model/follow.js';
import { hostDied, shownState } from '../model/session-state.js';
import { startSteps } from '../model/start-steps.js';
import { now, type SessionRow, silent } from '../model/store.js';
import { seenText } from '../model/visible.js';
import { count, span } from '../model/words.js';
import { CopyLine } from './copy-line.js';
import { Twice } from './twice.js';

export function StartSteps({ followed, row }: { followed: Followed; row: SessionRow }) {
  const from = Date.parse(row.since ?? row.started_at);
  return (
    <ol class="start-steps small" aria-label="how far it is">
      {startSteps(followed.entries.value, from, now.value).map(({ name, is, ms }) => (
        <li key={name} data-step={name} data-is={is}>
          <span class="dot" data-is={is === 'now' ? 'starting' : is === 'done' ? 'working' : 'ended'} /> {name}
          {is === 'now' ? '…' : ''} {is === 'later' ? '' : span(ms)}
        </li>
      ))}
    </ol>
  );
}

export function Standing({ followed }: { followed: Followed }) {
  const [said, setSaid] = useState('');
  const row = followed.row.value;
  if (!row) return null;
  const admin = allows(followed.may.value, 'admin');
  const tries = async (deed: () => Promise<unknown>): Promise<void> => {
    setSaid('…');
    setSaid(
      await deed().then(
        () => '',
        (error: Error) => error.message,
      ),
    );
  };
  const id = { id: followed.session };
  const wrong = followed.wrong.value;
  const { is, words } = shownState(row, silent.value.get(row.id), now.value);
  const left = hostDied(row) ? (row.left ?? 0) : 0;
  const isPaused = row.state === 'paused' || (followed.paused.value && row.state !== 'ended');
  if (is !== 'silent' && is !== 'other' && left === 0 && !isPaused && !wrong) return null;
  return (
    <div class="standing" data-is={is}>
      <p class="small grow">
        {is === 'silent' || is === 'other' ? seenText(words) : null}
        {left > 0 ? count(left, 'process of it still runs', 'processes of it still run') : null}
        {isPaused && is !== 'silent' ? words : null}
        {wrong && is !== 'silent' && is !== 'other' && left === 0 ? (
          <span class="bad"> {seenText([wrong.message, wrong.hint].filter(Boolean).join(' '))}</span>
        ) : null}
        <span role="status">{said === '' ? '' : ` · ${seenText(said)}`}</span>
      </p>
      {is === 'other' ? <CopyLine line={`reins stop ${row.id}`} name="stop" /> : null}
      {is === 'silent' ? (
        <button
          type="button"
          class="button small"
          data-do="retry"
          onClick={() => void tries(() => ask('screen', { ...id, args: {} }))}
        >
          Try again
        </button>
      ) : null}
      {is === 'silent' && admin ? (
        <Twice
          class="button small danger"
          data-do="kill-silent"
          really="Really?"
          onClick={() => void tries(() => ask('kill', id))}
        >
          Kill it
        </Twice>
      ) : null}
      {left > 0 && admin ? (
        <Twice
          class="button small danger"
          data-do="stop-left"
          really="Really?"
          onClick={() => void tries(() => ask('stop', id))}
        >
          Stop them
        </Twice>
      ) : null}
      {isPaused && is !== 'silent' && admin ? (
        <button type="button" class="button small" data-do="resume" onClick={() => void tries(() => ask('resume', id))}>
          Resume
        </button>
      ) : null}
    </div>
  );
}
