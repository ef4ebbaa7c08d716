/** One inquiry over the whole screen: what a notification opens. */

import { cards, rows } from '../model/store.js';
import { InquiryCard } from '../parts/inquiry-card.js';

export interface InquiryViewProps {
  session: string;
  inquiry: string;
}

export function InquiryView({ session, inquiry }: InquiryViewProps) {
  const card = cards.value.get(inquiry);
  return (
    <section class="inquiry-sheet" data-view="inquiry">
      {card ? <InquiryCard card={card} row={rows.value.get(session)} place="sheet" /> : <p>It is settled.</p>}
    </section>
  );
}
