/**
 * One POST. Bounded in time and in what is read of the response, never follows a redirect: whoever answers elsewhere was not
 * chosen by the user. Contract: resolves, never rejects.
 */
import type { IncomingMessage } from 'node:http';
import { MOST_ANSWER } from './given.js';
import { SIGNATURE_HEADER, sign } from './signature.js';

export interface Post {
  url: string;
  body: string;
  /** Signs it; without one it is not signed. */
  secret?: string;
  headers: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
  now: number;
}

export type Posted =
  | { status: number; body: Uint8Array; isCut: boolean; signature?: string; retryAfterSecs?: number; location?: string }
  | { trouble: string };

export async function post(asked: Post): Promise<Posted> {
  const url = new URL(asked.url);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const body = Buffer.from(asked.body);
  const headers: Record<string, string> = {
    ...asked.headers,
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...(asked.secret === undefined ? {} : { [SIGNATURE_HEADER]: sign(asked.secret, { body }, asked.now) }),
  };
  // All of it, from the look-up of the name to the last byte.
  const late = AbortSignal.timeout(asked.timeoutMs);
  const signal = AbortSignal.any([asked.signal, late]);
  try {
    return await new Promise<Posted>((resolve, reject) => {
      // No agent: a connection kept open would keep the host from ending.
      const sent = request(url, { method: 'POST', headers, signal, agent: false }, (response) => {
        readSome(response).then(({ bytes, isCut }) => {
          resolve({ status: response.statusCode ?? 0, body: bytes, isCut, ...factsOf(response) });
          sent.destroy();
        }, reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  } catch (error) {
    if (late.aborted) return { trouble: `no response within ${Math.round(asked.timeoutMs / 1000)} s` };
    return { trouble: asked.signal.aborted ? 'called off' : troubleOf(error) };
  }
}

async function readSome(response: IncomingMessage): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size > MOST_ANSWER) return { bytes: new Uint8Array(), isCut: true };
  }
  return { bytes: Buffer.concat(parts), isCut: false };
}

function factsOf({ headers }: IncomingMessage): { signature?: string; retryAfterSecs?: number; location?: string } {
  const signature = headers[SIGNATURE_HEADER];
  const after = /^\d{1,6}$/.exec(headers['retry-after'] ?? '');
  return {
    ...(typeof signature === 'string' ? { signature } : {}),
    ...(after ? { retryAfterSecs: Number(after[0]) } : {}),
    ...(headers.location === undefined ? {} : { location: headers.location }),
  };
}

/** A code where there is one: messages of look-ups and certificates name hosts, and some the whole address. */
function troubleOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message.slice(0, 100);
}
