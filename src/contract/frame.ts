/**
 * Messages on a link, and their bytes: 4 bytes length (big endian, of kind and payload), 1 byte kind, payload.
 *   00 00 00 0e 00 {"t":"ready"}          kind 0: one JSON message
 *   00 00 00 0b 01 <offset: 8 bytes> hi   kind 1: agent output; the offset counts all output bytes of the session
 *   00 00 00 03 02 hi                     kind 2: input for the agent
 *   00 00 00 03 03 hi                     kind 3: agent output on its separate standard error (exec --no-pty)
 *   00 00 00 0b 04 <offset: 8 bytes> ..   kind 4: a snapshot: bytes that redraw the screen as it was at the offset
 * Raw bytes are the one thing that is not JSON, because JSON would cost more than the bytes.
 */

import type { z } from 'zod';
import type { Right } from './commands.js';
import type { ErrorCode, ErrorData } from './errors.js';
import type { ViewerId } from './ids.js';
import type { Entry } from './schemas/entry.js';
import type { WaitingInquiry } from './schemas/inquiry.js';
import type { SessionRow } from './schemas/session.js';

/**
 * The versions of the protocol that a build understands. A host may be older or younger than who looks at it: sessions
 * outlive an upgrade. Whatever is new is added (fields, messages, commands) and ignored by who does not know it; the
 * number says what the other side can be asked for.
 *   1  the first; it says one number and wants the same one back
 *   2  says a range; skips kinds of frames it does not know
 */
export interface Speaks {
  /** The oldest: what the first builds compare. */
  protocol: number;
  newest?: number;
}

export const PROTOCOL = { protocol: 1, newest: 2 } as const satisfies Speaks;

/** The newest that both understand; undefined if there is none. What comes from outside may be anything. */
export function commonProtocol(theirs: { protocol?: unknown; newest?: unknown }, ours: Required<Speaks> = PROTOCOL) {
  const { protocol: oldest, newest = oldest } = theirs;
  if (!Number.isSafeInteger(oldest) || !Number.isSafeInteger(newest)) return undefined;
  const highest = Math.min(newest as number, ours.newest);
  return highest >= Math.max(oldest as number, ours.protocol) ? highest : undefined;
}

/** As people read it: `1`, or `1 to 2`. */
export function protocolInWords({ protocol, newest = protocol }: { protocol?: unknown; newest?: unknown }): string {
  return protocol === newest ? String(protocol) : `${protocol} to ${newest}`;
}

/** A frame longer than this is an attack or a bug: the link is closed. */
export const MAX_FRAME = 32 * 1024 * 1024;

export interface Size {
  cols: number;
  rows: number;
}

/** How far a viewer has seen: the last journal `seq` and the next output byte's `offset`. */
export interface Cursor {
  seq?: number;
  offset?: number;
}

export interface AttachRequest {
  t: 'attach';
  kind: 'run' | 'terminal' | 'web' | 'api';
  name?: string;
  /** `driver` asks for the keys and the size; `watcher` only looks. */
  role: 'driver' | 'watcher';
  /** Take the keys even if someone else has them. */
  take?: boolean;
  /** Hidden viewers get entries but no bytes. */
  visible: boolean;
  bytes: boolean;
  entries: boolean;
  /** How this viewer could let a person answer: on its screen, by /dev/tty (asked anew each time), or not. */
  answers: 'screen' | 'tty' | 'no';
  size?: Size;
  since?: Cursor;
  /** The session ends when this viewer vanishes without saying `untie`. */
  tie?: boolean;
}

export interface Wrong {
  code: ErrorCode;
  message: string;
  hint: string;
  data: ErrorData;
}

export interface Presence {
  present: boolean;
  reason: string;
  /** Nobody is there, but somebody can be fetched: by what. */
  reachable?: string;
}

/** A terminal by its device: another program that opens the path can make sure that it got the same one. */
export interface TerminalName {
  path: string;
  dev: number;
  ino: number;
  rdev: number;
}

