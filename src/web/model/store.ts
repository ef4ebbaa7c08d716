/**
 * What the page knows, as signals: the picture the hub gave in its hello and every change since. Nothing here talks to anyone;
 * `socket.ts` feeds it, `offline.ts` keeps it for the next start. Ages are counted by the hub's clock.
 */
import { batch, computed, signal } from '@preact/signals';
import type { SessionRow } from '../../contract/index.js';
import { allows, type Card, type Device, type PageDown, type Right } from '../../contract/page.js';

export type { SessionRow };

export interface Connection {
  /** `loading`: the page has only begun, and nobody answered yet; `behind`: connected, and still being told what it missed. */
  state: 'loading' | 'connecting' | 'live' | 'reconnecting' | 'offline' | 'behind' | 'unpaired' | 'revoked';
  /** How often it was tried since it was last there. */
  tries: number;
  /** When the next try is due, by this browser's clock. */
  nextAt?: number;
  /** Since when it is in this state; for `revoked` when that was done. */
  since: number;
  /** When the picture was last known to be true, by the hub's clock. */
  asOf?: number;
}

export interface SettledCard {
  how: string;
  by?: string;
  at: string;
  session: string;
  /** What it was about, for the calm line of Now. */
  title?: string;
}

export interface HubFacts {
  version: string;
  name: string;
  started_at?: string;
}

export const connection = signal<Connection>({ state: 'loading', tries: 0, since: Date.now() });
export const device = signal<Device | undefined>(undefined);
export const hub = signal<HubFacts | undefined>(undefined);
export const rows = signal<ReadonlyMap<string, SessionRow>>(new Map());
/** Sessions whose host does not answer, and since when. */
export const silent = signal<ReadonlyMap<string, string>>(new Map());
export const cards = signal<ReadonlyMap<string, Card>>(new Map());
/** Inquiries settled while this page looked, newest last. */
export const settled = signal<ReadonlyMap<string, SettledCard>>(new Map());
/** The last of them, also from before this page was opened. */
export const lastSettled = signal<SettledCard | undefined>(undefined);
/** Entries still to come before what is followed is live; 0 when it is. */
export const catching = signal(0);
/** A device was let in, renamed or let out. */
export const notes = signal<readonly { note: string; at: string }[]>([]);
/** Ticks each second while the page is seen; the hub's clock. */
export const now = signal(Date.now());
export const online = signal(globalThis.navigator?.onLine ?? true);

/** SettledCard ones and notes that are kept: enough to show what just happened, not a history. */
const MOST_SETTLED = 200;
const MOST_NOTES = 20;
let clockOffset = 0;

export const tick = (): void => {
  now.value = Date.now() + clockOffset;
};

/** This device's right, as a question. */
export const mayI = (need: Right): boolean => device.value !== undefined && allows(device.value.right, need);

/** Whether more than one session is this device's business. */
export const wholeMachine = computed(() => device.value !== undefined && device.value.session === undefined);

/** What waits without an end comes after all that has one. */
const deadline = ({ inquiry }: Card): string => inquiry.until ?? inquiry.deadline_at ?? '9999';

/** What needs a person: the one whose time runs out first is first, then who waits longest. */
export const waiting = computed(() =>
  [...cards.value.values()].toSorted(
    (a, b) =>
      deadline(a).localeCompare(deadline(b)) ||
      a.inquiry.opened_at.localeCompare(b.inquiry.opened_at) ||
      a.inquiry.id.localeCompare(b.inquiry.id),
  ),
);

const changed = <V>(map: ReadonlyMap<string, V>, key: string, value: V | undefined): Map<string, V> => {
  const next = new Map(map);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
};

export const setConnection = (next: Partial<Connection>): void => {
  const was = connection.peek();
  const moved = next.state !== undefined && next.state !== was.state;
  const asOf = moved && was.state === 'live' ? { asOf: Date.now() + clockOffset } : {};
  connection.value = { ...was, ...asOf, since: moved ? Date.now() : was.since, ...next };
};

/** One message of the hub that is about no channel; true if it was one. */
export function learn(message: PageDown): boolean {
  switch (message.t) {
    case 'hello':
      clockOffset = Date.parse(message.now) - Date.now() || 0;
      batch(() => {
        device.value = message.device;
        hub.value = message.hub;
        rows.value = new Map(message.rows.map((row) => [row.id, row]));
        cards.value = new Map(message.cards.map((card) => [card.inquiry.id, card]));
        silent.value = new Map();
        tick();
      });
      return true;
    case 'row':
      rows.value = changed(rows.peek(), message.row.id, message.row);
      return true;
    case 'forgotten':
      batch(() => {
        rows.value = changed(rows.peek(), message.session, undefined);
        silent.value = changed(silent.peek(), message.session, undefined);
        const gone = [...cards.peek()].filter(([, card]) => card.inquiry.session !== message.session);
        if (gone.length !== cards.peek().size) cards.value = new Map(gone);
      });
      return true;
    case 'silent':
      silent.value = changed(
        silent.peek(),
        message.session,
        message.silent ? (message.since ?? new Date(now.peek()).toISOString()) : undefined,
      );
      return true;
    case 'card':
      cards.value = changed(cards.peek(), message.card.inquiry.id, message.card);
      return true;
    case 'settled':
      settle(message);
      return true;
    case 'devices':
      notes.value = [...notes.peek(), { note: message.note, at: message.at }].slice(-MOST_NOTES);
      return true;
    default:
      return false;
  }
}

function settle({ inquiry, session, how, by, at }: Extract<PageDown, { t: 'settled' }>): void {
  const title = cards.peek().get(inquiry)?.view.title;
  const next = changed(settled.peek(), inquiry, {
    how,
    at,
    session,
    ...(by === undefined ? {} : { by }),
    ...(title === undefined ? {} : { title }),
  });
  const [oldest] = next.keys();
  if (next.size > MOST_SETTLED && oldest !== undefined) next.delete(oldest);
  batch(() => {
    settled.value = next;
    lastSettled.value = next.get(inquiry);
    cards.value = changed(cards.peek(), inquiry, undefined);
  });
}
