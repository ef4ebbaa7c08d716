/** A hub's entry without a port, for tests: real devices and sessions on a real disk, and requests as a browser sends them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { HandClock, type Log } from '../contract/index.js';
import { type DeviceScope, HUB_ROUTES, type RouteArgs, type RouteName } from '../contract/page.js';
import { createApp } from './app.js';
import { cookieName } from './cookies.js';
import { Devices } from './devices.js';
import type { HubHandlers } from './handlers.js';
import { InFlight } from './limits.js';
import { makeOffer } from './offers.js';
import { HubOrigins } from './origins.js';
import { ownHandlers } from './own-handlers.js';
import { StaticFiles } from './static.js';
import { Tickets } from './tickets.js';

export const HOST = '127.0.0.1:7433';
export const ORIGIN = `http://${HOST}`;
export const MARK = 'abcdef01';

const key = 'key-12345678';

/** What each route takes, as little as it takes. */
export const ARGS: { [K in RouteName]: RouteArgs<K> } = {
  pair: { secret: 'x' },
  'pair-look': { secret: 'x' },
  me: {},
  ticket: {},
  sessions: {},
  session: {},
  start: { cwd: '/', key },
  plan: { cwd: '/' },
  entries: {},
  screen: {},
  inbox: {},
  card: {},
  answer: { digest: 'x' },
  message: { text: 'x', key },
  queue: { do: 'cancel', key },
  keys: { keys: 'Esc' },
  interrupt: {},
  pause: {},
  resume: {},
  stop: {},
  kill: {},
  guide: { text: 'x', key },
  continue: { key },
  model: { model: 'x' },
  agents: {},
  folders: {},
  policy: {},
  devices: {},
  invite: { right: 'view' },
  rename: { name: 'x' },
  revoke: {},
  push: {},
  subscribe: {},
  unsubscribe: {},
  'push-test': {},
};

interface TestHubOptions {
  url?: string;
  port?: number;
  /** Instead of those that only note that they were reached. */
  handlers?: Partial<HubHandlers>;
}

export function testHub({ handlers: given = {}, ...options }: TestHubOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'hub-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: root, HOME: root };
  const clock = new HandClock();
  const logged: { level: string; msg: string; facts: object }[] = [];
  const log: Log = { log: (level, msg, facts = {}) => void logged.push({ level, msg, facts }), room: () => log };
  const where = { env, cwd: '/', version: '0.0.0' };
  const devices = new Devices({ env, clock, log });
  onTestFinished(() => devices.close());
  const origins = new HubOrigins({ host: '127.0.0.1', port: 7433, tls: false, ...options });
  const tickets = new Tickets(clock);
  const name = 'test';
  const own = ownHandlers({ where, clock, devices, tickets, origins, name });
  const reached: string[] = [];
  const others = Object.fromEntries(
    Object.keys(HUB_ROUTES).map((route) => [
      route,
      () => {
        reached.push(route);
        return { ok: true };
      },
    ]),
  ) as unknown as HubHandlers;
  const files = new StaticFiles(join(root, 'no page'));
  const handlers = { ...others, ...own, ...given };
  const busy = new InFlight();
  // Nobody is at the other end of these requests.
  const callers = { admit: () => undefined };
  const app = createApp({ where, clock, log, origins, devices, callers, busy, handlers, files, mark: MARK, name });

  const paired = (scope: Partial<DeviceScope> & { name?: string; expires_at?: string } = {}) => {
    const { device, cookie } = devices.add({ right: 'admin', namespaces: ['*'], name: 'one', ...scope });
    return { device, cookie: `${cookieName(MARK, false)}=${cookie}` };
  };
  const ask = (path: string, init: RequestInit & { cookie?: string } = {}) => {
    const { cookie, headers = {}, ...rest } = init;
    const own = {
      host: HOST,
      ...(init.method === undefined ? {} : { origin: ORIGIN }),
      ...(cookie === undefined ? {} : { cookie }),
    };
    return app.request(path, { ...rest, headers: { ...own, ...headers } });
  };
  /** By the table: with these arguments, in the query or the body. */
  const call = (
    route: RouteName,
    of: { id?: string; cookie?: string; args?: object; headers?: Record<string, string> } = {},
  ) => {
    const { method, path } = HUB_ROUTES[route];
    const args = of.args ?? ARGS[route];
    const at = path.replace(':id', of.id ?? '');
    const query =
      method === 'GET'
        ? `?${new URLSearchParams(Object.entries(args).map(([name, value]): [string, string] => [name, String(value)]))}`
        : '';
    const body = method === 'POST' ? { body: JSON.stringify(args) } : {};
    const headers = { ...(method === 'POST' ? { 'content-type': 'application/json' } : {}), ...of.headers };
    return ask(`${at}${query}`, {
      method,
      ...body,
      headers,
      ...(of.cookie === undefined ? {} : { cookie: of.cookie }),
    });
  };
  /** A session's folder, as far as the hub looks. */
  const session = (id: string, namespace?: string) => {
    const dir = join(root, 'reins', 'sessions', id);
    mkdirSync(dir, { recursive: true });
    const spec = {
      id,
      name: id,
      mode: 'autonomous',
      trust: 'guarded',
      cwd: '/',
      created_at: new Date(0).toISOString(),
    };
    writeFileSync(
      join(dir, 'session.json'),
      JSON.stringify({ ...spec, ...(namespace === undefined ? {} : { namespace }) }),
    );
  };
  const offer = (of: Partial<DeviceScope> & { name?: string; lasts_ms?: number } = {}) =>
    makeOffer(env, { right: 'admin', namespaces: ['*'], ...of }, clock.now());
  return {
    root,
    env,
    clock,
    logged,
    devices,
    callers,
    busy,
    tickets,
    origins,
    app,
    reached,
    paired,
    ask,
    call,
    session,
    offer,
  };
}

/** What of an answer somebody could tell two cases apart by. */
export async function seen(reply: Response | Promise<Response>, id: string): Promise<string> {
  const { status, headers, ...rest } = await reply;
  void rest;
  const body = await (await reply).text();
  return JSON.stringify([status, [...headers], body]).replaceAll(id, 'ID');
}