/** What an agent has put on a terminal that can not be taken off blindly: it may be the user's own. */
export interface LeftModes {
  /** Modes, colours and the like by their names (link/modes.ts). */
  away: string[];
  /** Kitty keyboard modes on the stacks of the usual and of the alternate screen. */
  keyboards: [number, number];
  /** Titles on their stack. */
  titles: number;
  /** The beginning of a sequence that is not whole yet, and so not on the terminal. */
  held: string;
}

/** How a control key is named: `C-]`, `Ctrl-]` or `^]`. Not `[`, which is Esc and begins every arrow key. */
export const CONTROL_KEY = /^(?:C-|Ctrl-|\^)([a-zA-Z@\\\]^_])$/;

/** What a viewer sends. */
export type Up =
  /**
   * `may` asks for less than the link would have; `starter` is the word that the run which began this host was given;
   * `device` names the paired device for which a program of the user's asks. It is only a name, and gives no right.
   */
  | ({ t: 'hello'; version: string; may?: Right; starter?: string; device?: string } & Speaks)
  /** I am this process, and bear the name that you asked for. */
  | { t: 'prove'; id: number; pid: number; start_ticks: number }
  | AttachRequest
  /** The replay was applied: send what is live. */
  | { t: 'ready' }
  | { t: 'visible'; visible: boolean }
  | { t: 'command'; id: number; name: string; args: Record<string, unknown> }
  | { t: 'reply'; id: number; value: unknown }
  /** Here is my terminal: write to it and read its keys yourself, until I ask for it back. `detach` names the detach key. */
  | { t: 'lend'; terminal: TerminalName; detach: string; left: LeftModes }
  /** From now on I neither write nor read. `left`: what is on it by then; bytes were on their way when it was offered. */
  | { t: 'lent'; left?: LeftModes }
  | { t: 'return' }
  /** Leaving on purpose; `untie` keeps the session alive. */
  | { t: 'bye'; untie?: boolean }
  | { t: 'hook'; secret: string; event: string; payload: unknown };

/** What a host sends. */
export type Down =
  /** `challenge`: whoever wants more than to look shows which process it is. */
  | ({ t: 'hello'; version: string; session: string; challenge?: string } & Speaks)
  | {
      t: 'attached';
      viewer: ViewerId;
      session: z.infer<typeof SessionRow>;
      driver: ViewerId | null;
      driver_name?: string;
      inquiries: z.infer<typeof WaitingInquiry>[];
      cursor: Required<Cursor>;
      size: Size | null;
      /** Reports of a terminal's focus are the host's to sift: an agent that did not ask for them gets none. */
      focus?: boolean;
    }
  /** Everything up to the cursor has been sent; what follows is live. */
  | { t: 'live' }
  | { t: 'entry'; entry: Entry }
  /** What the agent says, while it is written: all of it so far, its end if it is long. Empty: it is said, or was given up. */
  | { t: 'partial'; text: string }
  | { t: 'size'; size: Size }
  /** Who has the keys now, and how people call it; also said to a viewer whose keys were ignored. */
  | { t: 'driver'; driver: ViewerId | null; name?: string }
  /** The session stands still, or goes on: keys typed meanwhile wait. */
  | { t: 'paused'; paused: boolean }
  /** Somebody is asked, and your terminal said it is in the background: call its person. */
  | { t: 'call' }
  /** A question to the viewer's program (not to the person): can a person answer at your place right now? */
  | { t: 'ask'; id: number; what: 'presence' }
  | { t: 'reply'; id: number; value?: unknown; error?: Wrong }
  | { t: 'hook-reply'; stdout: string; stderr: string; exit: number }
  /** Whether the host can have the terminal. If so, it waits for `lent`. */
  | { t: 'lend'; ok: boolean }
  /** What the agent has left on the lent terminal by now, for a viewer whose host dies. */
  | { t: 'left'; left: LeftModes }
  /**
   * The terminal is the viewer's again; `detach` if its person pressed the detach key. Not `begun`: the host wrote nothing,
   * and the viewer knows better what is left.
   */
  | { t: 'returned'; left: LeftModes; detach: boolean; begun?: boolean }
  /** The last message: the session is over, or this viewer is dropped. */
  | { t: 'end'; exit?: number; reason: string };

