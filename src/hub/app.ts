/**
 * The hub's HTTP, made from the table of routes. Each request goes the same way: is it for us (`Host`), from our page (`Origin`),
 * whose is it (cookie), may they (right), do they see that session (scope), is it well said (schema) – and only then a handler.
 * What goes wrong is an error of the one table, with its status.
 */
import type { IncomingMessage } from 'node:http';
import { type Context, Hono } from 'hono';
import { allows, asReinsError, type Clock, CODES, type Log, ReinsError } from '../contract/index.js';
import { type EntryRoute, HUB_ROUTES, type HubRoute, type RouteName } from '../contract/page.js';
import type { Where } from '../sessions/index.js';
import type { Callers } from './callers.js';
import { cookieName, cookieText, readCookie } from './cookies.js';
import type { KnownDevice } from './device-files.js';
import type { Devices } from './devices.js';
import { type HubHandlers, whileIn } from './handlers.js';
import { safeHeaders } from './headers.js';
import { type InFlight, PairingBrake, Refusals } from './limits.js';
import { openapi } from './openapi.js';
import { type HubOrigin, type HubOrigins, isOwnPage } from './origins.js';
import { letIn, lookAtOffer, type PairingAsk } from './pairing.js';
import { readArgs } from './route-args.js';
import { inquiryFor, sessionFor } from './scope.js';
import type { StaticFiles } from './static.js';

export interface AppParts {
  where: Where;
  clock: Clock;
  log: Log;
  origins: HubOrigins;
  devices: Devices;
  /** Who is at the other end. */
  callers: Pick<Callers, 'admit'>;
  /** Whoever lets a device out calls off what runs for it. */
  busy: InFlight;
  /** What a handler is missing for is not there in this version. */
  handlers: Partial<HubHandlers>;
  files: StaticFiles;
  /** The hub's own mark in the name of its cookie, and its name for people. */
  mark: string;
  name: string;
}

/** Where a new key may come with the answer: asked once by each page that starts. */
const ROTATES = new Set<RouteName>(['me', 'ticket']);

/** Not let in yet, but by a secret that fits. */
const NOBODY_YET = 'pairing';

interface HubEnv {
  Bindings: { incoming?: IncomingMessage };
  Variables: { ours: HubOrigin };
}

