/**
 * Under which names this hub may be asked for, and which pages may ask. A page of another site can make a browser send what it
 * likes to 127.0.0.1, and can bend a name of its own to that address (DNS rebinding): so `Host` must be one of ours, and where a
 * browser says which page asks (`Origin`, `Sec-Fetch-Site`), that page must be ours too. Loopback gives no right, and what a
 * tunnel says in front of it (`X-Forwarded-…`) is not believed: whether an address is https is ours to know.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface HubOrigin {
  /** As in `Host`, with its port unless that is the scheme's own. */
  host: string;
  /** As in `Origin`. */
  origin: string;
  secure: boolean;
}

export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(
    host.replace(/:\d+$/, (port) => (isIP(host) === 6 ? port : '')),
  );

const ANY = new Set(['0.0.0.0', '::', '[::]']);

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

export class HubOrigins {
  readonly #known = new Map<string, HubOrigin>();
  /** The one that is printed. */
  readonly main: HubOrigin;
  readonly local: HubOrigin;

  constructor({ host, port, url, tls }: { host: string; port: number; url?: string; tls: boolean }) {
    const scheme = tls ? 'https' : 'http';
    const bound = ANY.has(host) ? ownAddresses() : [host];
    for (const name of new Set([...bound, '127.0.0.1', 'localhost', '::1']))
      this.#add(`${scheme}://${bracketed(name)}:${port}`);
    const first = ANY.has(host) ? '127.0.0.1' : host;
    this.local = this.#known.get(new URL(`${scheme}://${bracketed(first)}:${port}`).host)!;
    this.main = url === undefined ? this.local : this.#add(url);
  }

  #add(address: string): HubOrigin {
    const { host, origin, protocol } = new URL(address);
    const one = { host, origin, secure: protocol === 'https:' };
    this.#known.set(host, one);
    return one;
  }

  /** Undefined: not ours. */
  of(host: string | undefined): HubOrigin | undefined {
    return host === undefined ? undefined : this.#known.get(host.toLowerCase());
  }
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address.split('%')[0]!));
}

/** What a browser says about the page that asks. */
export interface AskingPage {
  method: string;
  origin: string | undefined;
  /** `Sec-Fetch-Site`, `-Mode`, `-Dest`; undefined where it is no browser, or an old one. */
  site: string | undefined;
  mode: string | undefined;
  dest: string | undefined;
}

/** Whether this page may ask that: ours always; another one may only lead a person here. */
export function isOwnPage(page: AskingPage, ours: HubOrigin, what: 'api' | 'page'): boolean {
  const reads = page.method === 'GET' || page.method === 'HEAD';
  if (page.origin !== undefined ? page.origin !== ours.origin : !reads) return false;
  if (page.site === undefined || page.site === 'same-origin' || page.site === 'none') return true;
  // Another port of this machine is "same-site" to a browser: no better than any other.
  return what === 'page' && reads && page.mode === 'navigate' && page.dest === 'document';
}
