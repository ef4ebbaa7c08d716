/**
 * Who sent it, and when: `t=SECONDS,v1=HEX`, an HMAC-SHA256 over the time, for an answer its ticket too, and the exact bytes.
 * What we send and what comes back are signed over different texts, so that neither can be played back as the other.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_HEADER = 'reins-signature';

/** How far a server's clock may be off, and how old an answer may be. */
export const WINDOW_SECS = 300;

export interface SignedText {
  body: string | Uint8Array;
  /** Of an answer: the one-use right it was given for. */
  ticket?: string;
}

export function sign(secret: string, text: SignedText, now: number): string {
  const t = Math.floor(now / 1000);
  return `t=${t},v1=${macOf(secret, text, t)}`;
}

/** Why it does not count, or undefined. */
export function whyUnsigned(
  header: string | undefined,
  of: { secret: string; text: SignedText; now: number },
): string | undefined {
  if (header === undefined) return 'it is not signed';
  const [, seconds, mac] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header.trim()) ?? [];
  if (seconds === undefined || mac === undefined) return `its ${SIGNATURE_HEADER} is not t=SECONDS,v1=HEX`;
  const t = Number(seconds);
  const expected = Buffer.from(macOf(of.secret, of.text, t), 'hex');
  if (!timingSafeEqual(expected, Buffer.from(mac, 'hex'))) return 'its signature is wrong';
  if (Math.abs(of.now / 1000 - t) > WINDOW_SECS) return `its time is more than ${WINDOW_SECS} s off`;
  return undefined;
}

function macOf(secret: string, { body, ticket }: SignedText, t: number): string {
  const hmac = createHmac('sha256', secret).update(ticket === undefined ? `${t}.` : `answer.${t}.${ticket}.`);
  return hmac.update(body).digest('hex');
}