export function createApp(parts: AppParts): Hono<HubEnv> {
  const { origins, log, clock, busy } = parts;
  const app = new Hono<HubEnv>();
  const refusals = new Refusals(clock, (code, count) => log.log('warn', 'refused', { code, count }));
  const brake = new PairingBrake(clock);

  app.use(async (c, next) => {
    const ours = origins.of(c.req.header('host'));
    // Where the request line names a host too, that is the one that was asked for.
    const target = c.env?.incoming?.url ?? '/';
    if (!ours || (URL.canParse(target) && origins.of(new URL(target).host) !== ours))
      return failure(c, new ReinsError('FOREIGN_HOST', {}), refusals);
    c.set('ours', ours);
    const isApi = c.req.path === '/api' || c.req.path.startsWith('/api/');
    if (!isOwnPage(asking(c), ours, isApi ? 'api' : 'page'))
      return failure(c, new ReinsError('FOREIGN_ORIGIN', {}), refusals);
    await next();
    for (const [name, value] of Object.entries(safeHeaders(ours))) c.header(name, value);
    if (isApi) c.header('cache-control', 'no-store');
    return undefined;
  });

  const admit = (c: Context<HubEnv>, device: string): void => parts.callers.admit(c.env?.incoming?.socket, device);

  const deviceOf = (c: Context<HubEnv>, rotates: boolean): KnownDevice => {
    const { secure } = c.get('ours');
    const name = cookieName(parts.mark, secure);
    const cookie = readCookie(c.req.header('cookie'), name);
    const entered = cookie === undefined ? undefined : parts.devices.enter(cookie, { mayRotate: rotates });
    if (!entered) throw new ReinsError('DEVICE_UNKNOWN', {});
    admit(c, entered.device.id);
    if (entered.fresh)
      c.header('set-cookie', cookieText(name, entered.fresh, { secure, ...lasts(entered.device, clock) }));
    return entered.device;
  };

  for (const name of Object.keys(HUB_ROUTES) as RouteName[]) {
    if (isEntry(name)) continue;
    const route: HubRoute = HUB_ROUTES[name];
    app.on(route.method, route.path, async (c) => {
      const device = deviceOf(c, ROTATES.has(name));
      const running = busy.begin(device.id);
      if (!running) throw new ReinsError('TOO_MUCH', {});
      const { signal, done } = running;
      try {
        checkRight(route, name, device);
        const id = c.req.param('id') ?? '';
        const place = route.path.startsWith('/api/sessions/:id')
          ? sessionFor(parts.where, device, id)
          : route.path.startsWith('/api/inquiries/:id')
            ? inquiryFor(parts.where, device, id)
            : undefined;
        const args = await whileIn(signal, readArgs(name, c.req.raw));
        // The rest of it may have come long after its head: who was let out meanwhile, or whose time is over, is nobody.
        if (!parts.devices.get(device.id)) throw new ReinsError('DEVICE_UNKNOWN', {});
        const handler = parts.handlers[name] as ((call: object) => unknown) | undefined;
        if (!handler) throw new ReinsError('NOT_BUILT', { what: `${route.method} ${route.path}` });
        const doing = handler({ device, args, id, place, signal });
        return c.json((await whileIn(signal, doing)) as object);
      } finally {
        done();
      }
    });
  }

  /** By the secret of a link, and held back where it does not fit: the same for who looks and for who comes in. */
  const byOffer = async <T>(
    c: Context<HubEnv>,
    name: EntryRoute,
    use: (parts: AppParts, ask: PairingAsk, admit: () => void) => T | undefined,
  ): Promise<T> => {
    const args = (await readArgs(name, c.req.raw)) as { secret: string; name?: string };
    const agent = c.req.header('user-agent');
    const found = use(parts, { ...args, ...(agent === undefined ? {} : { agent }) }, () => admit(c, NOBODY_YET));
    if (!found) throw new ReinsError((await brake.wrong()) ? 'PAIRING_OVER' : 'TOO_MUCH', {});
    return found;
  };

  const entries: Record<EntryRoute, (c: Context<HubEnv>) => Promise<Response>> = {
    async pair(c) {
      const { device, cookie, shown } = await byOffer(c, 'pair', letIn);
      const { secure } = c.get('ours');
      c.header('set-cookie', cookieText(cookieName(parts.mark, secure), cookie, { secure, ...lasts(device, clock) }));
      return c.json({ device: shown, hub: parts.name });
    },
    'pair-look': async (c) => c.json({ ...(await byOffer(c, 'pair-look', lookAtOffer)), hub: parts.name }),
  };

  for (const name of Object.keys(entries) as EntryRoute[])
    app.on(HUB_ROUTES[name].method, HUB_ROUTES[name].path, entries[name]);

  app.get('/api/openapi.json', (c) => {
    deviceOf(c, false);
    return c.json(openapi(parts.where.version));
  });
  app.all('/api/*', () => {
    throw new ReinsError('NO_SUCH_ROUTE', {});
  });
  app.on(['GET', 'HEAD'], '*', (c) => {
    const { method } = c.req.raw;
    return parts.files.reply(rawPath(c.req.raw.url), {
      method,
      encodings: c.req.header('accept-encoding') ?? '',
      etag: c.req.header('if-none-match'),
    });
  });
  app.notFound((c) => failure(c, new ReinsError('NO_SUCH_ROUTE', {}), refusals));
  app.onError((error, c) => {
    const failed = asReinsError(error);
    if (failed.code === 'BUG')
      log.log('error', 'a request failed', { path: c.req.routePath, reason: failed.message, stack: error.stack });
    return failure(c as Context<HubEnv>, failed, refusals);
  });
  return app;
}

const isEntry = (name: RouteName): name is EntryRoute => HUB_ROUTES[name].right === 'none';

/** As it was sent: what is encoded in it stays so, and is no name of ours. */
const rawPath = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';

function asking(c: Context<HubEnv>) {
  const said = (name: string) => c.req.header(name);
  return {
    method: c.req.method,
    origin: said('origin'),
    site: said('sec-fetch-site'),
    mode: said('sec-fetch-mode'),
    dest: said('sec-fetch-dest'),
  };
}

function checkRight(route: HubRoute, name: RouteName, device: KnownDevice): void {
  if (route.machine && device.session !== undefined) throw missing(name, 'the whole machine', 'one session');
  if (route.right === 'none' || route.right === 'device' || allows(device.right, route.right)) return;
  throw missing(name, route.right, device.right);
}

const missing = (what: string, need: string, may: string): ReinsError =>
  new ReinsError('RIGHT_MISSING', { what, need, may });

/** The cookie of a guest is over with the guest. */
const lasts = ({ expires_at }: KnownDevice, clock: Clock) =>
  expires_at === undefined ? {} : { seconds: Math.max(0, (Date.parse(expires_at) - clock.now()) / 1000) };

function failure(c: Context<HubEnv>, error: ReinsError, refusals: Refusals): Response {
  const { http } = CODES[error.code];
  if ([401, 403, 421, 429].includes(http)) refusals.note(error.code);
  // Why something of ours failed is in the log, for the machine's owner.
  const message = error.code === 'BUG' ? 'the hub failed at this; its log says why' : error.message;
  const headers = { ...safeHeaders({ secure: c.get('ours')?.secure === true }), 'cache-control': 'no-store' };
  return c.json({ error: { code: error.code, message, hint: error.hint } }, http as 400, headers);
}
