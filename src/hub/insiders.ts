/**
 * What runs inside a session has nothing from the hub: an agent could write an offer for itself, read a key, or drive a browser, and say
 * yes to its own question. Asked once for each connection, before anything it says is heard.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CODES, ReinsError } from '../contract/index.js';
import { PeersInside } from '../proc/tcp-peer.js';
import { safeHeaders } from './headers.js';

const FIX = 'use a browser and a terminal that no session started';

export class Insiders {
  readonly #peers = new PeersInside();
  readonly #say: (why: string) => void;

  constructor(say: (why: string) => void) {
    this.#say = say;
  }

  has({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
    const { inside, isNew } = this.#peers.of(socket);
    if (inside && isNew) this.#say(`${inside.why}${inside.session ? `, session ${inside.session}` : ''}`);
    return inside !== undefined;
  }

  /** The whole answer. */
  refuse(response: ServerResponse): void {
    const { code, message, hint } = new ReinsError('FROM_INSIDE', { server: 'the hub', fix: FIX });
    const headers = { ...safeHeaders({ secure: false }), 'cache-control': 'no-store', connection: 'close' };
    response.writeHead(CODES[code].http, { ...headers, 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code, message, hint } }));
  }
}
