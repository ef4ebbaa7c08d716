/**
 * One message to one push service: encrypted for its device and signed by the hub's key (`web-push` does both), then sent from
 * here, because where it goes is the browser's word: the name is looked up once, what it means must lie outside, and the
 * connection goes to exactly that address. No redirect is followed, little is read. Contract: resolves, never rejects.
 */
import { lookup } from 'node:dns/promises';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { once } from '../../contract/index.js';
import { isInside } from './addresses.js';
import { checkEndpoint } from './endpoints.js';
import type { VapidKeys } from './keys.js';

export interface PushSend {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  payload: string;
  ttlSecs: number;
  urgency: 'low' | 'normal' | 'high';
  /** What was not delivered yet and has the same one is replaced. */
  topic?: string;
}

export type PushReceipt =
  | { status: number; retryAfterSecs?: number; said?: string }
  /** It was not sent, or nothing came back. `again`: that may change by itself. */
  | { trouble: string; again: boolean };

export interface PushSenderOptions {
  keys: VapidKeys;
  /** `hub.push_hosts`. */
  hosts: readonly string[];
  /** Who sends, for the service to complain to: an address of the web, or `mailto:`. */
  subject: string;
  /** Names to addresses; another one in tests. */
  resolve?: (name: string) => Promise<{ address: string; family: number }[]>;
  /** A certificate to trust besides those of the system, in tests. */
  ca?: string;
}

const WITHIN_MS = 20_000;
const MOST_SAID = 500;
const loadWebPush = once(async () => (await import('web-push')).default);

export class PushSender {
  readonly #options: PushSenderOptions;
  constructor(options: PushSenderOptions) {
    this.#options = options;
  }

  /** Why nothing may be sent there, before anything is. */
  refuses(endpoint: string): string | undefined {
    const checked = checkEndpoint(endpoint, this.#options.hosts);
    return 'refused' in checked ? checked.refused : undefined;
  }

  async send(asked: PushSend, signal: AbortSignal): Promise<PushReceipt> {
    const { keys: vapid, subject, hosts } = this.#options;
    const checked = checkEndpoint(asked.endpoint, hosts);
    if ('refused' in checked) return { trouble: checked.refused, again: false };
    const late = AbortSignal.timeout(WITHIN_MS);
    try {
      const pinned = await this.#addressOf(checked.url.hostname, checked.mayBeInside);
      if ('trouble' in pinned) return pinned;
      const webPush = await loadWebPush();
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint: asked.endpoint, keys: asked.keys },
        asked.payload,
        {
          vapidDetails: { subject, ...vapid },
          TTL: asked.ttlSecs,
          urgency: asked.urgency,
          ...(asked.topic === undefined ? {} : { topic: asked.topic }),
        },
      );
      return await post(checked.url, {
        headers,
        body,
        pinned,
        ca: this.#options.ca,
        signal: AbortSignal.any([signal, late]),
      });
    } catch (error) {
      if (late.aborted) return { trouble: `no answer within ${WITHIN_MS / 1000} s`, again: true };
      const { code, message } = error as NodeJS.ErrnoException;
      return { trouble: code ?? message.slice(0, MOST_SAID), again: code !== undefined && !signal.aborted };
    }
  }

  async #addressOf(host: string, mayBeInside: boolean): Promise<PinnedAddress | { trouble: string; again: false }> {
    const literal = host.replace(/^\[|\]$/g, '');
    const family = isIP(literal);
    const found = family
      ? [{ address: literal, family }]
      : await (this.#options.resolve ?? ((name) => lookup(name, { all: true })))(host);
    // One inside is enough: a name that means both is no push service.
    if (found.length === 0 || (!mayBeInside && found.some(({ address }) => isInside(address))))
      return { trouble: `${host} is an address inside, and not written as one`, again: false };
    return found[0]!;
  }
}

interface PinnedAddress {
  address: string;
  family: number;
}

interface PostAsk {
  headers: Record<string, unknown>;
  body: Buffer | null;
  pinned: PinnedAddress;
  ca: string | undefined;
  signal: AbortSignal;
}

function post(url: URL, { headers, body, pinned, ca, signal }: PostAsk): Promise<PushReceipt> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: headers as Record<string, string>,
      signal,
      agent: false as const,
      ...(ca === undefined ? {} : { ca }),
      lookup: ((_name, { all }, found) =>
        all ? found(null, [pinned]) : found(null, pinned.address, pinned.family)) satisfies NonNullable<
        import('node:net').TcpNetConnectOpts['lookup']
      >,
    };
    const sent = request(url, options, (response) => {
      let said = '';
      const over = () => {
        const after = /^\d{1,6}$/.exec(response.headers['retry-after'] ?? '')?.[0];
        resolve({
          status: response.statusCode ?? 0,
          ...(after === undefined ? {} : { retryAfterSecs: Number(after) }),
          ...(said === '' ? {} : { said }),
        });
        sent.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        said = (said + part).slice(0, MOST_SAID);
        if (said.length === MOST_SAID) over();
      });
      response.on('end', over);
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}
