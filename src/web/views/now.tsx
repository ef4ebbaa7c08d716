/** Now: what needs you first, then what works and what rests. Nothing to do is said calmly, with what happened last. */
import { resting, working } from '../model/sections.js';
import { cards, connection, mayI, now, rows, settled, waiting, wholeMachine } from '../model/store.js';
import { layout } from '../model/viewport.js';
import { clock } from '../model/words.js';
import { InquiryCard } from '../parts/inquiry-card.js';
import { SessionRows } from '../parts/session-list.js';

export function NowView() {
  return (
    <div class="view now" data-view="now">
      <h1 class="unseen">Now</h1>
      {layout.value !== 'wide' && waiting.value.length > 0 && <NeedsYou />}
      {cards.value.size === 0 && <Calm />}
      <Section title="Working" list={working.value} />
      <Section title="Resting" list={resting.value} />
    </div>
  );
}

function NeedsYou() {
  return (
    <section aria-labelledby="needs">
      <h2 class="section-title asks" id="needs">
        Needs you · {waiting.value.length}
      </h2>
      <ul class="cards">
        {waiting.value.map((card) => (
          <li key={card.inquiry.id}>
            <InquiryCard card={card} row={rows.value.get(card.inquiry.session)} place="rail" />
          </li>
        ))}
      </ul>
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
