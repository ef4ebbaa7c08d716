/**
 * The way of an event out of a sandbox that lets nobody reach a socket (codex's: connect is refused, temporary folders may
 * be written). The session's host watches a folder of its own there. An ask is a file, signed with the session's word, which
 * is in the environment of what its agent starts and nowhere else; the answer is a file beside it. Both sides are here.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a process inside a session has in its environment to publish an event. */
export interface EmitVia {
  /** The session's word: without it nothing is published, by socket neither. */
  key: string;
  dir: string;
}

export interface DropAsk {
  /** Used once. */
  id: string;
  /** Milliseconds since the epoch: an old one is no longer taken. */
  at: number;
  session: string;
  topic: string;
  payload: string;
}

/** A host answers within milliseconds; a machine under load gets more. */
const ANSWER_MS = 10_000;
const LOOK_EVERY_MS = 25;

export const ASK = /^([0-9a-f]{32})\.ask$/;
export const toldName = (id: string): string => `${id}.told`;

export const viaText = ({ key, dir }: EmitVia): string => `${key}:${dir}`;

export function readVia(text: string | undefined): EmitVia | undefined {
  const [, key, dir] = /^([0-9a-f]{32}):(\/.+)$/s.exec(text ?? '') ?? [];
  return key === undefined || dir === undefined ? undefined : { key, dir };
}

const signature = (key: string, body: string): string => createHmac('sha256', key).update(body).digest('hex');

/** Undefined: not from who knows the word, or none at all. */
export function readAsk(key: string, content: string): DropAsk | undefined {
  const end = content.indexOf('\n');
  const [sign, body] = [content.slice(0, Math.max(end, 0)), content.slice(end + 1)];
  const right = signature(key, body);
  if (sign.length !== right.length || !timingSafeEqual(Buffer.from(sign), Buffer.from(right))) return undefined;
  try {
    const { id, at, session, topic, payload } = JSON.parse(body) as Record<keyof DropAsk, unknown>;
    const texts = [id, session, topic, payload].every((one) => typeof one === 'string');
    return texts && typeof at === 'number' ? ({ id, at, session, topic, payload } as DropAsk) : undefined;
  } catch {
    return undefined; // signed, and no JSON: written by nobody of ours
  }
}

export function askText(key: string, ask: DropAsk): string {
  const body = JSON.stringify(ask);
  return `${signature(key, body)}\n${body}`;
}

/** Resolves with what the host wrote, undefined if it did not within its time. Throws what the disk says. */
export async function dropAsk(via: EmitVia, event: Pick<DropAsk, 'session' | 'topic' | 'payload'>): Promise<unknown> {
  const id = randomBytes(16).toString('hex');
  const [unfinished, ask, told] = ['new', 'ask', 'told'].map((ending) => join(via.dir, `${id}.${ending}`)) as [
    string,
    string,
    string,
  ];
  writeFileSync(unfinished, askText(via.key, { ...event, id, at: Date.now() }), { flag: 'wx', mode: 0o600 });
  renameSync(unfinished, ask);
  for (const end = Date.now() + ANSWER_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
    const answer = read(told);
    if (answer === undefined) continue;
    rmSync(told, { force: true });
    return JSON.parse(answer) as unknown;
  }
  rmSync(ask, { force: true });
  return undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // not there yet
  }
}
