/** The last known picture, kept for the next start and shown greyed until the hub spoke. */
import { batch, effect } from '@preact/signals';
import type { Card, Device } from '../../contract/page.js';
import { keep, kept, TAPPED } from './kept.js';
import {
  cards,
  connection,
  device,
  type HubFacts,
  hub,
  lastSettled,
  now,
  rows,
  type SessionRow,
  type SettledCard,
  setConnection,
} from './store.js';

/** The picture is written at most this often. */
const SAVE_MS = 2000;

interface Picture {
  at: number;
  device: Device;
  hub: HubFacts;
  rows: SessionRow[];
  cards: Card[];
  /** What was settled last, for the calm page. */
  last?: SettledCard;
}

/** The picture as it was, unless the hub was faster. */
export async function recall(): Promise<void> {
  const picture = await kept<Picture>('picture');
  if (picture === undefined || hub.peek() !== undefined) return;
  batch(() => {
    device.value = picture.device;
    hub.value = picture.hub;
    rows.value = new Map(picture.rows.map((row) => [row.id, row]));
    cards.value = new Map(picture.cards.map((card) => [card.inquiry.id, card]));
    lastSettled.value = picture.last;
    setConnection({ asOf: picture.at });
  });
}

/** Keeps the picture from now on: what the hub said last, also when it was lost right after. */
export function keepPicture(): void {
  let isDue = false;
  let hasSpoken = false;
  const save = (): void => {
    isDue = false;
    const [mine, ours] = [device.peek(), hub.peek()];
    const { state, asOf } = connection.peek();
    if (!hasSpoken || state === 'revoked' || mine === undefined || ours === undefined) return;
    const picture: Picture = {
      at: state === 'live' ? now.peek() : (asOf ?? now.peek()),
      device: mine,
      hub: ours,
      rows: [...rows.peek().values()],
      cards: [...cards.peek().values()],
      ...(lastSettled.peek() === undefined ? {} : { last: lastSettled.peek()! }),
    };
    void keep('picture', picture);
  };
  effect(() => {
    void [rows.value, cards.value, device.value, lastSettled.value];
    if (connection.value.state !== 'live' || isDue) return;
    hasSpoken = true;
    isDue = true;
    setTimeout(save, SAVE_MS);
  });
  effect(() => {
    // Who was let out keeps nothing to read.
    if (connection.value.state === 'revoked') for (const key of ['picture', TAPPED]) void keep(key, undefined);
  });
  addEventListener('pagehide', save);
}
