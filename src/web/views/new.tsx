/** A new session: where, what, who, how far it may go, and exactly what will run. */
import { useEffect } from 'preact/hooks';
import * as form from '../model/new-session.js';
import { connection } from '../model/store.js';
import { folderName } from '../model/words.js';
import { Choice, Labelled } from '../parts/fields.js';
import { Icon } from '../parts/icons.js';
import { Wrong } from '../parts/wrong.js';

export function NewView() {
  // Also when the hub is back: what could not be asked is asked then.
  const isLive = connection.value.state === 'live';
  useEffect(() => void form.lookAround(), [isLive]);
  return (
    <form
      class="view-form"
      data-view="new"
      onSubmit={(event) => {
        event.preventDefault();
        void form.start();
      }}
    >
      <div class="view">
        <div class="form narrow">
          <h1 class="view-title">New session</h1>
          <Folder />
          <Labelled words="What is to be done">
            <textarea
              class="field"
              name="prompt"
              rows={4}
              value={form.prompt.value}
              placeholder="In your own words"
              onInput={(event) => {
                form.prompt.value = event.currentTarget.value;
                form.changed();
              }}
            />
          </Labelled>
          <Agents />
          <Choice
            words="How"
            value={form.alone.value ? 'alone' : 'with'}
            options={[
              ['alone', 'Works alone', 'goes on by itself until it is done or a limit is reached'],
              ['with', 'Works with me', 'waits for my next message after each turn'],
            ]}
            onChoose={(value) => {
              form.alone.value = value === 'alone';
              form.changed();
            }}
          />
          <Choice
            words="Trust"
            value={form.trust.value}
            options={[
              ['guarded', 'Asks before it changes anything', 'your rules and your answers decide'],
              ['full', 'Acts unasked', 'your deny rules hold'],
            ]}
            onChoose={(value) => {
              form.trust.value = value as 'guarded' | 'full';
              form.changed();
            }}
          />
          <Limits />
          <Plan />
        </div>
      </div>
      <Foot />
    </form>
  );
}

function Folder() {
  const { folder, check, recents } = form;
  const known = check.value?.path === folder.value.trim() ? check.value : undefined;
  return (
    <div class="labelled">
      <Labelled words="Folder">
        <input
          class="field mono"
          name="folder"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder="/home/me/project"
          value={folder.value}
          onInput={(event) => form.setFolder(event.currentTarget.value)}
        />
      </Labelled>
      <p class="field-note small" data-ok={known?.ok} role="status">
        {known === undefined ? ' ' : known.ok ? 'It is there.' : (known.why ?? 'It is not there.')}
      </p>
      {recents.value.length > 0 && (
        <div class="chips">
          {recents.value.slice(0, 6).map(({ path }) => (
            <button
              key={path}
              type="button"
              class="chip"
              title={path}
              aria-pressed={folder.value.trim() === path}
              onClick={() => form.setFolder(path)}
            >
              <Icon name="folder" size={16} /> {folderName(path)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function Agents() {
  const list = form.agents.value;
  if (list === undefined) return <div class="agents-wait" />;
  const there = list.filter(({ found }) => found);
  const absent = list.filter(({ found }) => !found);
  return (
    <div class="labelled">
      <Choice
        words="Agent"
        compact
        value={form.agent.value}
        options={there.map(({ id, version, note }) => [id, id, [version, note].filter(Boolean).join(' · ')])}
        onChoose={(value) => {
          form.agent.value = value;
          form.changed();
        }}
      />
      {there.length === 0 && <p class="soft">No agent was found on this machine. One of these installs one:</p>}
      {absent.length > 0 && (
        <details class="fold" open={there.length === 0}>
          <summary class="small soft">Not installed: {absent.map(({ id }) => id).join(', ')}</summary>
          <dl class="facts small">
            {absent.map(({ id, install, note }) => (
              <div key={id}>
                <dt class="faint">{id}</dt>
                <dd>{install === undefined ? (note ?? 'see its own page') : <code>{install}</code>}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

function Limits() {
  const field = (words: string, unit: string, name: keyof typeof form.limits) => (
    <Labelled words={words}>
      <span class="with-unit">
        <input
          class="field"
          inputmode="decimal"
          name={name}
          placeholder="none"
          value={form.limits[name].value}
          onInput={(event) => {
            form.limits[name].value = event.currentTarget.value;
            form.changed();
          }}
        />
        <span class="unit faint">{unit}</span>
      </span>
    </Labelled>
  );
  return (
    <div class="limits">
      {form.alone.value && field('Iterations', 'at most', 'iterations')}
      {field('Cost', '$', 'dollars')}
      {form.alone.value && field('Time', 'hours', 'hours')}
    </div>
  );
}

function Plan() {
  const { plan, planned, follows } = form;
  const needs = plan.value?.needs ?? [];
  return (
    <div class="labelled">
      {needs.length > 0 && (
        <div class="brings" data-brings>
          <p>
            <b>This folder brings along what nobody has said yes to:</b>
          </p>
          <ul class="bullets">
            {needs.map((need) => (
              <li key={need}>{need}</li>
            ))}
          </ul>
          <label class="agree">
            <input
              type="checkbox"
              data-do="follow"
              checked={follows.value}
              onChange={(event) => {
                follows.value = event.currentTarget.checked;
              }}
            />
            <span>I have read it. It applies, from now on, to this folder.</span>
          </label>
        </div>
      )}
      {plan.value === undefined ? (
        <button
          type="button"
          class="button"
          data-do="plan"
          disabled={form.missing.value !== undefined || planned.value === 'asking'}
          onClick={() => void form.makePlan()}
        >
          {planned.value === 'asking' ? 'Looking…' : 'What will run'}
        </button>
      ) : (
        <details class="fold" open>
          <summary>What will run</summary>
          <pre class="plan" data-plan>
            {plan.value.text}
          </pre>
          {plan.value.notes?.map((note) => (
            <p key={note} class="small soft">
              {note}
            </p>
          ))}
        </details>
      )}
    </div>
  );
}

function Foot() {
  const { missing, wrong, starting, plan, follows } = form;
  const unread = (plan.value?.needs?.length ?? 0) > 0 && !follows.value;
  const why = missing.value ?? (unread ? 'Say yes to what the folder brings along, or choose another.' : undefined);
  return (
    <div class="start-bar">
      {wrong.value && <Wrong {...wrong.value} />}
      {wrong.value?.code === 'FOLDER_BUSY' && (
        <button type="button" class="button" data-do="beside" onClick={() => void form.start(true)}>
          Start beside it all the same
        </button>
      )}
      {why !== undefined && <p class="small soft">{why}</p>}
      <button type="submit" class="button primary" data-do="start" disabled={why !== undefined || starting.value}>
        {starting.value ? 'Starting…' : 'Start'}
      </button>
    </div>
  );
}
