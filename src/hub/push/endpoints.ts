/**
 * Where a message may be sent: https, to a push service of a browser or one the user named (`hub.push_hosts`), and never to an
 * address inside unless it was written as one: `inside:push.home.example:8443`.
 */
import { isIP } from 'node:net';

/** Of Chrome and Edge, Firefox, Safari, and Edge's older one. */
const SERVICES = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];
const INSIDE = 'inside:';

export type CheckedEndpoint = { url: URL; mayBeInside: boolean } | { refused: string };

export function checkEndpoint(endpoint: string, more: readonly string[]): CheckedEndpoint {
  if (!URL.canParse(endpoint)) return { refused: 'it is no address' };
  const url = new URL(endpoint);
  if (url.protocol !== 'https:') return { refused: 'it is not https' };
  if (url.username !== '' || url.password !== '') return { refused: 'it carries a password' };
  const named = more.find((entry) => fits(url, entry.startsWith(INSIDE) ? entry.slice(INSIDE.length) : entry));
  if (named === undefined && !SERVICES.some((service) => fits(url, service)))
    return { refused: `${url.host} is no push service that is known` };
  return { url, mayBeInside: named?.startsWith(INSIDE) === true };
}

/** `*.` stands for one or more names; without a port, the usual one. An address is never found by a star. */
function fits(url: URL, entry: string): boolean {
  const [, name = '', port = '443'] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  if ((url.port || '443') !== port) return false;
  if (!name.startsWith('*.')) return url.hostname === name;
  return isIP(url.hostname) === 0 && url.hostname.endsWith(name.slice(1)) && url.hostname.length > name.length - 1;
}
