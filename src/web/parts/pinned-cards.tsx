/** What a session asks, pinned above its composer where there is no rail. */
import { CardList } from './card-list.js';

export function PinnedCards({ session }: { session: string }) {
  return (
    <section class="pinned" aria-label="Needs you">
      <CardList session={session} place="chat" />
    </section>
  );
}
