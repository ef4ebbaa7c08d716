/** A device without a browser: paired by a link, with its cookie, its socket, and requests written by hand. */
import { connect } from 'node:net';
import WebSocket from 'ws';
import { until } from './wait.js';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

/** What the hub says to these very bytes. */
export function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

export const rawGet = (url: string, target: string, head = '', method = 'GET'): Promise<string> =>
  raw(url, `${method} ${target} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n${head}\r\n`);

export class HubClient {
  readonly url: string;
  cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  static async pair(link: string): Promise<HubClient> {
    const [page, secret] = link.split('#') as [string, string];
    const client = new HubClient(new URL(page).origin);
    const reply = await client.post('/api/pair', { secret });
    if (reply.status !== 200) throw new Error(`not let in: ${reply.text}`);
    client.cookie = (reply.headers.get('set-cookie') ?? '').split(';')[0]!;
    return client;
  }

  get key(): string {
    return this.cookie.split('.').at(-1)!;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Reply> {
    const headers = { origin: this.url, ...(this.cookie ? { cookie: this.cookie } : {}), ...(init.headers as object) };
    const reply = await fetch(`${this.url}${path}`, { ...init, headers, redirect: 'manual' });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  }

  post(path: string, body: object): Promise<Reply> {
    return this.ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  }

  async ticket(): Promise<string> {
    return (JSON.parse((await this.post('/api/ticket', {})).text) as { ticket: string }).ticket;
  }

  async socket(): Promise<HubSocket> {
    const socket = new HubSocket(this.url, await this.ticket());
    await until('an open socket', () => socket.open || socket.refused !== undefined);
    return socket;
  }
}

export class HubSocket {
  readonly socket: WebSocket;
  readonly said: { t: string; [key: string]: unknown }[] = [];
  open = false;
  refused: string | undefined;
  closed: number | undefined;

  constructor(url: string, ticket: string, origin = url) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, ['reins.1', ticket], { origin });
    this.socket.on('open', () => {
      this.open = true;
    });
    this.socket.on('message', (data, isBinary) => {
      if (!isBinary) this.said.push(JSON.parse(String(data)));
    });
    this.socket.on('error', (error) => {
      this.refused = error.message;
    });
    this.socket.on('close', (code) => {
      this.closed = code;
    });
  }
}
