/** Letting a new device in by the secret of an offer, what it would be let in to, and the name it gets unless somebody gave it one. */
import type { Clock } from '../contract/index.js';
import type { Device, DeviceScope, Invitation } from '../contract/page.js';
import { stateDir } from '../disk/index.js';
import { type KnownDevice, ownName, shownDevice } from './device-files.js';
import type { Devices } from './devices.js';
import { isOffered, type Offer, readOffer, takeOffer } from './offers.js';

export interface PairingAsk {
  secret: string;
  name?: string;
  agent?: string;
}

interface PairingParts {
  devices: Devices;
  clock: Clock;
}

/** Undefined: no such offer, any more or ever. `admit` is asked before one is taken, and may throw. */
export function letIn(
  { devices, clock }: PairingParts,
  { secret, name, agent }: PairingAsk,
  admit: () => void,
): { device: KnownDevice; cookie: string; shown: Device } | undefined {
  const now = clock.now();
  if (!isOffered(devices.env, secret)) return undefined;
  admit();
  return takeOffer(devices.env, secret, now, (offer) => {
    const gives = given(offer, devices, now);
    if (!gives) return undefined;
    // Who invites knows best; then who comes.
    const { device, cookie } = devices.add({ ...gives, name: offer.name ?? name ?? browserName(agent) });
    return { device, cookie, shown: shownDevice(devices.env, device, device.id) };
  });
}

/** The same without taking it: what would come of it now. Undefined where nobody would be let in. */
export function lookAtOffer(
  { devices, clock }: PairingParts,
  { secret, agent }: Omit<PairingAsk, 'name'>,
  admit: () => void,
): Omit<Invitation, 'hub'> | undefined {
  const { env } = devices;
  const now = clock.now();
  if (!isOffered(env, secret)) return undefined;
  admit();
  const offer = readOffer(env, secret, now);
  const gives = offer && given(offer, devices, now);
  if (!gives) return undefined;
  return {
    ...gives,
    name: ownName(env, offer.name ?? browserName(agent)),
    ...(offer.name === undefined ? {} : { named: true }),
    until: new Date(offer.until).toISOString(),
    folder: stateDir(env),
  };
}

/** What an offer gives at this moment; undefined where who invited is out. */
function given(offer: Offer, devices: Devices, now: number): (DeviceScope & { expires_at?: string }) | undefined {
  const { right, namespaces, session, by } = offer;
  const host = by === undefined ? undefined : devices.get(by);
  if (by !== undefined && !host) return undefined;
  const ends = [
    ...(offer.lasts_ms === undefined ? [] : [now + offer.lasts_ms]),
    ...(host?.expires_at === undefined ? [] : [Date.parse(host.expires_at)]),
  ];
  return {
    right,
    namespaces,
    ...(session === undefined ? {} : { session }),
    ...(ends.length === 0 ? {} : { expires_at: new Date(Math.min(...ends)).toISOString() }),
  };
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
