/**
 * What a route's handler is given: a request that was let in, checked and read, with its session found and in scope. The other
 * rooms of the hub bring theirs; together they are the whole table.
 */
import { ReinsError } from '../contract/index.js';
import type { EntryRoute, HUB_ROUTES, RouteArgs, RouteName, RouteResult } from '../contract/page.js';
import type { Place } from '../link/index.js';
import type { KnownDevice } from './device-files.js';

/** Of a route about a session or an inquiry: the session, which this device sees. */
type Placed<K extends RouteName> =
  (typeof HUB_ROUTES)[K]['path'] extends `/api/${'sessions' | 'inquiries'}/:id${string}` ? { place: Place } : unknown;

export type HubCall<K extends RouteName> = {
  device: KnownDevice;
  args: RouteArgs<K>;
  /** What stands for `:id`, or nothing. */
  id: string;
  /** Its device was let out meanwhile: what takes long looks at it before it does what cannot be undone (`stillIn`). */
  signal: AbortSignal;
} & Placed<K>;

export type HubHandlers = {
  [K in Exclude<RouteName, EntryRoute>]: (call: HubCall<K>) => Promise<RouteResult<K>> | RouteResult<K>;
};

/** Contract: throws DEVICE_UNKNOWN once its device was let out. */
export function stillIn(signal: AbortSignal): void {
  if (signal.aborted) throw new ReinsError('DEVICE_UNKNOWN', {});
}

/** What comes of it, unless its device is let out before. */
export function whileIn<T>(signal: AbortSignal, doing: Promise<T> | T): Promise<T> {
  return new Promise((resolve, reject) => {
    const out = () => reject(new ReinsError('DEVICE_UNKNOWN', {}));
    signal.addEventListener('abort', out, { once: true });
    Promise.resolve(doing)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', out));
  });
}