export type Frame =
  | { kind: 'json'; json: Up | Down }
  | { kind: 'output'; offset: number; bytes: Uint8Array }
  | { kind: 'input'; bytes: Uint8Array }
  | { kind: 'stderr'; bytes: Uint8Array }
  | { kind: 'snapshot'; offset: number; bytes: Uint8Array };

const KINDS = ['json', 'output', 'input', 'stderr', 'snapshot'] as const;
const HEAD = 5;
const utf8 = new TextEncoder();
const text = new TextDecoder();

/**
 * One frame as bytes: the head, and the payload in a buffer of its own so that large output is not copied. Throws on a
 * frame that the peer would take for an attack.
 */
export function encodeFrame(frame: Frame): Uint8Array[] {
  const offset = 'offset' in frame ? frame.offset : undefined;
  const payload = frame.kind === 'json' ? utf8.encode(JSON.stringify(frame.json)) : frame.bytes;
  const head = new Uint8Array(HEAD + (offset === undefined ? 0 : 8));
  const length = head.length - 4 + payload.length;
  if (length > MAX_FRAME) throw new Error(`frame of ${length} bytes`);
  const view = new DataView(head.buffer);
  view.setUint32(0, length);
  view.setUint8(4, KINDS.indexOf(frame.kind));
  if (offset !== undefined) view.setFloat64(HEAD, offset);
  return [head, payload];
}

/**
 * Cuts a byte stream into frames. Throws on what no well-behaved peer sends; the caller closes the link. A large frame
 * that comes in many small chunks is put together once, when it is whole.
 */
export class FrameReader {
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Bytes that must be there before it is worth looking again. */
  #wanted = 4;

  feed(chunk: Uint8Array): Frame[] {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    const frames: Frame[] = [];
    if (this.#heldBytes < this.#wanted) return frames;
    let rest = this.#held.length === 1 ? chunk : concat(this.#held, this.#heldBytes);
    this.#wanted = 4;
    while (rest.length >= 4) {
      const length = new DataView(rest.buffer, rest.byteOffset, 4).getUint32(0);
      if (length < 1 || length > MAX_FRAME) throw new Error(`frame of ${length} bytes`);
      if (rest.length < 4 + length) {
        this.#wanted = 4 + length;
        break;
      }
      const frame = parse(rest.subarray(4, 4 + length));
      if (frame) frames.push(frame);
      rest = rest.subarray(4 + length);
    }
    this.#held = rest.length > 0 ? [rest] : [];
    this.#heldBytes = rest.length;
    return frames;
  }
}

/** Nothing for a kind that a younger build may have: it is left out, and the link goes on. */
function parse(body: Uint8Array): Frame | undefined {
  const kind = KINDS[body[0]!];
  const payload = body.subarray(1);
  switch (kind) {
    case 'json': {
      const json: unknown = JSON.parse(text.decode(payload));
      if (typeof json !== 'object' || json === null || typeof (json as { t?: unknown }).t !== 'string') {
        throw new Error('a message without a type');
      }
      return { kind, json: json as Up | Down };
    }
    case 'output':
    case 'snapshot': {
      if (payload.length < 8) throw new Error('output without an offset');
      const offset = new DataView(payload.buffer, payload.byteOffset, 8).getFloat64(0);
      if (!Number.isSafeInteger(offset) || offset < 0) throw new Error('output at no possible offset');
      return { kind, offset, bytes: payload.subarray(8) };
    }
    case 'input':
    case 'stderr':
      return { kind, bytes: payload };
    default:
      return undefined;
  }
}

function concat(parts: Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
