/** Notifications of this device, in Settings: their state in words, on and off, what is told of, quiet hours, a test with its receipt. */
import { useEffect, useState } from 'preact/hooks';
import * as model from '../model/notifications.js';
import { mayI } from '../model/store.js';
import { Labelled } from './fields.js';

const WHY_NOT: Record<Exclude<model.PushAbility, 'able'>, string> = {
  insecure: 'Notifications need HTTPS. Open Reins by an https address (docs/remote.md shows how), and pair there.',
  'home-screen':
    'On an iPhone or iPad: tap Share, then Add to Home Screen, and open Reins from there. Notifications can be turned on in it.',
  none: 'This browser has no push notifications.',
  denied:
    'This browser was told to show no notifications of this page. Allow them in its settings for this site, then come back.',
};

const KINDS: [model.ToldKind, string][] = [
  ['inquiry', 'Something needs an answer'],
  ['ended', 'A session ended'],
  ['limit', 'An agent is at its usage limit'],
  ['died', 'A session’s host died'],
];

export function Notifications() {
  useEffect(() => void model.lookAtPush(), []);
  const ability = model.ability();
  const state = ability === 'able' ? (model.isOn.value ? 'on' : 'off') : ability;
  return (
    <section aria-labelledby="notifications" data-push={state}>
      <h2 class="group-title" id="notifications">
        Notifications
      </h2>
      <div class="group form">
        {ability === 'able' ? model.isOn.value ? <On /> : <Off /> : <p>{WHY_NOT[ability]}</p>}
        {model.trouble.value !== '' && (
          <p class="wrong" role="alert">
            {model.trouble.value}
          </p>
        )}
      </div>
    </section>
  );
}

function Off() {
  const words = mayI('answer')
    ? 'Off. When something needs an answer and nobody is at a page, this device can be called.'
    : 'Off. This device can be told when a session ends or is stuck.';
  return (
    <>
      <p>{words}</p>
      <div class="buttons">
        <button
          type="button"
          class="button primary"
          data-do="push-on"
          disabled={model.isBusy.value}
          onClick={() => void model.turnOn()}
        >
          Turn on
        </button>
      </div>
    </>
  );
}

function On() {
  const kinds = model.push.value?.kinds ?? [];
  const busy = model.isBusy.value;
  return (
    <>
      <p>On. This device is called while nobody touches its page.</p>
      <fieldset class="choice">
        <legend class="label">Tell me when</legend>
        <div class="choices">
          {KINDS.filter(([kind]) => kind !== 'inquiry' || mayI('answer')).map(([kind, words]) => (
            <label key={kind} class="option" data-value={kind}>
              <input
                type="checkbox"
                checked={kinds.includes(kind)}
                disabled={busy}
                onChange={(event) => void model.setKind(kind, event.currentTarget.checked)}
              />
              <span>{words}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <Quiet />
      <div class="buttons">
        <button type="button" class="button" data-do="push-test" disabled={busy} onClick={() => void model.test()}>
          Send a test
        </button>
        <button
          type="button"
          class="button quiet"
          data-do="push-off"
          disabled={busy}
          onClick={() => void model.turnOff()}
        >
          Turn off
        </button>
      </div>
      <Receipt />
    </>
  );
}

function Quiet() {
  const set = model.push.value?.quiet;
  const [from, setFrom] = useState(set?.from ?? '22:00');
  const [to, setTo] = useState(set?.to ?? '08:00');
  const save = (hours: { from: string; to: string }): void => {
    setFrom(hours.from);
    setTo(hours.to);
    if (set && hours.from !== '' && hours.to !== '') void model.setQuiet(hours);
  };
  return (
    <fieldset class="choice" data-quiet={set ? 'on' : 'off'}>
      <legend class="label">Quiet hours</legend>
      <label class="option">
        <input
          type="checkbox"
          checked={set !== undefined}
          onChange={(event) => void model.setQuiet(event.currentTarget.checked ? { from, to } : null)}
        />
        <span>
          No notifications in these hours <span class="soft small">what still waits afterwards is told then</span>
        </span>
      </label>
      {set && (
        <div class="buttons">
          <Labelled words="From">
            <input
              class="field"
              type="time"
              value={from}
              onChange={(event) => save({ from: event.currentTarget.value, to })}
            />
          </Labelled>
          <Labelled words="To">
            <input
              class="field"
              type="time"
              value={to}
              onChange={(event) => save({ from, to: event.currentTarget.value })}
            />
          </Labelled>
        </div>
      )}
    </fieldset>
  );
}

function Receipt() {
  const got = model.receipt.value;
  if (!got) return null;
  const taken = got.status >= 200 && got.status < 300;
  const words = taken
    ? `The push service took it (${got.status}). If nothing appears, look at the system's own settings for notifications.`
    : got.status === 0
      ? `It was not sent: ${got.note ?? 'no reason is known'}.`
      : `The push service refused it: ${got.status}${got.note ? ` ${got.note}` : ''}.`;
  return (
    <p role="status" data-receipt={got.status}>
      {words}
    </p>
  );
}
