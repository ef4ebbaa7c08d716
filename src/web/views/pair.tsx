/**
 * Letting this browser in: the secret is in the fragment of the link, leaves the address at once and is used when the person says so.
 * Then what this device may do, and the next step.
 */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RouteResult } from '../../contract/page.js';
import { ask, HubError } from '../model/api.js';
import { forgetAll } from '../model/kept.js';
import { go } from '../model/routes.js';
import { reconnect } from '../model/socket.js';
import { connection } from '../model/store.js';
import { clock } from '../model/words.js';
import { Wordmark } from '../parts/icons.js';
import { rightWords } from '../parts/rights.js';
import { Wrong } from '../parts/wrong.js';

const secret = signal('');
const name = signal('');
const busy = signal(false);
const wrong = signal<{ words: string; hint: string } | undefined>(undefined);
const entered = signal<RouteResult<'pair'> | undefined>(undefined);

function takeSecret(): void {
  const found = location.hash.slice(1);
  if (found === '') return;
  secret.value = found;
  wrong.value = undefined;
  entered.value = undefined;
  history.replaceState(history.state, '', location.pathname);
}

async function pair(event: Event): Promise<void> {
  event.preventDefault();
  busy.value = true;
  wrong.value = undefined;
  const called = name.value.trim();
  try {
    entered.value = await ask('pair', { args: { secret: secret.value, ...(called === '' ? {} : { name: called }) } });
    secret.value = '';
    await forgetAll();
  } catch (error) {
    const said = error instanceof HubError ? error : undefined;
    wrong.value = { words: said?.message ?? 'The hub does not answer.', hint: said?.hint ?? 'Try again when it does.' };
  }
  busy.value = false;
}

function enter(): void {
  go('/', 'replace');
  entered.value = undefined;
  reconnect();
}

export function PairView() {
  useEffect(() => {
    takeSecret();
    addEventListener('hashchange', takeSecret);
    return () => removeEventListener('hashchange', takeSecret);
  }, []);
  return (
    <main class="pair" data-view="pair">
      <Wordmark />
      {entered.value ? <In {...entered.value} /> : secret.value === '' ? <NoLink /> : <Ask />}
      {!entered.value && isIn() && (
        <p class="soft">
          This device is let in already.{' '}
          <a class="button" href="/" data-do="enter">
            Go to Now
          </a>
        </p>
      )}
    </main>
  );
}

/** It has a key that the hub takes, as far as is known. */
const isIn = (): boolean => !['loading', 'unpaired', 'revoked'].includes(connection.value.state);

function Ask() {
  return (
    <form class="form" onSubmit={pair}>
      <h1 class="calm-title">Let this device in</h1>
      <p class="soft">
        To the sessions of <b>{location.host}</b>. The link works once; what this device may do was decided when it was
        made.
      </p>
      <label class="labelled">
        <span>Name of this device</span>
        <input
          class="field"
          name="name"
          autocomplete="off"
          maxLength={100}
          placeholder="found out by itself"
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
      </label>
      {wrong.value && <Wrong {...wrong.value} />}
      <button type="submit" class="button primary" data-do="pair" disabled={busy.value}>
        Let it in
      </button>
    </form>
  );
}

function In({ device: paired, hub: hubName }: RouteResult<'pair'>) {
  const standalone = matchMedia('(display-mode: standalone)').matches;
  const apple = /iPhone|iPad/.test(navigator.userAgent);
  return (
    <div class="form">
      <h1 class="calm-title">“{paired.name}” is let in</h1>
      <dl class="facts">
        <dt>Hub</dt>
        <dd>{hubName}</dd>
        <dt>It may</dt>
        <dd>{rightWords[paired.right]}</dd>
        {paired.session !== undefined && (
          <>
            <dt>Session</dt>
            <dd>{paired.session} alone</dd>
          </>
        )}
        {paired.expires_at !== undefined && (
          <>
            <dt>Until</dt>
            <dd>{new Date(paired.expires_at).toLocaleString('en-GB')}</dd>
          </>
        )}
      </dl>
      {apple && !standalone && (
        <p class="soft">
          Next: tap <b>Share</b>, then <b>Add to Home Screen</b>. On this system notifications need that.
        </p>
      )}
      <button type="button" class="button primary" data-do="enter" onClick={enter}>
        Go to Now
      </button>
      <p class="soft small">Notifications can be switched on under Settings.</p>
    </div>
  );
}

function NoLink() {
  const { state, since } = connection.value;
  const out = state === 'revoked' ? `was let out at ${clock(since, Date.now())}` : 'is not paired';
  return (
    <div class="form">
      <h1 class="calm-title">{isIn() ? 'Let another device in' : `This device ${out}.`}</h1>
      <p class="soft">
        On the computer where Reins runs, type <code>reins pair</code> and open the link it prints here, or point this
        device’s camera at its code. A link works once, for five minutes.
      </p>
      <p class="soft">A paired device can invite another one under Settings.</p>
    </div>
  );
}
