/**
 * Who is at the other end of each connection. Those who are not let in have room for so many together, and each device for so many of its own: whoever
 * opens more closes the oldest of theirs, so that nobody keeps anybody else out. Whether a program inside a session asks is looked
 * up for who shows a key, a ticket or a secret that fits: to look costs far more than to refuse.
 */
import type { Socket } from 'node:net';
import { ReinsError } from '../contract/index.js';
import type { Inside } from '../proc/inside.js';
import { PeersInside, type TcpEnds } from '../proc/tcp-peer.js';

/** Of all who are not let in, and of one device; sockets of pages are counted where they are let in. */
const MOST_STRANGERS = 400;
const MOST_OF_ONE = 64;

const STRANGER = '';

const FIX = 'use a browser and a terminal that no session started';

export interface CallersPorts {
  /** Why somebody was refused. */
  say(why: string): void;
  /** Another one in tests. */
  look?(socket: TcpEnds): Inside | undefined;
}

export class Callers {
  readonly #ports: CallersPorts;
  /** The oldest first. */
  readonly #of = new Map<string, Map<string, Socket>>();
  readonly #who = new Map<string, string>();
  readonly #peers: PeersInside;

  constructor(ports: CallersPorts) {
    this.#ports = ports;
    this.#peers = new PeersInside(ports.look);
  }

  /** A connection, before anything was said on it. */
  came(socket: Socket): void {
    const end = endOf(socket);
    this.#put(end, socket, STRANGER);
    socket.once('close', () => {
      if (this.#of.get(this.#who.get(end) ?? STRANGER)?.get(end) === socket) this.#take(end);
    });
  }

  /** It showed what lets this device in. Contract: throws FROM_INSIDE. */
  admit(socket: Socket | undefined, device: string): void {
    if (!socket || this.#isInside(socket)) throw new ReinsError('FROM_INSIDE', { server: 'the hub', fix: FIX });
    const end = endOf(socket);
    if (this.#who.get(end) === device) return;
    // Over TLS this is what speaks, and that is what is to be closed.
    const raw = this.#take(end);
    if (raw) this.#put(end, raw, device);
  }

  /** It is the socket of a page from now on. */
  upgraded(socket: Socket): void {
    this.#take(endOf(socket));
  }

  #isInside(socket: Socket): boolean {
    const { inside, isNew } = this.#peers.of(socket);
    if (inside && isNew) this.#ports.say(`${inside.why}${inside.session ? `, session ${inside.session}` : ''}`);
    return inside !== undefined;
  }

  #put(end: string, socket: Socket, who: string): void {
    const all = this.#of.get(who) ?? new Map<string, Socket>();
    this.#of.set(who, all.set(end, socket));
    this.#who.set(end, who);
    const [oldest] = all;
    if (all.size > (who === STRANGER ? MOST_STRANGERS : MOST_OF_ONE) && oldest) {
      this.#take(oldest[0]);
      oldest[1].destroy();
    }
  }

  #take(end: string): Socket | undefined {
    const who = this.#who.get(end) ?? STRANGER;
    const all = this.#of.get(who);
    const socket = all?.get(end);
    this.#who.delete(end);
    all?.delete(end);
    if (all?.size === 0) this.#of.delete(who);
    return socket;
  }
}

/** The same of what carries a connection and of what speaks on it. */
const endOf = ({ remoteAddress, remotePort }: TcpEnds): string => `${remoteAddress} ${remotePort}`;
