/** What needs you, always visible beside a session on a wide screen. */
import { rows, waiting } from '../model/store.js';
import { InquiryCard } from './inquiry-card.js';

export function Rail() {
  return (
    <ul class="cards">
      {waiting.value.map((card) => (
        <li key={card.inquiry.id}>
          <InquiryCard card={card} row={rows.value.get(card.inquiry.session)} place="rail" />
        </li>
      ))}
    </ul>
  );
}
