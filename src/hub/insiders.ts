/**
 * What runs inside a session has nothing from the hub: an agent could write an offer for itself, read a key, or drive a browser, and say
 * yes to its own question. Asked once for each connection, before anything it says is heard. A hub that is itself inside a session
 * asks nobody: no host believes it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CODES, ReinsError } from '../contract/index.js';
import { insideOf } from '../proc/inside.js';
import { peerInside } from '../proc/tcp-peer.js';
import { safeHeaders } from './headers.js';

export class Insiders {
  readonly #judged = new WeakMap<object, boolean>();
  readonly #asks = insideOf(process.pid) === undefined;
  readonly #say: (why: string) => void;

  constructor(say: (why: string) => void) {
    this.#say = say;
  }

  has({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
    if (!this.#asks) return false;
    const known = this.#judged.get(socket);
    if (known !== undefined) return known;
    const inside = peerInside(socket);
    this.#judged.set(socket, inside !== undefined);
    if (inside) this.#say(`${inside.why}${inside.session ? `, session ${inside.session}` : ''}`);
    return inside !== undefined;
  }

  /** The whole answer. */
  refuse(response: ServerResponse): void {
    const { code, message, hint } = new ReinsError('FROM_INSIDE', {});
    const headers = { ...safeHeaders({ secure: false }), 'cache-control': 'no-store', connection: 'close' };
    response.writeHead(CODES[code].http, { ...headers, 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code, message, hint } }));
  }
}
