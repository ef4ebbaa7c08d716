/** One session: its conversation and its terminal, two views of the same process, and what can be said and done to it. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { allows } from '../../contract/page.js';
import { ask } from '../model/api.js';
import { type ChatView, chatOf } from '../model/chat.js';
import { composing } from '../model/composing.js';
import { type Followed, follow } from '../model/follow.js';
import { back, go, inquiryPath, sessionPath } from '../model/routes.js';
import { shownState } from '../model/session-state.js';
import { connection, now, silent, waiting } from '../model/store.js';
import { beside, layout } from '../model/viewport.js';
import { seenText } from '../model/visible.js';
import { count, folderName, span } from '../model/words.js';
import { Chat } from '../parts/chat.js';
import { Composer, Spent } from '../parts/composer.js';
import { Icon } from '../parts/icons.js';
import { Markdown } from '../parts/markdown.js';
import { OnTheirWay } from '../parts/on-their-way.js';
import { PinnedCards } from '../parts/pinned-cards.js';
import { Queue } from '../parts/queue.js';
import { SessionMenu } from '../parts/session-menu.js';
import { Standing, StartSteps } from '../parts/standing.js';
import { TerminalPane } from '../parts/terminal.js';
import { Twice } from '../parts/twice.js';

const DOORS: Record<string, string> = {
  tui: 'its own terminal',
  control: 'two-way protocol',
  stream: 'one-way protocol',
  plain: 'plain output',
};

export function SessionView({ session, tab }: { session: string; tab?: string }) {
  const followed = useMemo(() => follow(session), [session]);
  const chat = useMemo(() => chatOf(followed), [followed]);
  const tabs = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLElement>(null);
  useEffect(() => () => followed.close(), [followed]);
  const shown = tab === 'terminal' ? 'terminal' : 'chat';
  const row = followed.row.value;
  const view = chat.value;
  const said = composing({
    row,
    paused: followed.paused.value,
    silent: silent.value.has(session),
    connected: connection.value.state === 'live',
    types: allows(followed.may.value, 'type'),
    admin: allows(followed.may.value, 'admin'),
  });
  useKeys(session, followed);
  if (!row && (connection.value.state === 'live' || followed.wrong.value)) return <Missing />;
  // Where there is room for both; one that has ended has no terminal any more.
  const isBoth = beside.value && row !== undefined && row.state !== 'ended' && followed.size.value !== null;
  const hasComposer = said && (isBoth || shown === 'chat' || layout.value !== 'phone');
  return (
    <section
      ref={pane}
      tabIndex={-1}
      class="session"
      data-view="session"
      data-session={session}
      data-state={row ? shownState(row, silent.value.get(session), now.value).is : undefined}
      data-live={followed.live.value}
      aria-label={row?.name}
    >
      <Head followed={followed} chat={view} />
      {isBoth ? null : (
        <div class="tabs" role="tablist" aria-label="views" ref={tabs}>
          {(['chat', 'terminal'] as const).map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={shown === name}
              aria-controls="session-body"
              tabIndex={shown === name ? 0 : -1}
              data-do={name}
              onClick={() => go(sessionPath(session, name === 'chat' ? undefined : name), 'replace')}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
                go(sessionPath(session, name === 'chat' ? 'terminal' : undefined), 'replace');
                (
                  tabs.current?.querySelector(`#tab-${name === 'chat' ? 'terminal' : 'chat'}`) as HTMLElement | null
                )?.focus();
              }}
            >
              {name === 'chat' ? 'Chat' : 'Terminal'}
            </button>
          ))}
        </div>
      )}
      <div
        class="body"
        id="session-body"
        data-beside={isBoth}
        {...(isBoth ? {} : { role: 'tabpanel', 'aria-labelledby': `tab-${shown}` })}
      >
        {isBoth || shown === 'chat' ? (
          <Chat followed={followed} chat={chat}>
            <Tail followed={followed} chat={view} />
          </Chat>
        ) : null}
        {isBoth || shown === 'terminal' ? (
          <TerminalPane
            followed={followed}
            composing={said}
            onLeave={() => (tabs.current?.querySelector<HTMLElement>('[aria-selected=true]') ?? pane.current)?.focus()}
          />
        ) : null}
      </div>
      <Asks session={session} isChat={shown === 'chat'} />
      {shown === 'chat' && layout.value !== 'wide' ? <PinnedCards session={session} /> : null}
      {said ? <Queue followed={followed} /> : null}
      <div class="foot">
        <Standing followed={followed} />
        {hasComposer ? (
          <>
            <div class="foot-row">
              <Composer session={session} composing={said} />
              <Interrupt followed={followed} />
            </div>
            {row ? <Spent usage={view.usage} row={row} /> : null}
          </>
        ) : null}
      </div>
    </section>
  );
}

/** `1 2` change the view, `.` asks whether to interrupt; none of them while somebody types. */
function useKeys(session: string, followed: Followed): void {
  useEffect(() => {
    const keyed = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [contenteditable], .xterm, dialog');
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.key === '1') go(sessionPath(session), 'replace');
      else if (event.key === '2') go(sessionPath(session, 'terminal'), 'replace');
      else if (event.key === '.' && followed.row.peek()?.state !== 'ended')
        document.querySelector<HTMLElement>('[data-do=interrupt-now]')?.click();
    };
    addEventListener('keydown', keyed);
    return () => removeEventListener('keydown', keyed);
  }, [session, followed]);
}

