/**
 * One notification over one notifier, once: what came of it, in one shape for commands and webhooks. Whether it is tried again
 * is the lane's business (lane.ts). Contract: resolves, never rejects.
 */

import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Env, Inquiry, Notification } from '../contract/index.js';
import { clean, type OutsideAnswer, type ReadGiven, readBody, readPrinted, ticketIn } from './given.js';
import type { CommandNotifier, Notifier, WebhookNotifier } from './notifiers.js';
import { whyUnsigned } from './signature.js';
import { type Posted, post } from './webhook.js';

export interface DeliverAsk {
  notifier: Notifier;
  note: Notification;
  /** It may be answered this way. */
  inquiry?: Inquiry;
  attempt: number;
  signal: AbortSignal;
}

export type Delivered =
  | { how: 'told'; detail: string }
  | { how: 'answered'; given: OutsideAnswer }
  /** Something came that looks like an answer and does not count. */
  | { how: 'wrong'; reason: string }
  /** It has arrived, and an answer may come: to be asked for again. */
  | { how: 'held'; againMs: number }
  | { how: 'failed'; reason: string; fix?: string; again: boolean; againMs?: number };

/** A program that was run to tell a person; see `host/notify-command.ts`. */
export interface CommandEnd {
  code: number | null;
  /** What it printed, up to a bound. */
  stdout: Uint8Array;
  /** The end of what it complained. */
  stderr: string;
  /** Why it was ended before its time, or could not be started. */
  cut?: string;
}

export interface DeliverPorts {
  env: Env;
  version: string;
  now(): number;
  run(ask: { id: string; argv: string[]; stdin: string; timeoutMs: number; signal: AbortSignal }): Promise<CommandEnd>;
}

const [LEAST_HELD_SECS, USUAL_HELD_SECS, MOST_HELD_SECS] = [1, 2, 60];
const MOST_RETRY_AFTER_SECS = 240;
const AGAIN_STATUS = new Set([408, 425, 429]);
const MOST_SECRET_BYTES = 4096;
const SHORTEST_SECRET = 16;

export const deliver = (ports: DeliverPorts, ask: DeliverAsk): Promise<Delivered> =>
  ask.notifier.kind === 'command' ? byCommand(ports, ask, ask.notifier) : byWebhook(ports, ask, ask.notifier);

async function byCommand(ports: DeliverPorts, ask: DeliverAsk, notifier: CommandNotifier): Promise<Delivered> {
  const { note, signal, inquiry } = ask;
  const { argv, timeoutMs } = notifier;
  const end = await ports.run({ id: note.id, argv, stdin: `${JSON.stringify(note)}\n`, timeoutMs, signal });
  // Never tried again: nobody knows how far it came.
  const failed = (reason: string): Delivered => ({ how: 'failed', reason, again: false });
  if (end.cut !== undefined) return failed(end.cut);
  if (end.code !== 0) {
    const said = clean(end.stderr.trim().split('\n').at(-1) ?? '').slice(0, 200);
    return failed(`it ended with ${end.code ?? 'a signal'}${said ? `: ${said}` : ''}`);
  }
  return inquiry ? delivered(readPrinted(end.stdout, inquiry), 'exit 0') : { how: 'told', detail: 'exit 0' };
}

