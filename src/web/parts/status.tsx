/** How true the page is: a dot and words with a time. It keeps its height in every state, so that nothing below it jumps. */
import { isOld, loadAnew } from '../model/newer.js';
import { connectNow } from '../model/socket.js';
import { catching, connection, now } from '../model/store.js';
import { clock, count, nth, span } from '../model/words.js';

/** `as of 14:02`, where something is known. */
const known = (asOf: number | undefined, at: number): string => (asOf === undefined ? '' : `as of ${clock(asOf, at)}`);

export function connectionWords(at: number): { words: string; more: string } {
  const { state, tries, nextAt, since, asOf } = connection.value;
  const wait = nextAt === undefined ? 0 : Math.max(0, Math.ceil((nextAt - Date.now()) / 1000));
  const soon = wait > 0 ? `next in ${wait} s` : 'trying now';
  // A network that is known to be gone is not tried yet.
  const next = tries > 0 ? `${nth(tries)} try, ${soon}` : soon;
  const last = clock(asOf ?? since, at);
  switch (state) {
    case 'loading':
    case 'connecting':
      return { words: state, more: known(asOf, at) };
    case 'live':
      return { words: 'live', more: '' };
    case 'behind':
      return { words: 'catching up', more: known(asOf, at) };
    case 'reconnecting':
      return { words: `reconnecting, ${next}`, more: known(asOf, at) };
    case 'offline':
      return { words: `the hub has not answered since ${last}`, more: next };
    case 'revoked':
      return { words: `this device was let out at ${clock(since, at)}`, more: known(asOf, at) };
    case 'unpaired':
      return { words: 'this device is not paired', more: '' };
  }
}

/** A connection that takes longer is worth words over the page. */
const SLOW_MS = 400;

/** The dot with its short word, for headers. */
export function StatusDot() {
  const { state, since } = connection.value;
  void now.value;
  const age = state === 'live' ? '' : ` ${span(Date.now() - since)}`;
  const word = state === 'live' ? 'live' : `${connectionWords(now.value).words.split(',')[0]}${age}`;
  return (
    <span class="status small" title={connectionWords(now.value).words}>
      <span class="dot" data-is={state} />
      <span class="cut">{state === 'live' ? word : state === 'offline' ? `offline${age}` : word}</span>
    </span>
  );
}

/** The whole of it, over the page and not in its way, while something is not as it should be. */
export function StatusLine() {
  const { state, since } = connection.value;
  const late = catching.value;
  if (state === 'live' && late === 0) return isOld.value ? <OldPage /> : null;
  // The dot says it; words come when it takes long.
  if ((state === 'loading' || state === 'connecting') && now.value > 0 && Date.now() - since < SLOW_MS) return null;
  const { words, more } =
    state === 'live'
      ? { words: `catching up: ${count(late, 'entry', 'entries')}`, more: '' }
      : connectionWords(now.value);
  const waits = state === 'reconnecting' || state === 'offline';
  return (
    <div class="status-line small" data-is={state} role="status">
      <span class="dot" data-is={state === 'live' ? 'working' : state} />
      <span class="grow">
        {words}
        {more !== '' && <span class="soft"> · {more}</span>}
      </span>
      {waits && (
        <button type="button" class="button small" data-do="reconnect" onClick={connectNow}>
          Now
        </button>
      )}
    </div>
  );
}

function OldPage() {
  return (
    <div class="status-line small" data-is="old" role="status">
      <span class="grow">There is a newer version of this page.</span>
      <button type="button" class="button small" data-do="load-anew" onClick={loadAnew}>
        Load it
      </button>
    </div>
  );
}
