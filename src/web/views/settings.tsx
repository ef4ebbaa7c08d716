/** Settings of this device, and who else is let in. */
import { type TextSize, type Theme, textSize, theme } from '../model/looks.js';
import { connection, device, hub, now, rows } from '../model/store.js';
import { clock } from '../model/words.js';
import { Devices } from '../parts/devices.js';
import { Choice } from '../parts/fields.js';
import { KeysTable } from '../parts/keys-list.js';
import { Notifications } from '../parts/notifications.js';
import { rightWords } from '../parts/rights.js';
import { WhoAnswers } from '../parts/who-answers.js';

export function SettingsView() {
  return (
    <div class="view settings" data-view="settings">
      <div class="narrow form">
        <h1 class="view-title">Settings</h1>
        <Devices />
        <Notifications />
        <WhoAnswers />
        <Looks />
        <section aria-labelledby="keys">
          <h2 class="group-title" id="keys">
            Keys
          </h2>
          <div class="group">
            <KeysTable />
          </div>
        </section>
        <About />
      </div>
    </div>
  );
}

function Looks() {
  return (
    <section aria-labelledby="looks">
      <h2 class="group-title" id="looks">
        On this device
      </h2>
      <div class="group form">
        <Choice
          compact
          words="Theme"
          value={theme.value}
          options={[
            ['system', 'As the system'],
            ['dark', 'Dark'],
            ['light', 'Light'],
          ]}
          onChoose={(value) => {
            theme.value = value as Theme;
          }}
        />
        <Choice
          compact
          words="Text"
          value={textSize.value}
          options={[
            ['small', 'Small'],
            ['usual', 'Usual'],
            ['large', 'Large'],
            ['huge', 'Huge'],
          ]}
          onChoose={(value) => {
            textSize.value = value as TextSize;
          }}
        />
      </div>
    </section>
  );
}

function About() {
  const versions = new Map<string, number>();
  for (const row of rows.value.values())
    if (row.state !== 'ended' && row.reins !== undefined) versions.set(row.reins, (versions.get(row.reins) ?? 0) + 1);
  const own = device.value;
  const { state, asOf } = connection.value;
  return (
    <section aria-labelledby="about">
      <h2 class="group-title" id="about">
        About
      </h2>
      <dl class="group facts small">
        <div>
          <dt>Hub</dt>
          <dd>
            {hub.value?.name ?? 'unknown'}, Reins {hub.value?.version ?? '?'}
            {hub.value?.started_at !== undefined && `, up since ${clock(hub.value.started_at, now.value)}`}
          </dd>
        </div>
        <div>
          <dt>Sessions</dt>
          <dd>
            {versions.size === 0
              ? 'none runs'
              : [...versions].map(([version, count]) => `${count} under Reins ${version}`).join(', ')}
          </dd>
        </div>
        <div>
          <dt>Connection</dt>
          <dd>
            {state}
            {asOf !== undefined && state !== 'live' && `, as of ${clock(asOf, now.value)}`}
          </dd>
        </div>
        {own !== undefined && own.right !== 'admin' && (
          <div>
            <dt>Not shown</dt>
            <dd>
              This device may {rightWords[own.right]}; what takes more is not on the page. Whoever may do everything can
              invite it again with another right.
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
