/**
 * One inquiry over the whole screen: what a notification opens. One request draws it, before the socket is up. On a wide screen
 * there is no sheet: its session is in the middle, and its card in the rail is the large one.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Card } from '../../contract/page.js';
import { ask, HubError } from '../model/api.js';
import { back, go, inquiryPath, sessionPath } from '../model/routes.js';
import { cards, connection, device, learn, now, rows, settled, waiting } from '../model/store.js';
import { forgetTapped, type Tapped, tapped } from '../model/tapped.js';
import { layout } from '../model/viewport.js';
import { seenText } from '../model/visible.js';
import { clock } from '../model/words.js';
import { Icon } from '../parts/icons.js';
import { InquiryCard } from '../parts/inquiry-card.js';
import { OutsideText, Pieces } from '../parts/outside-text.js';
import { SessionView } from './session.js';

export interface InquiryViewProps {
  session: string;
  inquiry: string;
}

export function InquiryView({ session, inquiry }: InquiryViewProps) {
  const wrong = useSignal<string | undefined>(undefined);
  const last = useRef<Card | undefined>(undefined);
  const card = cards.value.get(inquiry);
  if (card !== undefined) last.current = card;
  const isLive = connection.value.state === 'live';
  // Also when the hub is back: what was away may have been settled meanwhile, and nothing tells of that.
  useEffect(() => {
    void look(inquiry).then((said) => {
      wrong.value = said;
    });
  }, [inquiry, wrong, isLive]);
  const shown = card ?? last.current;
  const isGone = shown !== undefined && card === undefined;
  // Whose it is says the card, not who wrote the address: nothing is answered under another session's name.
  const owner = shown?.inquiry.session;
  useEffect(() => {
    if (owner !== undefined && owner !== session) go(inquiryPath(owner, inquiry), 'replace');
  }, [owner, session, inquiry]);
  if (owner !== undefined && owner !== session) return null;
  if (layout.value === 'wide' && shown !== undefined)
    return (
      <div class="inquiry-beside" data-view="inquiry">
        <SessionView key={session} session={session} />
      </div>
    );
  return (
    <section class="inquiry-sheet" data-view="inquiry" aria-label="Inquiry">
      <header class="inquiry-top">
        <button class="button quiet icon" type="button" aria-label="Back" data-do="back-from" onClick={back}>
          <Icon name="back" />
        </button>
        <a class="cut" href={sessionPath(session)}>
          <OutsideText text={rows.value.get(session)?.name ?? session} />
        </a>
      </header>
      {shown === undefined ? (
        <Unknown words={wrong.value} inquiry={inquiry} session={session} />
      ) : (
        <InquiryCard card={shown} row={rows.value.get(session)} place="sheet" gone={isGone} />
      )}
      {isGone && <Onward session={session} />}
    </section>
  );
}

/** It is settled: what waits next, in its place, or where one came from. */
function Onward({ session }: { session: string }) {
  const [next] = waiting.value;
  const more = waiting.value.length - 1;
  return (
    <div class="onward">
      {next === undefined ? (
        <p class="soft">Nothing else needs you.</p>
      ) : (
        <button
          class="button primary"
          type="button"
          data-do="next-inquiry"
          onClick={() => go(inquiryPath(next.inquiry.session, next.inquiry.id), 'replace')}
        >
          <span class="cut">
            Next: {seenText(rows.value.get(next.inquiry.session)?.name ?? next.inquiry.session)}{' '}
            {seenText(next.view.title)}
          </span>
          {more > 0 && <span>+{more}</span>}
        </button>
      )}
      <p class="calm-ways">
        <a class="button" href={sessionPath(session)}>
          Its session
        </a>
        <a class="button" href="/">
          Now
        </a>
      </p>
    </div>
  );
}

/** Undefined if it is there; else why not, in words. */
async function look(inquiry: string): Promise<string | undefined> {
  try {
    const [card, me] = await Promise.all([
      ask('card', { id: inquiry }),
      device.peek() === undefined ? ask('me', {}) : undefined,
    ]);
    if (me !== undefined && device.peek() === undefined) device.value = me.device;
    learn({ t: 'card', card });
    forgetTapped();
    return undefined;
  } catch (error) {
    if (error instanceof HubError) forgetTapped();
    if (error instanceof HubError && [404, 409, 410].includes(error.status)) return 'This is no longer open.';
    return error instanceof HubError ? error.message : 'The hub does not answer.';
  }
}

interface UnknownProps extends InquiryViewProps {
  words: string | undefined;
}

/** Its card is not here: what the notification showed, unless the hub said what became of it. */
function Unknown(props: UnknownProps) {
  const told = tapped.value;
  if (told?.tag === props.inquiry && !settled.value.has(props.inquiry)) return <FromTapped told={told} {...props} />;
  return <Missing {...props} />;
}

/** In the shape of the card that takes its place, and without its buttons: what is signed is seen whole. */
function FromTapped({ told, session, words }: UnknownProps & { told: Tapped }) {
  const name = rows.value.get(session)?.name;
  const title =
    name !== undefined && told.title.startsWith(`${name} `) ? told.title.slice(name.length + 1) : told.title;
  return (
    <article class="inquiry" data-place="sheet" data-tapped={told.tag}>
      <div class="card-body">
        <p class="card-head">
          <time dateTime={told.at}>as of {clock(told.at, now.value)}, from the notification</time>
        </p>
        <div class="card-title">
          <h3>
            <OutsideText text={title} />
          </h3>
        </div>
        <div class="thing">
          <pre>
            <Pieces text={told.body} />
          </pre>
        </div>
      </div>
      <div class="card-foot">
        <p class="note" role="status">
          {words} It can be answered when the hub has shown the whole of it.
        </p>
      </div>
    </article>
  );
}

function Missing({ words, inquiry, session }: UnknownProps) {
  const known = settled.value.get(inquiry);
  if (words === undefined && known === undefined) return <div class="calm" />;
  return (
    <div class="calm">
      <p class="calm-title">{known === undefined ? words : 'This is settled.'}</p>
      {known !== undefined && (
        <p class="soft">
          <OutsideText text={`${known.how}${known.by === undefined ? '' : ` by ${known.by}`}`} />
        </p>
      )}
      <p class="calm-ways">
        <a class="button" href={sessionPath(session)}>
          Its session
        </a>
        <a class="button quiet" href="/">
          Now
        </a>
      </p>
    </div>
  );
}
