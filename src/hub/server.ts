/**
 * The port: HTTP or HTTPS, and the one upgrade there is. A socket is let in by a ticket in its protocols and by its `Origin`; it
 * is ours to close when its device is let out. Heads and bodies that dribble in, and too many of anything, are ended here.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Log, ReinsError } from '../contract/index.js';
import { PAGE_PROTOCOL } from '../contract/page.js';
import type { Callers } from './callers.js';
import type { Devices } from './devices.js';
import type { InFlight } from './limits.js';
import type { HubOrigins } from './origins.js';
import { CLOSE } from './page.js';
import type { Pages } from './pages.js';
import type { Tickets } from './tickets.js';
import { judgeUpgrade } from './upgrade.js';

/** Keys, and words about what is seen: what is larger goes by HTTP. */
const MOST_FRAME = 256 * 1024;
/** Of everybody; how many of one is said in `callers.ts`. */
const MOST_CONNECTIONS = 2000;
const LINGER_MS = 1_000;

export interface Bind {
  host: string;
  port: number;
  tls?: { cert: string; key: string };
  /** Milliseconds for a head, a whole request, and between two looks; for tests. */
  patience?: { headersTimeout: number; requestTimeout: number; connectionsCheckingInterval: number };
}

/** Heads and bodies that dribble in take a connection each: they are cut. */
const PATIENCE = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };

/** Contract: throws HUB_UNBOUND. Nothing is answered before `begin`. */
export async function listen({ host, port, tls, patience = PATIENCE }: Bind): Promise<Server> {
  const limits = { ...patience, keepAliveTimeout: 15_000, maxHeaderSize: 16_384 };
  const server = tls
    ? (createTls({ ...limits, ...tls, handshakeTimeout: 10_000 }) as unknown as Server)
    : createServer(limits);
  server.maxConnections = MOST_CONNECTIONS;
  server.maxRequestsPerSocket = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(unbound(error, host, port)));
    server.listen(port, host, resolve);
  });
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function unbound(error: NodeJS.ErrnoException, host: string, port: number): ReinsError {
  const why: Record<string, string> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user may not',
    EADDRNOTAVAIL: 'this machine has no such address',
  };
  const reason = why[error.code ?? ''] ?? error.message;
  return new ReinsError('HUB_UNBOUND', { address: `${host}:${port}`, reason }, { cause: error });
}

export interface ServeParts {
  server: Server;
  fetch: (request: Request, of: { incoming: IncomingMessage }) => Response | Promise<Response>;
  callers: Callers;
  origins: HubOrigins;
  tickets: Tickets;
  devices: Devices;
  busy: InFlight;
  pages: Pages;
  log: Log;
}

export interface Serving {
  /** Says goodbye to every page and ends every connection. */
  close(): Promise<void>;
  sockets(): number;
}

export function begin({ server, fetch, callers, origins, tickets, devices, busy, pages, log }: ServeParts): Serving {
  const sockets = new Map<WebSocket, string>();
  const door = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_FRAME,
    perMessageDeflate: false,
    handleProtocols: () => PAGE_PROTOCOL,
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const judged = judgeUpgrade(request, { origins, tickets, devices, callers, open: [...sockets.values()] });
    if ('refused' in judged) {
      stream.end(`HTTP/1.1 ${judged.refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      setTimeout(() => stream.destroy(), LINGER_MS).unref();
      return;
    }
    const { device } = judged;
    callers.upgraded(request.socket);
    door.handleUpgrade(request, stream, head, (socket) => {
      sockets.set(socket, device.id);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', (error) => log.log('debug', 'a socket failed', { device: device.id, reason: error.message }));
      try {
        pages.accept(socket, device);
      } catch (error) {
        log.log('error', 'a socket was not taken', { device: device.id, reason: (error as Error).message });
        socket.close(1011);
      }
    });
  });
  server.on('connection', (socket: Socket) => callers.came(socket));
  const answer = getRequestListener((request, of) => fetch(request, of as { incoming: IncomingMessage }), {
    overrideGlobalObjects: false,
  });
  server.on('request', (request, response) => void answer(request, response));
  server.on('clientError', (_error, socket) => socket.destroy());
  devices.onChange(({ what, device, at }) => {
    if (what === 'out') {
      busy.callOff(device.id);
      pages.out(device.id, at);
      // Also what is no page, or none yet.
      for (const [socket, id] of sockets) if (id === device.id) dismiss(socket);
    }
    pages.tell(`${device.name} ${NOTES[what]}`, at, device);
  });
  return {
    sockets: () => sockets.size,
    async close() {
      pages.close();
      for (const socket of sockets.keys()) socket.close(1001, 'the hub ends');
      const gone = new Promise<void>((resolve) => server.close(() => resolve()));
      const cut = setTimeout(() => {
        for (const socket of sockets.keys()) socket.terminate();
        server.closeAllConnections();
      }, LINGER_MS / 2);
      server.closeIdleConnections();
      await gone;
      clearTimeout(cut);
    },
  };
}

const NOTES = { in: 'was let in', out: 'was let out', renamed: 'is the new name of a device' } as const;

/** Its page was told first, so that it can say so. */
function dismiss(socket: WebSocket): void {
  socket.close(CLOSE.revoked, 'let out');
  setTimeout(() => socket.terminate(), LINGER_MS).unref();
}