async function byWebhook(ports: DeliverPorts, ask: DeliverAsk, notifier: WebhookNotifier): Promise<Delivered> {
  const secret = secretOf(notifier, ports.env);
  if (typeof secret === 'object') return { how: 'failed', again: false, ...secret };
  const { note, signal, attempt, inquiry } = ask;
  const posted = await post({
    url: notifier.url,
    body: JSON.stringify(note),
    ...(secret === undefined ? {} : { secret }),
    headers: {
      'user-agent': `reins/${ports.version}`,
      'reins-notification': note.id,
      'reins-type': note.type,
      'reins-attempt': String(attempt),
    },
    timeoutMs: notifier.timeoutMs,
    signal,
    now: ports.now(),
  });
  if ('trouble' in posted) return { how: 'failed', reason: posted.trouble, again: !signal.aborted };
  const trouble = statusTrouble(posted);
  if (trouble) return trouble;
  const told: Delivered = { how: 'told', detail: `status ${posted.status}` };
  const ticket = note.answer?.ticket;
  if (!inquiry || secret === undefined || ticket === undefined) return told;
  if (posted.isCut) return { how: 'wrong', reason: 'it is too long' };
  const read = readBody(posted.body, inquiry);
  if ('none' in read) return posted.status === 202 ? { how: 'held', againMs: heldMs(posted) } : told;
  const wrong = whyNotOurs(posted, { secret, ticket, now: ports.now() });
  return wrong === undefined ? delivered(read, told.detail) : { how: 'wrong', reason: wrong };
}

/** Signed by who shares the secret, now, for the ticket of this inquiry. */
function whyNotOurs(
  { signature, body }: Extract<Posted, { status: number }>,
  of: { secret: string; ticket: string; now: number },
): string | undefined {
  const { secret, ticket, now } = of;
  const unsigned = whyUnsigned(signature, { secret, text: { body, ticket }, now });
  if (unsigned !== undefined) return unsigned;
  const said = ticketIn(body);
  return typeof said === 'string' && same(said, ticket) ? undefined : 'its ticket is another one’s';
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function delivered(read: ReadGiven, detail: string): Delivered {
  if ('none' in read) return { how: 'told', detail };
  return 'wrong' in read ? { how: 'wrong', reason: read.wrong } : { how: 'answered', given: read.given };
}

function statusTrouble(posted: Extract<Posted, { status: number }>): Delivered | undefined {
  const { status, retryAfterSecs, location } = posted;
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) {
    const where = location && URL.canParse(location) ? ` to ${new URL(location).host}` : '';
    return {
      how: 'failed',
      reason: `status ${status}: it redirects${where}, and redirects are not followed`,
      fix: 'write the address it redirects to, if you trust it',
      again: false,
    };
  }
  const again = status >= 500 || AGAIN_STATUS.has(status);
  const later =
    again && retryAfterSecs !== undefined ? Math.min(retryAfterSecs, MOST_RETRY_AFTER_SECS) * 1000 : undefined;
  return { how: 'failed', reason: `status ${status}`, again, ...(later === undefined ? {} : { againMs: later }) };
}

const heldMs = ({ retryAfterSecs = USUAL_HELD_SECS }: Extract<Posted, { status: number }>): number =>
  Math.min(Math.max(retryAfterSecs, LEAST_HELD_SECS), MOST_HELD_SECS) * 1000;

/** The secret, undefined where none is wanted, or why it cannot be had. */
export function secretOf({ secret }: WebhookNotifier, env: Env): string | undefined | { reason: string; fix: string } {
  if (secret === undefined) return undefined;
  if ('text' in secret) return secret.text;
  if ('env' in secret) {
    const value = env[secret.env];
    return value
      ? longEnough(value, secret.env)
      : { reason: `${secret.env} is not set`, fix: `set ${secret.env} where the session is started` };
  }
  const file = fileOf(secret.file);
  try {
    const text = readFileSync(file, 'utf8').slice(0, MOST_SECRET_BYTES).trim();
    return text ? longEnough(text, file) : { reason: `${file} is empty`, fix: 'put the secret into it' };
  } catch (error) {
    return { reason: `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`, fix: 'check secret_file' };
  }
}

/** As the schema asks of one that is written down: a shorter one is guessed. */
const longEnough = (secret: string, where: string): string | { reason: string; fix: string } =>
  secret.length >= SHORTEST_SECRET
    ? secret
    : { reason: `${where} is shorter than ${SHORTEST_SECRET} characters`, fix: 'put a longer secret there' };

/** Never the project's folder: the agent writes there. */
const fileOf = (file: string): string =>
  file.startsWith('~/') ? join(homedir(), file.slice(2)) : isAbsolute(file) ? file : join(homedir(), file);
