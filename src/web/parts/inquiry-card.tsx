/** An open inquiry as a person reads and answers it. */
import type { Card } from '../../contract/page.js';
import { inquiryPath } from '../model/routes.js';
import type { SessionRow } from '../model/store.js';

export interface InquiryCardProps {
  card: Card;
  row: SessionRow | undefined;
  place: 'rail' | 'sheet' | 'chat';
}

export function InquiryCard({ card, row, place }: InquiryCardProps) {
  return (
    <article class="inquiry" data-card={card.inquiry.id} data-place={place}>
      <a href={inquiryPath(card.inquiry.session, card.inquiry.id)}>
        {row?.name ?? card.inquiry.session} {card.view.title}
      </a>
      <pre>{card.view.spans?.map((span) => span.text).join('')}</pre>
    </article>
  );
}
