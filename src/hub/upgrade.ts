/** Whether a socket is let in: by a ticket in its protocols, which only our page can have, and by its `Origin`. */
import type { IncomingMessage } from 'node:http';
import { PAGE_PROTOCOL } from '../contract/page.js';
import type { Callers } from './callers.js';
import type { KnownDevice } from './device-files.js';
import type { Devices } from './devices.js';
import { type HubOrigins, isOwnPage } from './origins.js';
import type { Tickets } from './tickets.js';

const MOST_SOCKETS = 300;
/** Of one device: tabs. */
const MOST_OF_ONE = 32;

interface UpgradeParts {
  origins: HubOrigins;
  tickets: Tickets;
  devices: Devices;
  callers: Pick<Callers, 'admit'>;
  /** The devices of the sockets that are open. */
  open: string[];
}

export function judgeUpgrade(
  request: Pick<IncomingMessage, 'headers' | 'url' | 'socket'>,
  { origins, tickets, devices, callers, open }: UpgradeParts,
): { device: KnownDevice } | { refused: string } {
  const { host, origin, 'sec-websocket-protocol': protocols = '', 'sec-fetch-site': site } = request.headers;
  const ours = origins.of(host);
  if (!ours) return { refused: '421 Misdirected Request' };
  // A browser names the page that opens a socket, always: judged like what changes something.
  const page = {
    method: 'POST',
    origin,
    site: site === undefined ? site : String(site),
    mode: undefined,
    dest: undefined,
  };
  if (!isOwnPage(page, ours, 'api')) return { refused: '403 Forbidden' };
  if (request.url !== '/ws') return { refused: '404 Not Found' };
  const [protocol, ticket = ''] = protocols.split(',').map((part) => part.trim());
  const id = protocol === PAGE_PROTOCOL ? tickets.use(ticket) : undefined;
  const device = id === undefined ? undefined : devices.get(id);
  if (!device) return { refused: '401 Unauthorized' };
  try {
    callers.admit(request.socket, device.id);
  } catch {
    return { refused: '403 Forbidden' };
  }
  if (open.length >= MOST_SOCKETS || open.filter((one) => one === device.id).length >= MOST_OF_ONE)
    return { refused: '429 Too Many Requests' };
  return { device };
}
