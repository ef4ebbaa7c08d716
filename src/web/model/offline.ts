/**
 * What is kept in this browser for the next start: the last known picture, shown greyed until the hub spoke, and drafts. One
 * small IndexedDB; a browser without one (private mode) forgets, and the page works all the same. No secret is kept here.
 */
import { batch, effect } from '@preact/signals';
import type { Card, Device } from '../../contract/page.js';
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

const NAME = 'reins';
const STORE = 'kept';
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

let opening: Promise<IDBDatabase | undefined> | undefined;

const answered = <T>(request: IDBRequest<T>): Promise<T | undefined> =>
  new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  });

function database(): Promise<IDBDatabase | undefined> {
  opening ??= (async () => {
    try {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
      return await answered(request);
    } catch {
      return undefined; // a browser that permits none
    }
  })();
  return opening;
}

export async function kept<T>(key: string): Promise<T | undefined> {
  const open = await database();
  if (open === undefined) return undefined;
  return (await answered(open.transaction(STORE).objectStore(STORE).get(key))) as T | undefined;
}

export async function keep(key: string, value: unknown): Promise<void> {
  const open = await database();
  if (open === undefined) return;
  const store = open.transaction(STORE, 'readwrite').objectStore(STORE);
  if (value === undefined) await answered(store.delete(key));
  else await answered(store.put(value, key));
}

/** Everything of an earlier life of this device: it was let out, or paired anew. */
export async function forgetAll(): Promise<void> {
  const open = await database();
  if (open !== undefined) await answered(open.transaction(STORE, 'readwrite').objectStore(STORE).clear());
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

/** Keeps the picture from now on, whenever it is true. */
export function keepPicture(): void {
  let isDue = false;
  const save = (): void => {
    isDue = false;
    const [mine, ours] = [device.peek(), hub.peek()];
    if (connection.peek().state !== 'live' || mine === undefined || ours === undefined) return;
    const picture: Picture = {
      at: now.peek(),
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
    isDue = true;
    setTimeout(save, SAVE_MS);
  });
  effect(() => {
    // Who was let out keeps nothing to read.
    if (connection.value.state === 'revoked') void keep('picture', undefined);
  });
  addEventListener('pagehide', save);
}
