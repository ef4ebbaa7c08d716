/** A hub from its first look at the lock to its last word: what it is put together from, in order. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { type Clock, type Env, type Log, ReinsError, systemClock } from '../contract/index.js';
import type { Where } from '../sessions/index.js';
import { createApp } from './app.js';
import { Callers } from './callers.js';
import { Devices } from './devices.js';
import { InFlight, Refusals } from './limits.js';
import { makeOffer, type Offer, pairLink } from './offers.js';
import { HubOrigins, isLoopback } from './origins.js';
import { ownHandlers } from './own-handlers.js';
import { makeParts } from './parts.js';
import { type Bind, begin, listen, portOf } from './server.js';
import { claimHub, makeHubDir, readState, writeState } from './state.js';
import { StaticFiles } from './static.js';
import { Tickets } from './tickets.js';

export interface HubOptions {
  port: number;
  host: string;
  /** Its address as seen from outside. */
  url?: string;
  /** Files. */
  tls?: { cert: string; key: string };
  /** Plain http beyond this machine, because somebody said so. */
  insecure?: boolean;
  log: Log;
  clock?: Clock;
  /** Where the built page is. */
  webDir?: string;
}

export interface RunningHere {
  /** As it is reached: the address to print, and where it listens. */
  url: string;
  address: string;
  /** A pairing link of this hub. */
  invite(offer: Omit<Offer, 'until'>): { link: string; until: number };
  devices: Devices;
  close(): Promise<void>;
}

/** Contract: throws HUB_RUNNING, HUB_EXPOSED, HUB_UNBOUND, HUB_CERTIFICATE, STATE_DIR; then nothing is left behind. */
export async function startHub(where: Where, options: HubOptions): Promise<RunningHere> {
  const { log, clock = systemClock } = options;
  checkExposed(options);
  const tls = options.tls && readTls(options.tls);
  const startedAt = new Date(clock.now()).toISOString();
  const claim = claimHub(where.env, { version: where.version, started_at: startedAt });
  try {
    const bind: Bind = { host: options.host, port: options.port, ...(tls ? { tls } : {}) };
    const server = await listen(bind);
    const port = portOf(server);
    const of = options.url === undefined ? {} : { url: options.url };
    const origins = new HubOrigins({ host: options.host, port, tls: tls !== undefined, ...of });
    const devices = new Devices({ env: where.env, clock, log });
    const tickets = new Tickets(clock);
    const name = hostname();
    const parts = await makeParts({ where, clock, log, devices, name, startedAt, url: origins.main.origin });
    const handlers = { ...parts.handlers, ...ownHandlers({ where, clock, devices, tickets, origins, name }) };
    const files = new StaticFiles(options.webDir ?? fileURLToPath(new URL('../web/', import.meta.url)));
    const busy = new InFlight();
    const refused = new Refusals(clock, (why, count) => log.log('warn', 'refused from inside', { why, count }));
    const callers = new Callers({ say: (why) => refused.note(why) });
    const mark = ownMark(where.env);
    const app = createApp({ where, clock, log, origins, devices, callers, busy, handlers, files, mark, name });
    const fetch = (request: Request, of: object) => app.fetch(request, of);
    const serving = begin({ server, fetch, callers, origins, tickets, devices, busy, pages: parts.pages, log });
    const [url, address] = [origins.main.origin, origins.local.origin];
    claim.says({ url, address });
    log.log('info', 'started', { version: where.version, node: process.version, pid: process.pid, address, url });
    let closing: Promise<void> | undefined;
    return {
      url,
      address,
      devices,
      invite(offer) {
        const { secret, until } = makeOffer(where.env, offer, clock.now());
        return { link: pairLink(url, secret), until };
      },
      close: () => {
        closing ??= (async () => {
          devices.close();
          await serving.close();
          await parts.close();
          claim.release();
          log.log('info', 'ended');
        })();
        return closing;
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** In the name of the cookie: two hubs on one machine must not take each other's. */
function ownMark(env: Env): string {
  const file = join(makeHubDir(env), 'mark.json');
  const said = readState(file) as { mark?: unknown } | undefined;
  if (typeof said?.mark === 'string' && /^[0-9a-f]{8}$/.test(said.mark)) return said.mark;
  const mark = randomBytes(4).toString('hex');
  writeState(file, { mark });
  return mark;
}

function readTls(files: { cert: string; key: string }): { cert: string; key: string } {
  try {
    const read = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    createSecureContext(read);
    return read;
  } catch (error) {
    throw new ReinsError('HUB_CERTIFICATE', { ...files, reason: (error as Error).message }, { cause: error });
  }
}

/** What goes over a network unencrypted is anybody's who is on it: keys, screens, answers. */
function checkExposed({ host, url, tls, insecure }: HubOptions): void {
  if (insecure || tls) return;
  const plainUrl = url !== undefined && new URL(url).protocol === 'http:' && !isLoopback(new URL(url).hostname);
  if (isLoopback(host) && !plainUrl) return;
  throw new ReinsError('HUB_EXPOSED', { address: isLoopback(host) ? (url ?? '') : host });
}