/** Which door the agent came through stands at the beginning of the journal, which a long chat has not loaded. */
function useDoor(followed: Followed, isKnown: boolean) {
  const door = useSignal<string | undefined>(undefined);
  const isLive = followed.live.value;
  useEffect(() => {
    if (isKnown || !isLive) return;
    void ask('entries', { id: followed.session, args: { since: 0, limit: 20 } }).then(
      ({ entries }) => {
        const started = entries.findLast((entry) => entry.type === 'agent.started');
        if (started?.type === 'agent.started') door.value = started.data.door;
      },
      () => undefined, // it is not said then
    );
  }, [followed, isKnown, isLive, door]);
  return door;
}

function Head({ followed, chat }: { followed: Followed; chat: ChatView }) {
  const row = followed.row.value;
  const first = useDoor(followed, chat.door !== undefined);
  if (!row) return <header class="head" />;
  const { is, words } = shownState(row, silent.value.get(row.id), now.value);
  const isBehind = is === 'idle' && chat.background > 0;
  const known = chat.door ?? first.value;
  const door = known === undefined ? '' : ` · ${DOORS[known] ?? known}`;
  const iteration = row.mode === 'autonomous' && row.iteration ? ` · iteration ${row.iteration}` : '';
  return (
    <header class="head" data-is={isBehind ? 'working' : is}>
      {layout.value === 'phone' ? (
        <button type="button" class="button quiet icon" aria-label="back" data-do="back" onClick={back}>
          <Icon name="back" />
        </button>
      ) : null}
      <div class="title">
        <h1 class="cut" title={row.cwd}>
          {seenText(row.name)}
        </h1>
        <p class="cut">
          <span class="dot" data-is={isBehind ? 'working' : is} />{' '}
          <span class="state">
            {isBehind ? `${count(chat.background, 'thing runs', 'things run')} in the background` : words}
          </span>
          <span class="faint">
            {' '}
            · {row.agent} · {row.trust === 'full' ? 'acts unasked' : 'asks first'}
            {door}
            {iteration} · <span title={row.cwd}>{seenText(folderName(row.cwd))}</span>
          </span>
        </p>
      </div>
      <SessionMenu followed={followed} />
    </header>
  );
}

/** What is being said, on its way, or silently done. */
function Tail({ followed, chat }: { followed: Followed; chat: ChatView }) {
  const row = followed.row.value;
  const partial = followed.partial.value;
  return (
    <div class="tail">
      {partial !== '' ? (
        <div class="partial" data-partial>
          <Markdown text={partial.slice(-16_384)} />
        </div>
      ) : null}
      {row?.state === 'starting' ? <StartSteps followed={followed} row={row} /> : null}
      {row?.state === 'working' && partial === '' ? (
        <p class="line quiet works">
          <span class="pulse" aria-hidden="true" /> works since{' '}
          {span(now.value - Date.parse(row.since ?? row.started_at))}
          {row.detail ? `: ${seenText(row.detail)}` : ''}
        </p>
      ) : null}
      <OnTheirWay followed={followed} chat={chat} />
    </div>
  );
}

/** What waits for an answer, one tap away wherever one is. The rail has it already where there is one. */
function Asks({ session, isChat }: { session: string; isChat: boolean }) {
  const mine = waiting.value.filter(({ inquiry }) => inquiry.session === session);
  const first = mine[0];
  if (!first || layout.value === 'wide' || isChat) return null;
  return (
    <a class="asks-bar" href={inquiryPath(session, first.inquiry.id)} data-do="open-inquiry">
      <span class="cut">{seenText(first.view.title)}</span>
      <span>{mine.length > 1 ? `1 of ${mine.length}` : span(now.value - Date.parse(first.inquiry.opened_at))} ›</span>
    </a>
  );
}

function Interrupt({ followed }: { followed: Followed }) {
  const row = followed.row.value;
  const isBusy = row?.state === 'working' || row?.state === 'asking';
  if (!isBusy || !allows(followed.may.value, 'type')) return null;
  const stop = (): void => {
    void ask('interrupt', { id: followed.session }).catch(() => undefined);
  };
  return (
    <Twice
      class="button stop-turn"
      data-do="interrupt-now"
      really="Sure?"
      aria-label="interrupt the turn"
      onClick={stop}
    >
      <Icon name="halt" /> <span class="word">Interrupt</span>
    </Twice>
  );
}

const Missing = () => (
  <section class="view" data-view="session">
    <div class="calm">
      <p class="calm-title">There is no such session.</p>
      <a class="button" href="/">
        Now
      </a>
    </div>
  </section>
);
