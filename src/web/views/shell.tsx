/** The frame: header, panes and bar, and which screen is in the middle. */
import { useEffect, useRef } from 'preact/hooks';
import { route } from '../model/routes.js';
import { byFolder } from '../model/sections.js';
import { cards, connection, mayI, waiting, wholeMachine } from '../model/store.js';
import { layout } from '../model/viewport.js';
import { Icon, type IconName, Wordmark } from '../parts/icons.js';
import { KeysDialog } from '../parts/keys-list.js';
import { later } from '../parts/later.js';
import { Rail } from '../parts/rail.js';
import { SessionRows } from '../parts/session-list.js';
import { StatusDot, StatusLine } from '../parts/status.js';
import { InquiryView } from './inquiry.js';
import { Calm, NowView } from './now.js';
import { PairView } from './pair.js';
import { SessionView } from './session.js';
import { SessionsView } from './sessions.js';

const NewView = later(() => import('./new.js').then((file) => file.NewView));
const SettingsView = later(() => import('./settings.js').then((file) => file.SettingsView));

export function Shell() {
  const { view } = route.value;
  const stale = !['live', 'behind'].includes(connection.value.state);
  if (view === 'pair' || connection.value.state === 'unpaired' || connection.value.state === 'revoked')
    return <PairView />;
  const alone = layout.value === 'phone' && (view === 'session' || view === 'inquiry');
  return (
    <div class="shell" data-layout={layout.value} data-stale={stale}>
      {layout.value === 'phone' ? !alone && <TopBar /> : <LeftPane />}
      <StatusLine />
      <main class="main" id="main">
        <Middle />
      </main>
      {layout.value === 'wide' && <RightPane />}
      {layout.value === 'phone' && !alone && <BottomBar />}
      <KeysDialog />
    </div>
  );
}

function Middle() {
  const { view, session = '', inquiry = '', tab } = route.value;
  switch (view) {
    case 'now':
      return <NowView />;
    case 'sessions':
      return <SessionsView />;
    case 'session':
      return <SessionView key={session} session={session} {...(tab === undefined ? {} : { tab })} />;
    case 'inquiry':
      return <InquiryView key={inquiry} session={session} inquiry={inquiry} />;
    case 'new':
      return <NewView />;
    case 'settings':
      return <SettingsView />;
    case 'pair':
      return <PairView />;
    case 'missing':
      return (
        <div class="view" data-view="missing">
          <div class="calm">
            <p class="calm-title">There is no such page.</p>
            <a class="button" href="/">
              Now
            </a>
          </div>
        </div>
      );
  }
}

function TopBar() {
  return (
    <header class="top">
      <Wordmark />
      <StatusDot />
      <a class="button quiet icon" href="/settings" aria-label="Settings">
        <Icon name="settings" />
      </a>
    </header>
  );
}

function LeftPane() {
  const { session } = route.value;
  const list = useRef<HTMLDivElement>(null);
  // Opened by a link or a notification it may stand far down.
  useEffect(() => {
    list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [session]);
  return (
    <nav class="left" aria-label="Sessions">
      <TopBar />
      <div class="left-list" ref={list}>
        {byFolder.value.map(({ cwd, list, more }) => (
          <section key={cwd}>
            <h2 class="folder-title cut" title={cwd}>
              {cwd}
            </h2>
            <SessionRows list={list} place="folder" />
            {more > 0 && (
              <a class="button quiet small more-ended" href={`/sessions?folder=${encodeURIComponent(cwd)}`}>
                {more} more ended
              </a>
            )}
          </section>
        ))}
      </div>
      {mayI('admin') && wholeMachine.value && (
        <div class="left-foot">
          <a class="button" href="/new">
            <Icon name="new" size={18} /> New session
          </a>
        </div>
      )}
    </nav>
  );
}

function RightPane() {
  const some = waiting.value.length > 0;
  return (
    <aside class="rail" aria-label="Needs you">
      <h2 class={some ? 'section-title asks' : 'section-title'}>Needs you{some ? ` · ${waiting.value.length}` : ''}</h2>
      <Rail />
      {some || route.value.view === 'now' ? null : <Calm />}
    </aside>
  );
}

function BottomBar() {
  const open = cards.value.size;
  const item = (path: string, view: string, icon: IconName, words: string, badge = 0) => (
    <a href={path} aria-current={route.value.view === view ? 'page' : undefined}>
      <Icon name={icon} size={22} />
      <span>{words}</span>
      {badge > 0 && <span class="badge">{badge}</span>}
    </a>
  );
  return (
    <nav class="bar" aria-label="Main">
      {item('/', 'now', 'now', 'Now', open)}
      {item('/sessions', 'sessions', 'sessions', 'Sessions')}
      {mayI('admin') && wholeMachine.value && item('/new', 'new', 'new', 'New')}
    </nav>
  );
}
