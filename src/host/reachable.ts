/**
 * Whether somebody who is not there can be fetched, and by what: the one place that says "reachable". Whoever can answer
 * from elsewhere counts (`notify` with `answers: true`; paired devices, once there are some); who is only told does not.
 */
import type { Config } from '../config/index.js';
import { canFetch } from '../notify/index.js';

/** Contract: never throws. What cannot be found out is a no: then the detached policy decides at once. */
export function reachableBy(config: Pick<Config, 'notify'>, now?: number): string | undefined {
  try {
    return canFetch(config.notify, now);
  } catch {
    return undefined;
  }
}
