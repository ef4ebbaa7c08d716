/** Letting this browser in: what the link gives and whose hub it is, the yes, then the next step. */
import { useEffect } from 'preact/hooks';
import type { Device, Invitation } from '../../contract/page.js';
import { busy, entered, invited, look, name, pair, secret, takeSecret, wrong } from '../model/entering.js';
import { go } from '../model/routes.js';
import { reconnect } from '../model/socket.js';
import { connection, now } from '../model/store.js';
import { clock } from '../model/words.js';
import { Wordmark } from '../parts/icons.js';
import { rightWords } from '../parts/rights.js';
import { Wrong } from '../parts/wrong.js';

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
      <Step />
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

function Step() {
  if (entered.value) return <In device={entered.value.device} />;
  if (secret.value === '') return <NoLink />;
  if (invited.value) return <Ask of={invited.value} />;
  return <Looking />;
}

/** Nothing to type before it is known that the link is good. */
function Looking() {
  const failed = wrong.value;
  return (
    <div class="form" data-offer={failed?.over ? 'over' : 'unknown'}>
      <h1 class="calm-title">{failed?.over ? 'This link lets nobody in' : 'Let this device in'}</h1>
      {failed ? <Wrong {...failed} /> : <p class="soft">Asking {location.host} what the link gives.</p>}
      {failed && !failed.over && (
        <button type="button" class="button" data-do="look" disabled={busy.value} onClick={() => void look()}>
          Try again
        </button>
      )}
    </div>
  );
}

function Ask({ of }: { of: Invitation }) {
  return (
    <form
      class="form"
      data-offer="good"
      onSubmit={(event) => {
        event.preventDefault();
        void pair();
      }}
    >
      <h1 class="calm-title">{of.named ? `Let this device in as “${of.name}”?` : 'Let this device in?'}</h1>
      <Gives of={of} />
      {!of.named && (
        <label class="labelled">
          <span>Name of this device</span>
          <input
            class="field"
            name="name"
            autocomplete="off"
            maxLength={100}
            placeholder={of.name}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      {wrong.value && <Wrong {...wrong.value} />}
      <button type="submit" class="button primary" data-do="pair" disabled={busy.value}>
        Let it in
      </button>
      <p class="soft small">Only if this is your machine. The link works once, until {clock(of.until, now.value)}.</p>
    </form>
  );
}

/** Whose hub it is, what the device may there, which sessions it sees and for how long. */
function Gives({ of }: { of: Pick<Device, 'right' | 'namespaces' | 'session' | 'expires_at'> }) {
  const from = invited.value;
  return (
    <dl class="facts">
      <dt>Machine</dt>
      <dd data-fact="hub">
        {from?.hub} <span class="soft">at {location.host}</span>
      </dd>
      <dt>Folder</dt>
      <dd data-fact="folder">
        <code>{from?.folder}</code>
      </dd>
      <dt>It may</dt>
      <dd data-fact="right">{rightWords[of.right]}</dd>
      <dt>Sessions</dt>
      <dd data-fact="sessions">
        {of.session !== undefined
          ? `${of.session} alone`
          : of.namespaces.includes('*')
            ? 'all of this machine'
            : `only of ${of.namespaces.join(', ')}`}
      </dd>
      <dt>Until</dt>
      <dd data-fact="until">
        {of.expires_at === undefined ? 'it is let out' : new Date(of.expires_at).toLocaleString('en-GB')}
      </dd>
    </dl>
  );
}

function In({ device: paired }: { device: Device }) {
  const standalone = matchMedia('(display-mode: standalone)').matches;
  const apple = /iPhone|iPad/.test(navigator.userAgent);
  return (
    <div class="form">
      <h1 class="calm-title">“{paired.name}” is let in</h1>
      <Gives of={paired} />
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
