/** Push put together, from the hub's files and what it knows. */
import type { Clock, Env, Log } from '../../contract/index.js';
import { redactor, secretsFrom } from '../../log/index.js';
import { vapidKeys } from './keys.js';
import { PushedTags } from './pushed.js';
import { Pusher, type PusherPorts } from './pusher.js';
import { PushRoutes } from './routes.js';
import { PushSender, type PushSenderOptions } from './sender.js';
import { Subscriptions } from './subscriptions.js';

export interface PushOptions
  extends Pick<PusherPorts, 'picture' | 'devices' | 'sees' | 'isHere' | 'callableChanged'>,
    Pick<PushSenderOptions, 'resolve' | 'ca'> {
  clock: Clock;
  log: Log;
  env: Env;
  /** `hub.push_hosts` and `hub.url`. */
  hosts: readonly string[];
  url?: string;
  /** `hub.push_contact`: whom a service may complain to. */
  contact?: string;
  /** `notify.push` says no: nobody is called, and nobody counts as reachable. */
  isOff?: boolean;
}

export interface Push {
  pusher: Pusher;
  routes: PushRoutes;
  /** Whether a device has a subscription. */
  has(device: string): boolean;
}

/** Services want somebody to complain to; where the hub has no address of its own, a name that nobody has. */
const NOBODY = 'mailto:hub@reins.example';

export function createPush(options: PushOptions): Push {
  const { env, clock, hosts, url, contact, resolve, ca, isOff = false } = options;
  const log = options.log.room('push');
  const keys = vapidKeys(env, log);
  const subscriptions = new Subscriptions(env, keys.publicKey);
  const subject = contact ?? (url?.startsWith('https:') ? url : NOBODY);
  const sender = new PushSender({ keys, hosts, subject, ...(resolve ? { resolve } : {}), ...(ca ? { ca } : {}) });
  const redact = redactor(secretsFrom(env));
  const [pushed, ends] = [new PushedTags(env, 'inquiries'), new PushedTags(env, 'ends')];
  const pusher = new Pusher({ ...options, isOff, log, redact, subscriptions, pushed, ends, sender });
  const routes = new PushRoutes({ clock, publicKey: keys.publicKey, subscriptions, sender, pusher, isOff });
  return { pusher, routes, has: (device) => subscriptions.get(device) !== undefined };
}
