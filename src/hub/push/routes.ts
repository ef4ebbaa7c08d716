/** The routes about notifications of the device that asks: its state, subscribe, unsubscribe, a test with the service's receipt. */
import type { Clock } from '../../contract/index.js';
import { ReinsError } from '../../contract/index.js';
import type { RouteArgs, RouteResult } from '../../contract/page.js';
import type { PushDevice, Pusher } from './pusher.js';
import type { PushSender } from './sender.js';
import type { Subscriptions } from './subscriptions.js';

export interface PushRoutePorts {
  clock: Clock;
  publicKey: string;
  subscriptions: Subscriptions;
  sender: PushSender;
  pusher: Pusher;
  isOff: boolean;
}

/** What a device is told of that said nothing about it. */
const USUAL_KINDS = ['inquiry', 'died'] as const;

export class PushRoutes {
  readonly #ports: PushRoutePorts;
  constructor(ports: PushRoutePorts) {
    this.#ports = ports;
  }

  state(device: PushDevice): RouteResult<'push'> {
    const { publicKey, subscriptions } = this.#ports;
    const known = subscriptions.get(device.id);
    const { kinds = [...USUAL_KINDS], quiet } = known ?? {};
    return { key: publicKey, subscribed: known !== undefined, kinds, ...(quiet ? { quiet } : {}) };
  }

  subscribe(device: PushDevice, asked: RouteArgs<'subscribe'>): RouteResult<'subscribe'> {
    const { subscriptions, sender, publicKey, clock, pusher } = this.#ports;
    const known = subscriptions.get(device.id);
    const endpoint = asked.endpoint ?? known?.endpoint;
    const keys = asked.endpoint === undefined ? known?.keys : asked.keys;
    if (endpoint === undefined || keys === undefined || !areKeys(keys))
      throw new ReinsError('USAGE', { problem: 'there is no subscription to change', fix: 'subscribe first' });
    const refused = this.#ports.isOff ? 'notify.push is off on this machine' : sender.refuses(endpoint);
    if (refused !== undefined) throw new ReinsError('PUSH_REFUSED', { reason: refused });
    const quiet = asked.quiet === undefined ? known?.quiet : (asked.quiet ?? undefined);
    subscriptions.set(device.id, {
      endpoint,
      keys,
      kinds: [...new Set(asked.kinds ?? known?.kinds ?? USUAL_KINDS)],
      quiet,
      vapid: publicKey,
      at: new Date(clock.now()).toISOString(),
    });
    pusher.subscribed(device.id);
    return this.state(device);
  }

  unsubscribe(device: PushDevice): RouteResult<'unsubscribe'> {
    this.#ports.pusher.unsubscribed(device.id);
    return this.state(device);
  }

  async test(device: PushDevice): Promise<RouteResult<'push-test'>> {
    const receipt = await this.#ports.pusher.test(device);
    const at = new Date(this.#ports.clock.now()).toISOString();
    if ('trouble' in receipt) return { status: 0, at, note: receipt.trouble };
    return { status: receipt.status, at, ...(receipt.said === undefined ? {} : { note: receipt.said }) };
  }
}

/** A point on the curve and sixteen bytes: anything else would fail only when somebody is to be told. */
function areKeys({ p256dh, auth }: { p256dh: string; auth: string }): boolean {
  const isPoint = Buffer.from(p256dh, 'base64url').length === 65;
  return isPoint && Buffer.from(auth, 'base64url').length === 16;
}
