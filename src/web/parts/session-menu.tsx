/** What can be done with a session as a whole. What this device has no right to is not there. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { allows, type RouteResult } from '../../contract/page.js';
import { ask } from '../model/api.js';
import type { Followed } from '../model/follow.js';
import { hostDied } from '../model/session-state.js';
import { seenText } from '../model/visible.js';
import { Icon } from './icons.js';
import { StoppedList } from './told.js';
import { Twice } from './twice.js';

type Ended = RouteResult<'stop'>;

/** Runs a deed and keeps what came of it, for who looks. */
function useDeeds(session: string) {
  const [said, setSaid] = useState('');
  const [ended, setEnded] = useState<Ended | undefined>(undefined);
  const [busy, setBusy] = useState('');
  const deed = async (name: 'interrupt' | 'pause' | 'resume' | 'stop' | 'kill'): Promise<void> => {
    setBusy(name);
    setSaid('');
    try {
      const result = await ask(name, { id: session });
      if (name === 'stop' || name === 'kill') setEnded(result as Ended);
    } catch (error) {
      setSaid((error as Error).message);
    }
    setBusy('');
  };
  return { said, ended, busy, deed, clear: () => setEnded(undefined), tell: setSaid };
}

function Share({ session, tell }: { session: string; tell: (words: string) => void }) {
  const [link, setLink] = useState('');
  const share = async (): Promise<void> => {
    try {
      setLink((await ask('invite', { args: { right: 'view', session, minutes: 60 } })).link);
    } catch (error) {
      tell((error as Error).message);
    }
  };
  if (link === '') {
    return (
      <button type="button" role="menuitem" class="button quiet" data-do="share" onClick={() => void share()}>
        Share a view (1 hour)
      </button>
    );
  }
  return (
    <p class="share">
      Who opens this link within five minutes sees this session for an hour, and nothing else:
      <input
        class="field mono"
        readOnly
        value={link}
        aria-label="the link"
        onFocus={(event) => event.currentTarget.select()}
      />
    </p>
  );
}

/** Another model, where the agent can: its own words say if it cannot. */
function ModelSwitch({ session, tell }: { session: string; tell: (words: string) => void }) {
  const [name, setName] = useState('');
  const change = async (): Promise<void> => {
    try {
      const { verdict, reason } = await ask('model', { id: session, args: { model: name.trim() } });
      tell(verdict === 'refused' ? (reason ?? 'it was refused') : `${name.trim()}: ${verdict}`);
      if (verdict !== 'refused') setName('');
    } catch (error) {
      tell((error as Error).message);
    }
  };
  return (
    <form
      class="model"
      onSubmit={(event) => {
        event.preventDefault();
        void change();
      }}
    >
      <input
        class="field"
        value={name}
        placeholder="another model"
        aria-label="another model"
        autocapitalize="off"
        spellcheck={false}
        maxLength={100}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" class="button small" data-do="model" disabled={name.trim() === ''}>
        Switch
      </button>
    </form>
  );
}

export function SessionMenu({ followed }: { followed: Followed }) {
  const [open, setOpen] = useState(false);
  const around = useRef<HTMLDivElement>(null);
  const { said, ended, busy, deed, clear, tell } = useDeeds(followed.session);
  const row = followed.row.value;
  useEffect(() => {
    if (!open) return;
    const away = (event: Event): void => {
      if (!around.current?.contains(event.target as Node)) setOpen(false);
    };
    const closes = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      around.current?.querySelector('button')?.focus();
    };
    addEventListener('pointerdown', away);
    addEventListener('keydown', closes);
    return () => {
      removeEventListener('pointerdown', away);
      removeEventListener('keydown', closes);
    };
  }, [open]);
  const may = followed.may.value;
  const isOver = row?.state === 'ended';
  // A menu without anything in it would be a button that does nothing.
  if (!row || !(allows(may, 'admin') || (allows(may, 'type') && !isOver))) return null;
  const isPaused = row.state === 'paused' || followed.paused.value;
  const admin = allows(may, 'admin');
  const left = hostDied(row) && (row.left ?? 0) > 0;
  return (
    <div class="menu" ref={around}>
      <button
        type="button"
        class="button quiet icon"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label="more"
        data-do="menu"
        onClick={() => setOpen(!open)}
      >
        <Icon name="more" />
      </button>
      {open ? (
        <div class="sheet" role="menu" aria-label="session">
          {!isOver && allows(may, 'type') ? (
            <button
              type="button"
              role="menuitem"
              class="button quiet"
              data-do="interrupt"
              onClick={() => void deed('interrupt')}
            >
              Interrupt the turn <kbd>.</kbd>
            </button>
          ) : null}
          {!isOver && admin ? (
            <button
              type="button"
              role="menuitem"
              class="button quiet"
              data-do={isPaused ? 'resume' : 'pause'}
              onClick={() => void deed(isPaused ? 'resume' : 'pause')}
            >
              {isPaused ? 'Resume' : 'Pause: everything stands still'}
            </button>
          ) : null}
          {(!isOver || left) && admin ? (
            <>
              <Twice
                class="button quiet danger"
                data-do="stop"
                really="Really stop it?"
                onClick={() => void deed('stop')}
              >
                {left ? 'Stop them' : 'Stop'}
              </Twice>
              <Twice
                class="button quiet danger"
                data-do="kill"
                really="Really kill it all?"
                onClick={() => void deed('kill')}
              >
                Kill at once
              </Twice>
            </>
          ) : null}
          {!isOver && row.mode !== 'exec' && allows(may, 'type') ? (
            <ModelSwitch session={followed.session} tell={tell} />
          ) : null}
          {admin ? <Share session={followed.session} tell={tell} /> : null}
          {busy ? <p class="faint small">{busy}…</p> : null}
          {said ? (
            <p class="small" role="status">
              {seenText(said)}
            </p>
          ) : null}
        </div>
      ) : null}
      {ended ? (
        <div class="sheet result" role="status">
          <StoppedList item={{ why: 'stopped from here', ...ended }} />
          <button type="button" class="button small" onClick={clear}>
            Seen
          </button>
        </div>
      ) : null}
    </div>
  );
}
