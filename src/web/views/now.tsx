/** Now: what needs you first, then what works and what rests. Nothing to do is said calmly, with what happened last. */
import { resting, working } from '../model/sections.js';
import { cards, connection, mayI, now, settled, waiting, wholeMachine } from '../model/store.js';
import { layout } from '../model/viewport.js';
import { clock } from '../model/words.js';
import { CardList } from '../parts/card-list.js';
import { SessionRows } from '../parts/session-list.js';

export function NowView() {
  return (
    <div class="view now" data-view="now">
      <h1 class="unseen">Now</h1>
      {layout.value !== 'wide' && <NeedsYou />}
      {cards.value.size === 0 && <Calm />}
      <Section title="Working" list={working.value} />
      <Section title="Resting" list={resting.value} />
    </div>
  );
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

function Section({ title, list }: { title: string; list: Parameters<typeof SessionRows>[0]['list'] }) {
  if (list.length === 0) return null;
  return (
    <section>
      <h2 class="section-title">
        {title} · {list.length}
      </h2>
      <SessionRows list={list} />
    </section>
  );
}

/** "Nothing needs you. Last: 13:40, you allowed git push." */
export function Calm() {
  const last = [...settled.value.values()].at(-1);
  const { state, asOf } = connection.value;
  if (state === 'loading' && asOf === undefined) return <div class="calm" />;
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
