/** Now: what needs you first, then what works and what rests. Nothing to do is said calmly, with what happened last. */
import { useRef } from 'preact/hooks';
import { refresh } from '../model/refresh.js';
import { asking, over, resting, trouble, working } from '../model/sections.js';
import { cards, connection, lastSettled, mayI, now, type SessionRow, waiting, wholeMachine } from '../model/store.js';
import { layout } from '../model/viewport.js';
import { clock } from '../model/words.js';
import { CardList } from '../parts/card-list.js';
import { Pull, usePull } from '../parts/pull.js';
import { SessionRows } from '../parts/session-list.js';

export function NowView() {
  const pulled = useRef<HTMLDivElement>(null);
  usePull(pulled, refresh);
  return (
    <div class="view now" data-view="now" ref={pulled}>
      <Pull />
      <h1 class="unseen">Now</h1>
      {layout.value !== 'wide' && <NeedsYou />}
      {cards.value.size === 0 && <Calm />}
      <Section title="Trouble" list={trouble.value} />
      <Section title="Asking" list={uncarded()} />
      <Section title="Working" list={working.value} />
      <Section title="Resting" list={resting.value} />
      <Section title="Ended" list={lately()} of={over.value.length} />
    </div>
  );
}

/** Who asks, where the cards do not say so right here: beside the rail, or before the card has come. */
function uncarded(): SessionRow[] {
  if (layout.value === 'wide') return asking.value;
  const have = new Set(waiting.value.map(({ inquiry }) => inquiry.session));
  return asking.value.filter(({ id }) => !have.has(id));
}

/** Stays while nothing waits: what was settled just now is still read. */
function NeedsYou() {
  const some = waiting.value.length;
  return (
    <section class="needs-you" aria-label="Needs you" data-some={some > 0}>
      {some > 0 && <h2 class="section-title asks">Needs you · {some}</h2>}
      <CardList />
    </section>
  );
}

/** Ended within so many hours, and not more than a few: the rest is under Sessions. */
const LATELY_MS = 12 * 3600_000;
const MOST_ENDED = 5;

function lately(): SessionRow[] {
  const from = new Date(Math.floor(now.value / 60_000) * 60_000 - LATELY_MS).toISOString();
  return over.value.slice(0, MOST_ENDED).filter((row) => (row.ended_at ?? '') > from);
}

function Section({ title, list, of = list.length }: { title: string; list: readonly SessionRow[]; of?: number }) {
  if (list.length === 0) return null;
  return (
    <section>
      <h2 class="section-title">
        {title} · {of}
      </h2>
      <SessionRows list={list} />
      {of > list.length && (
        <a class="button quiet small" href="/sessions">
          All {of}
        </a>
      )}
    </section>
  );
}

/** "Nothing needs you. Last: 13:40, you allowed git push." */
export function Calm() {
  const last = lastSettled.value;
  const { state, asOf } = connection.value;
  // Nothing is known yet: nothing is claimed.
  if (state !== 'live' && asOf === undefined) return <div class="calm" />;
  return (
    <div class="calm" data-state="empty">
      <p class="calm-title">Nothing needs you.</p>
      {last !== undefined && (
        <p class="soft">
          Last: {clock(last.at, now.value)}, {last.how}
          {last.by === undefined ? '' : ` by ${last.by}`}
          {last.title === undefined ? '' : `: ${last.title}`}.
        </p>
      )}
      {mayI('admin') && wholeMachine.value && (
        <a class="button" href="/new" data-do="new">
          New session
        </a>
      )}
    </div>
  );
}
