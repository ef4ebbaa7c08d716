/**
 * The same over HTTP, on loopback alone and with a key of its own: one message in the body of a POST, its answer in the
 * reply. A page in a browser must not reach it: `Host` has to be ours (no name that was bent to loopback), an `Origin` too.
 * Nor must what runs inside a session, with whatever key: the hosts believe this process, which is outside.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CODES, ReinsError } from '../contract/index.js';
import { PeersInside } from '../proc/tcp-peer.js';
import { type McpServer, parseError } from './server.js';

const MOST_BODY = 4 * 1024 * 1024;

export interface HttpServer {
  url: string;
  close(): Promise<void>;
}

export async function serveHttp(options: { server: McpServer; key: string; port: number }): Promise<HttpServer> {
  const { server, key, port } = options;
  const peers = new PeersInside();
  const http = createHttp((request, response) => {
    if (peers.of(request.socket).inside) return reply(response, CODES.FROM_INSIDE.http, INSIDE);
    const { port: ours } = http.address() as AddressInfo;
    const left = new AbortController();
    response.once('close', () => left.abort()); // after its answer, too: then nobody listens
    void answer(request, { server, key, port: ours, left: left.signal }).then(
      ({ status, body }) => reply(response, status, body),
      () => reply(response, 500),
    );
  });
  // `session_wait` may take an hour; a head or a body that dribbles in may not.
  http.headersTimeout = 10_000;
  http.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close();
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

const { code, message, hint } = new ReinsError('FROM_INSIDE', {
  server: 'this server of tools',
  fix: 'an agent in a session has `reins mcp` started for itself, without --http',
});
const INSIDE = { error: { code, message, hint } };

interface HttpReply {
  status: number;
  body?: object;
}

async function answer(
  request: IncomingMessage,
  { server, key, port, left }: { server: McpServer; key: string; port: number; left: AbortSignal },
): Promise<HttpReply> {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin, authorization = '' } = request.headers;
  if (host === undefined || !hosts.includes(host)) return { status: 403 };
  if (origin !== undefined && !hosts.some((one) => origin === `http://${one}`)) return { status: 403 };
  if (!isKey(authorization, key)) return { status: 401 };
  if (request.url !== '/mcp') return { status: 404 };
  if (request.method !== 'POST') return { status: 405 };
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return { status: 415 };
  const body = await read(request);
  if (body === undefined) return { status: 413 };
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return { status: 400, body: parseError };
  }
  const owed = await server.take(message, left);
  return owed ? { status: 200, body: owed } : { status: 202 };
}

/** In the same time whatever is wrong with it. */
function isKey(authorization: string, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${key}`));
}

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, body?: object): void {
  const head = { 'cache-control': 'no-store', ...(body ? { 'content-type': 'application/json' } : {}) };
  response.writeHead(status, { ...head, ...(status === 413 || status === 403 ? { connection: 'close' } : {}) });
  response.end(body ? JSON.stringify(body) : undefined);
}
