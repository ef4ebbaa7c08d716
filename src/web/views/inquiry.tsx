/**
 * One inquiry over the whole screen: what a notification opens. One request draws it, before the socket is up. On a wide screen
 * there is no sheet: its session is in the middle, and its card in the rail is the large one.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Card } from '../../contract/page.js';
import { ask, HubError } from '../model/api.js';
import { back, sessionPath } from '../model/routes.js';
import { cards, device, learn, rows, settled } from '../model/store.js';
import { layout } from '../model/viewport.js';
import { Icon } from '../parts/icons.js';
import { InquiryCard } from '../parts/inquiry-card.js';
import { OutsideText } from '../parts/outside-text.js';
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
  useEffect(() => {
    void look(inquiry).then((said) => {
      wrong.value = said;
    });
  }, [inquiry, wrong]);
  const shown = card ?? last.current;
  const isGone = shown !== undefined && card === undefined;
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
        <Missing words={wrong.value} inquiry={inquiry} session={session} />
      ) : (
        <InquiryCard card={shown} row={rows.value.get(session)} place="sheet" gone={isGone} />
      )}
    </section>
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
    return undefined;
  } catch (error) {
    if (error instanceof HubError && [404, 409, 410].includes(error.status)) return 'This is no longer open.';
    return error instanceof HubError ? error.message : 'The hub does not answer.';
  }
}

function Missing({ words, inquiry, session }: { words: string | undefined; inquiry: string; session: string }) {
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
      <a class="button" href={sessionPath(session)}>
        Its session
      </a>
    </div>
  );
}
