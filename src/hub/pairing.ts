/** Letting a new device in by the secret of an offer, and the name it gets unless somebody gave it one. */
import type { Clock } from '../contract/index.js';
import type { Device } from '../contract/page.js';
import { type KnownDevice, shownDevice } from './device-files.js';
import type { Devices } from './devices.js';
import { isOffered, type Offer, takeOffer } from './offers.js';

interface PairingAsk {
  secret: string;
  name?: string;
  agent?: string;
}

/** Undefined: no such offer, any more or ever. `admit` is asked before one is taken, and may throw. */
export function letIn(
  { devices, clock }: { devices: Devices; clock: Clock },
  { secret, name, agent }: PairingAsk,
  admit: () => void,
): { device: KnownDevice; cookie: string; shown: Device } | undefined {
  const now = clock.now();
  if (!isOffered(devices.env, secret)) return undefined;
  admit();
  return takeOffer(devices.env, secret, now, (offer) =>
    addBy(offer, { devices, now, name: name ?? browserName(agent) }),
  );
}

function addBy(
  offer: Offer,
  { devices, now, name }: { devices: Devices; now: number; name: string },
): { device: KnownDevice; cookie: string; shown: Device } | undefined {
  const { right, namespaces, session, by } = offer;
  const host = by === undefined ? undefined : devices.get(by);
  if (by !== undefined && !host) return undefined;
  const ends = [
    ...(offer.lasts_ms === undefined ? [] : [now + offer.lasts_ms]),
    ...(host?.expires_at === undefined ? [] : [Date.parse(host.expires_at)]),
  ];
  const { device, cookie } = devices.add({
    right,
    namespaces,
    ...(session === undefined ? {} : { session }),
    ...(ends.length === 0 ? {} : { expires_at: new Date(Math.min(...ends)).toISOString() }),
    // Who invites knows best; then who comes.
    name: offer.name ?? name,
  });
  return { device, cookie, shown: shownDevice(devices.env, device, device.id) };
}

const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'Chromebook'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
];

const BROWSERS: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

/** In two words, from a header that may say anything. */
export function browserName(agent: string | undefined): string {
  const first = (known: [RegExp, string][]) => known.find(([sign]) => sign.test(agent ?? ''))?.[1];
  const [browser, system] = [first(BROWSERS), first(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'a device';
}
