/**
 * Lines of JSON for two-way protocols: bytes in, one object or one piece of garbage per line out, and the way back.
 * Knows no agent. Unlike the one-way decoders it never repairs a line: in a conversation where an answer runs a
 * command, half a record is garbage, not a guess.
 */
import type { AgentOutput } from '../../contract/index.js';
import type { InquiryDraft, ProtocolStep } from '../adapter.js';

export type Json = Record<string, unknown>;
export type JsonLine = { json: Json } | { garbage: string };

/** Bytes. Tool input with a whole file in it may be large; beyond this a line is dropped so that memory stays bounded. */
export const LONGEST_LINE = 64 * 1024 * 1024;
/** Characters of a line that was not understood. */
const KEPT_OF_GARBAGE = 2000;
/** Levels. Deeper values parse, but cannot be written again (the stack ends), so they are refused at the door. */
const DEEPEST = 200;
/** Requests open at the same time; an agent that asks more often is broken, and each one costs memory. */
export const MOST_OPEN = 1000;

const LF = 0x0a;

/** Cuts bytes into lines. The result does not depend on how the bytes were chunked. */
export function lineReader(longest: number = LONGEST_LINE): {
  feed(chunk: Uint8Array): JsonLine[];
  end(): JsonLine[];
} {
  let pieces: Uint8Array[] = [];
  let length = 0;

  const add = (piece: Uint8Array): void => {
    // What exceeds the limit is counted, not kept; the start stays for the garbage report.
    if (length < longest) pieces.push(piece.slice(0, longest - length));
    length += piece.length;
    if (pieces.length > 1024) pieces = [Buffer.concat(pieces)];
  };
  const take = (): JsonLine[] => {
    const text = new TextDecoder().decode(Buffer.concat(pieces)).trim();
    const tooLong = length > longest;
    pieces = [];
    length = 0;
    if (text === '') return [];
    const json = tooLong ? undefined : parse(text);
    return [json ? { json } : { garbage: bounded(text) }];
  };

  return {
    feed(chunk) {
      const lines: JsonLine[] = [];
      for (let at = 0; at < chunk.length; ) {
        const end = chunk.indexOf(LF, at);
        add(chunk.subarray(at, end < 0 ? chunk.length : end));
        if (end < 0) break;
        lines.push(...take());
        at = end + 1;
      }
      return lines;
    },
    end: take,
  };
}

function parse(text: string): Json | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return tooDeep(value) ? undefined : value;
  } catch {
    return undefined; // Not JSON: the caller reports the text as garbage.
  }
}

function tooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Object.values(item)) if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}

export const bounded = (text: string): string =>
  text.length > KEPT_OF_GARBAGE ? `${text.slice(0, KEPT_OF_GARBAGE)}…` : text;

/** One message as one line. JSON.stringify leaves no raw newline inside. */
export const write = (message: unknown): Extract<ProtocolStep, { do: 'write' }> => ({
  do: 'write',
  bytes: `${JSON.stringify(message)}\n`,
});

export const output = (value: AgentOutput): ProtocolStep => ({ do: 'output', output: value });

export const unknown = (value: unknown): AgentOutput => ({
  kind: 'unknown',
  raw: bounded(typeof value === 'string' ? value : JSON.stringify(value)),
});

/**
 * The requests that wait for an answer. Keys are ours and never used twice, so that an agent that repeats an id cannot
 * have one answer count for two requests; the agent's own id, of whatever JSON type, stays beside it.
 */
export interface OpenAsks<T> {
  /** The step that asks; undefined if the same id waits already or too much is open. */
  open(id: unknown, held: T, inquiry: InquiryDraft, withinMs?: number): ProtocolStep | undefined;
  full(): boolean;
  take(key: string): { id: unknown; held: T } | undefined;
  withdrawId(id: unknown, reason: string, there?: 'there'): ProtocolStep[];
  withdraw(reason: string, which?: (held: T) => boolean): ProtocolStep[];
  /** Ids and what was held, of all that waits now, in order. */
  all(): { key: string; id: unknown; held: T }[];
}

export function openAsks<T>(): OpenAsks<T> {
  const open = new Map<string, { id: unknown; held: T }>();
  const keyOfId = new Map<string, string>();
  let count = 0;

  const take = (key: string) => {
    const found = open.get(key);
    if (!found) return undefined;
    open.delete(key);
    keyOfId.delete(JSON.stringify(found.id));
    return found;
  };
  const withdrawKey = (key: string, reason: string, there?: 'there'): ProtocolStep[] =>
    take(key) ? [{ do: 'withdraw', key, reason, ...(there ? { there } : {}) }] : [];

  return {
    open(id, held, inquiry, withinMs) {
      const idText = JSON.stringify(id);
      if (keyOfId.has(idText) || open.size >= MOST_OPEN) return undefined;
      count += 1;
      const key = `ask-${count}`;
      open.set(key, { id, held });
      keyOfId.set(idText, key);
      return { do: 'ask', key, inquiry, ...(withinMs === undefined ? {} : { withinMs }) };
    },
    full: () => open.size >= MOST_OPEN,
    take,
    withdrawId(id, reason, there) {
      const key = keyOfId.get(JSON.stringify(id) ?? '');
      return key === undefined ? [] : withdrawKey(key, reason, there);
    },
    withdraw(reason, which = () => true) {
      const keys = [...open].filter(([, { held }]) => which(held)).map(([key]) => key);
      return keys.flatMap((key) => withdrawKey(key, reason));
    },
    all: () => [...open].map(([key, { id, held }]) => ({ key, id, held })),
  };
}

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const asObject = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
