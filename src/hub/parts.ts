/**
 * What the hub is put together from, beyond its entry: each part brings its handlers, and one of them takes the sockets. A part is made
 * with `HubTools`; what is missing here is answered as not built.
 */
import type { Clock, Log } from '../contract/index.js';
import type { Where } from '../sessions/index.js';
import type { Devices } from './devices.js';
import type { HubHandlers } from './handlers.js';
import { makeLive } from './live.js';
import type { Pages } from './pages.js';
import { makePush } from './push/part.js';
import { tellOfDead } from './tell-died.js';

export interface HubTools {
  where: Where;
  clock: Clock;
  log: Log;
  devices: Devices;
  /** The hub's name for people, and since when it runs. */
  name: string;
  startedAt: string;
  /** Its address as it is reached. */
  url: string;
}

export interface HubParts {
  handlers: Partial<HubHandlers>;
  pages: Pages;
  close(): Promise<void>;
}

export async function makeParts(tools: HubTools): Promise<HubParts> {
  const live = makeLive(tools);
  const push = makePush(tools, live);
  const quiet = tellOfDead(tools, live.watching);
  return {
    handlers: { ...live.handlers, ...push.handlers },
    pages: live.pages,
    async close() {
      quiet();
      await push.close();
      await live.close();
    },
  };
}
