/**
 * What a page and the hub say to each other over the one WebSocket of a page. What a page *does* goes by HTTP
 * (`hub-routes.ts`), so that it can be sent again; the socket carries what is seen, and the keys of a terminal. Text frames
 * are JSON; bytes of a terminal are binary frames: 1 byte kind (1 output, 4 snapshot; up: 2 keys), 4 bytes channel (big endian),
 * down also 8 bytes offset (float64), then the bytes. A channel is one session as this page follows it; the page numbers them.
 */
import type { z } from 'zod';
import type { May, Right } from './commands.js';
import type { Size } from './frame.js';
import type { QueuedMessage } from './index.js';
import type { Entry } from './schemas/entry.js';
import type * as hub from './schemas/hub.js';
import type { SessionRow } from './schemas/session.js';

export { allows, type May, RIGHTS, type Right } from './commands.js';
export * from './hub-routes.js';

export type Device = z.infer<typeof hub.Device>;
export type Invitation = z.infer<typeof hub.Invitation>;
export type Card = z.infer<typeof hub.Card>;
export type ThingView = z.infer<typeof hub.ThingView>;
export type { QueuedMessage };

/** Named in `Sec-WebSocket-Protocol`, with the ticket as the second name: no secret in an address. */
export const PAGE_PROTOCOL = 'reins.1';

export const BYTES = { output: 1, keys: 2, snapshot: 4 } as const;

export type PageUp =
  /** First of all. `seen`: the newest picture the page holds, for "while you were away". */
  | { t: 'hello'; visible: boolean }
  /** Signs of a person: the page is shown, and was touched just now. Said on change, and with touches at most every 10 s. */
  | { t: 'here'; visible: boolean; touched: boolean }
  /** Follow a session from after this entry; without `since`, from its last `page` of entries. */
  | { t: 'open'; ch: number; session: string; since?: number }
  | { t: 'close'; ch: number }
  /** Bytes only while the terminal is shown; with `since` what is still held from that offset, else a snapshot. */
  | { t: 'terminal'; ch: number; shown: boolean; since?: number }
  /** So many bytes were drawn: the hub holds back beyond a window. */
  | { t: 'drawn'; ch: number; bytes: number }
  | { t: 'take'; ch: number }
  | { t: 'fit'; ch: number; size: Size }
  | { t: 'pong' };

/** What each message takes, as data; `keys` are the bytes of a terminal. Where it is about a session, that one is in scope besides. */
export const PAGE_RIGHTS = {
  hello: 'view',
  here: 'view',
  open: 'view',
  close: 'view',
  terminal: 'view',
  drawn: 'view',
  pong: 'view',
  keys: 'type',
  take: 'type',
  fit: 'type',
} as const satisfies Record<PageUp['t'] | 'keys', Right>;

/** Why a page cannot do something, in words for a person. */
export interface PageWrong {
  code: string;
  message: string;
  hint?: string;
}

export type PageDown =
  /** The whole picture: what follows changes it. */
  | {
      t: 'hello';
      hub: { version: string; name: string; started_at: string };
      device: Device;
      rows: z.infer<typeof SessionRow>[];
      cards: Card[];
      /** The hub's clock, so that ages are right on a phone with another one. */
      now: string;
    }
  | { t: 'row'; row: z.infer<typeof SessionRow> }
  | { t: 'forgotten'; session: string }
  | { t: 'silent'; session: string; silent: boolean; since?: string }
  /** New, or changed: another stage, a suggestion. */
  | { t: 'card'; card: Card }
  | { t: 'settled'; inquiry: string; session: string; how: string; by?: string; at: string }
  | {
      t: 'opened';
      ch: number;
      row: z.infer<typeof SessionRow>;
      may: May;
      driver: string | null;
      /** This page as a viewer of that host. */
      you: string;
      size: Size | null;
      seq: number;
      queue: QueuedMessage[];
    }
  | { t: 'entries'; ch: number; entries: Entry[]; more?: boolean }
  | { t: 'live'; ch: number }
  /** Text of a turn while it is written; empty when the entry with the whole of it has come. */
  | { t: 'partial'; ch: number; text: string }
  | { t: 'queue'; ch: number; queue: QueuedMessage[] }
  | { t: 'driver'; ch: number; driver: string | null; name?: string }
  | { t: 'size'; ch: number; size: Size }
  | { t: 'paused'; ch: number; paused: boolean }
  /** This channel is over: the session ended, its host was lost, or it may not be followed. */
  | { t: 'closed'; ch: number; why: PageWrong | null }
  /** A device was let in, renamed or revoked. */
  | { t: 'devices'; note: string; at: string }
  | { t: 'revoked'; at: string }
  | { t: 'wrong'; ch?: number; wrong: PageWrong }
  | { t: 'ping' };

/** What the hub pushes to a device, encrypted for it, and its worker shows. At most 3 KB. */
export interface PushMessage {
  v: 1;
  kind: 'inquiry' | 'settled' | 'ended' | 'limit' | 'died' | 'test';
  title: string;
  body: string;
  /** What is shown with the same one is replaced. Of an inquiry, its id. */
  tag: string;
  /** Where a tap leads. */
  path: string;
  /** How many inquiries wait for this device. */
  badge: number;
  at: string;
  /** An answer from the notification names what was shown. */
  digest?: string;
  /** The whole of it is shown: it may be allowed or denied right there. */
  whole?: true;
}

/** What a device may do beyond the rights of a host's commands. */
export interface DeviceScope {
  right: Right;
  namespaces: string[];
  session?: string;
}

const HEAD = { up: 5, down: 13 } as const;

/** Bytes of a terminal for a page, or keys from one (`offset` absent). */
export function packBytes(kind: keyof typeof BYTES, ch: number, bytes: Uint8Array, offset?: number): Uint8Array {
  const head = offset === undefined ? HEAD.up : HEAD.down;
  const packed = new Uint8Array(head + bytes.length);
  const view = new DataView(packed.buffer);
  view.setUint8(0, BYTES[kind]);
  view.setUint32(1, ch);
  if (offset !== undefined) view.setFloat64(5, offset);
  packed.set(bytes, head);
  return packed;
}

/** Undefined for what no page and no hub sends. */
export function unpackBytes(
  packed: Uint8Array,
): { kind: keyof typeof BYTES; ch: number; bytes: Uint8Array; offset: number } | undefined {
  if (packed.length < HEAD.up) return undefined;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const kind = (Object.keys(BYTES) as (keyof typeof BYTES)[]).find((name) => BYTES[name] === view.getUint8(0));
  if (kind === undefined) return undefined;
  const ch = view.getUint32(1);
  if (kind === 'keys') return { kind, ch, offset: 0, bytes: packed.subarray(HEAD.up) };
  if (packed.length < HEAD.down) return undefined;
  const offset = view.getFloat64(5);
  if (!Number.isSafeInteger(offset) || offset < 0) return undefined;
  return { kind, ch, offset, bytes: packed.subarray(HEAD.down) };
}
