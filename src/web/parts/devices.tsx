/** Who is let in: this device first; names, rights, last use; letting out and in. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { timeLeft } from '../../contract/index.js';
import { allows, type Device, RIGHTS, type Right } from '../../contract/page.js';
import * as model from '../model/devices.js';
import { device, mayI, notes, now, wholeMachine } from '../model/store.js';
import { ago, clock } from '../model/words.js';
import { Choice, Labelled } from './fields.js';
import { QrCode } from './qr.js';
import { rightWords } from './rights.js';
import { Wrong } from './wrong.js';

/** The one whose name is being changed, and the one that is about to be let out. */
const naming = signal<{ id: string; name: string } | undefined>(undefined);
const leaving = signal<string | undefined>(undefined);

export function Devices() {
  // Asked again whenever the hub tells of a change.
  useEffect(() => void model.lookAtDevices(), [notes.value, device.value?.id]);
  return (
    <section aria-labelledby="devices">
      <h2 class="group-title" id="devices">
        Devices
      </h2>
      <ul class="group">
        {model.devices.value.map((one) => (
          <DeviceItem key={one.id} one={one} />
        ))}
      </ul>
      {model.wrong.value && <Wrong {...model.wrong.value} />}
      {mayI('admin') && wholeMachine.value && <Invite />}
    </section>
  );
}

function DeviceItem({ one }: { one: Device }) {
  const isThis = one.this === true;
  const facts = [
    rightWords[one.right],
    ...(one.session === undefined ? [] : [`session ${one.session} alone`]),
    ...(one.namespaces.includes('*') ? [] : [`only ${one.namespaces.join(', ')}`]),
    ...(one.expires_at === undefined ? [] : [`until ${clock(one.expires_at, now.value)}`]),
  ];
  return (
    <li class="device" data-device={one.id}>
      {naming.value?.id === one.id ? (
        <Naming name={naming.value.name} id={one.id} />
      ) : (
        <>
          <div class="device-words">
            <p class="device-name">
              {one.name} {isThis && <span class="this-one">this one</span>}
            </p>
            <p class="soft small">{facts.join(' · ')}</p>
            <p class="faint small">
              {isThis ? 'in use now' : `last used ${ago(one.last_used_at, now.value)}`}
              {one.push ? ' · has notifications' : ''} · let in {clock(one.created_at, now.value)}
            </p>
          </div>
          <div class="device-does">
            <button
              type="button"
              class="button quiet small"
              data-do="rename"
              onClick={() => {
                naming.value = { id: one.id, name: one.name };
              }}
            >
              Rename
            </button>
            <LetOut one={one} />
          </div>
        </>
      )}
    </li>
  );
}

function LetOut({ one }: { one: Device }) {
  if (leaving.value !== one.id)
    return (
      <button
        type="button"
        class="button quiet small"
        data-do="revoke"
        onClick={() => {
          leaving.value = one.id;
        }}
      >
        Let out
      </button>
    );
  return (
    <button
      type="button"
      class="button danger small"
      data-do="revoke-yes"
      onBlur={() => {
        leaving.value = undefined;
      }}
      onClick={() => {
        leaving.value = undefined;
        void model.revoke(one.id);
      }}
    >
      {one.this === true ? 'Let myself out' : 'Yes, let it out'}
    </button>
  );
}

function Naming({ id, name }: { id: string; name: string }) {
  const done = (): void => {
    naming.value = undefined;
  };
  return (
    <form
      class="naming"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = name.trim();
        done();
        if (wanted !== '') void model.rename(id, wanted);
      }}
    >
      <input
        class="field"
        name="device-name"
        aria-label="Name of the device"
        maxLength={100}
        value={name}
        onInput={(event) => {
          naming.value = { id, name: event.currentTarget.value };
        }}
      />
      <button type="submit" class="button small" data-do="rename-yes">
        Save
      </button>
      <button type="button" class="button quiet small" onClick={done}>
        Cancel
      </button>
    </form>
  );
}

const inviting = signal(false);
const right = signal<Right>('answer');
const called = signal('');

function Invite() {
  const made = model.invitation.value;
  const mine = device.value?.right ?? 'view';
  if (!inviting.value)
    return (
      <button
        type="button"
        class="button"
        data-do="invite"
        onClick={() => {
          inviting.value = true;
          model.invitation.value = undefined;
        }}
      >
        Let another device in
      </button>
    );
  const over = made !== undefined && Date.parse(made.expires_at) <= now.value;
  return (
    <div class="group invite form">
      {made === undefined || over ? (
        <>
          {over && <p>That link is over.</p>}
          <Choice
            words="It may"
            value={right.value}
            options={RIGHTS.filter((one) => allows(mine, one)).map((one) => [one, rightWords[one]])}
            onChoose={(value) => {
              right.value = value as Right;
            }}
          />
          <Labelled words="Its name">
            <input
              class="field"
              placeholder="found out by itself"
              maxLength={100}
              value={called.value}
              onInput={(event) => {
                called.value = event.currentTarget.value;
              }}
            />
          </Labelled>
          <div class="buttons">
            <button
              type="button"
              class="button primary"
              data-do="invite-yes"
              onClick={() => void model.invite(right.value, called.value)}
            >
              Make the link
            </button>
            <Close />
          </div>
        </>
      ) : (
        <>
          <p>
            Point its camera here, or open the link there. It works once, for{' '}
            {timeLeft(Date.parse(made.expires_at) - now.value)}.
          </p>
          <QrCode text={made.link} label="The pairing link as a code" />
          <code class="link" data-link>
            {made.link}
          </code>
          <div class="buttons">
            <button type="button" class="button" onClick={() => void navigator.clipboard?.writeText(made.link)}>
              Copy the link
            </button>
            <Close />
          </div>
        </>
      )}
    </div>
  );
}

function Close() {
  return (
    <button
      type="button"
      class="button quiet"
      onClick={() => {
        inviting.value = false;
        model.invitation.value = undefined;
      }}
    >
      Close
    </button>
  );
}
