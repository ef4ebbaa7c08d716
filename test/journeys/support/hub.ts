/** A real hub (`reins serve`), devices that were let in, and pages as a program speaks for them: cookies, tickets, sockets. */
import { join } from 'node:path';
import { WebSocket } from 'ws';
import {
  HUB_ROUTES,
  type PageDown,
  type PageUp,
  packBytes,
  type RouteArgs,
  type RouteName,
  type RouteResult,
  unpackBytes,
} from '../../../src/contract/page.js';
import { type Running, reins, startReins } from './cli.js';
import { until } from './wait.js';
import type { World } from './world.js';

/** Sessions started from a page get the environment of the login shell: this one says the world's, and what is told besides. */
export function loginShell(world: World, more: Record<string, string> = {}): void {
  const exports = Object.entries({ ...world.env, ...more });
  const profile = exports.map(([name, value]) => `export ${name}='${value}'\n`).join('');
  for (const file of ['.bash_profile', '.profile', '.zprofile']) world.write(join(world.env.HOME!, file), profile);
}

type OfType<T extends PageDown['t']> = Extract<PageDown, { t: T }>;

export class TestHub {
  readonly world: World;
  running: Running;
  url = '';

  private constructor(world: World, running: Running) {
    this.world = world;
    this.running = running;
  }

  static async start(world: World, port = 0): Promise<TestHub> {
    const running = startReins(world, ['serve', '--json', '--no-pair', '--port', String(port)]);
    const hub = new TestHub(world, running);
    await hub.#listens();
    return hub;
  }

  async #listens(): Promise<void> {
    const said = await until(
      'the hub listens',
      () => this.running.stdout.includes('\n') && this.running.stdout,
      () => this.running.stderr,
    );
    this.url = (JSON.parse(said) as { url: string }).url;
  }

  /** Another one in its place, on the same port. */
  async again(): Promise<void> {
    const port = new URL(this.url).port;
    this.running = startReins(this.world, ['serve', '--json', '--no-pair', '--port', port]);
    await this.#listens();
  }

  /** Its log, for a test that fails. */
  get log(): string {
    return this.running.stderr;
  }

  async kill(): Promise<void> {
    this.running.signal('SIGKILL');
    await this.running.done;
  }

  async close(): Promise<void> {
    this.running.signal('SIGTERM');
    await this.running.done;
  }

  async device(scope = 'admin', more: string[] = []): Promise<TestDevice> {
    const { stdout, stderr } = await reins(this.world, ['pair', '--json', '--scope', scope, ...more]);
    const secret = /#([^"\s]+)/.exec(stdout)?.[1];
    if (secret === undefined) throw new Error(`no pairing link: ${stdout}${stderr}`);
    const device = new TestDevice(this);
    await device.pair(secret);
    return device;
  }
}

export class TestDevice {
  readonly hub: TestHub;
  cookie = '';

  constructor(hub: TestHub) {
    this.hub = hub;
  }

  async pair(secret: string): Promise<void> {
    const response = await fetch(`${this.hub.url}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.hub.url },
      body: JSON.stringify({ secret, name: 'a test' }),
    });
    if (!response.ok) throw new Error(`not let in: ${await response.text()}`);
    this.cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  }

  request(name: RouteName, { id = '', args = {} }: { id?: string; args?: object } = {}): Promise<Response> {
    const { method, path } = HUB_ROUTES[name];
    const query =
      method === 'GET'
        ? `?${new URLSearchParams(Object.entries(args).map(([name, value]): [string, string] => [name, String(value)]))}`
        : '';
    return fetch(`${this.hub.url}${path.replace(':id', id)}${query}`, {
      method,
      headers: { cookie: this.cookie, origin: this.hub.url, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify(args) } : {}),
    });
  }

  async ask<K extends RouteName>(name: K, ask: { id?: string; args?: RouteArgs<K> } = {}): Promise<RouteResult<K>> {
    const response = await this.request(name, ask as { id?: string; args?: object });
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    return (await response.json()) as RouteResult<K>;
  }

  async page(visible = true): Promise<TestPage> {
    const { ticket } = await this.ask('ticket');
    const page = new TestPage(
      new WebSocket(`${this.hub.url.replace('http', 'ws')}/ws`, ['reins.1', ticket], { origin: this.hub.url }),
    );
    await page.open;
    page.say({ t: 'hello', visible });
    await page.next('hello');
    return page;
  }
}

export class TestPage {
  readonly socket: WebSocket;
  readonly heard: PageDown[] = [];
  readonly bytes: { kind: string; ch: number; bytes: Uint8Array; offset: number; at: number }[] = [];
  readonly open: Promise<void>;
  closed: { code: number; reason: string } | undefined;
  /** Says at once that what came was drawn. */
  draws = true;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.open = new Promise((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) {
        const down = JSON.parse(data.toString()) as PageDown;
        this.heard.push(down);
        if (down.t === 'ping') this.say({ t: 'pong' });
        return;
      }
      const read = unpackBytes(data);
      if (!read) throw new Error('bytes nobody understands');
      this.bytes.push({ ...read, at: this.heard.length });
      if (this.draws) this.say({ t: 'drawn', ch: read.ch, bytes: read.bytes.length });
    });
  }

  say(up: PageUp): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(up));
  }

  keys(ch: number, text: string): void {
    this.socket.send(packBytes('keys', ch, Buffer.from(text)));
  }

  all<T extends PageDown['t']>(t: T): OfType<T>[] {
    return this.heard.filter((one) => one.t === t) as OfType<T>[];
  }

  next<T extends PageDown['t']>(t: T, fits: (one: OfType<T>) => boolean = () => true): Promise<OfType<T>> {
    return until(
      `a message ${t}`,
      () => this.all(t).find(fits),
      () => JSON.stringify(this.heard.map((one) => one.t)),
    );
  }

  entries(ch: number) {
    return this.all('entries')
      .filter((one) => one.ch === ch)
      .flatMap(({ entries }) => entries);
  }

  shown(ch: number): string {
    return Buffer.concat(this.bytes.filter((one) => one.ch === ch).map(({ bytes }) => bytes)).toString('utf8');
  }

  close(): void {
    this.socket.close();
  }
}
