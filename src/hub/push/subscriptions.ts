/**
 * Which device is to be told of what, and where: one subscription per device, in one file. The address of a subscription is
 * a secret of its device: whoever has it can be no more than a nuisance, and it is never logged.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../contract/index.js';
import { PushState } from '../../contract/schemas.js';
import { makeDir, writeWhole } from '../../disk/index.js';

const Subscription = z.object({
  endpoint: z.string(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
  kinds: PushState.shape.kinds,
  quiet: PushState.shape.quiet,
  vapid: z.string().describe('the hub’s key it is bound to'),
  at: z.string(),
});
const SubscriptionFile = z.object({ v: z.literal(1), devices: z.record(z.string(), Subscription) });

export type Subscription = z.infer<typeof Subscription>;
export type PushKind = Subscription['kinds'][number];

const FILE = 'push.json';
/** The oldest goes. */
const MOST = 200;

export class Subscriptions {
  readonly #file: string;
  readonly #dir: string;
  readonly #devices: Map<string, Subscription>;

  constructor(dir: string, vapid: string, log: Log) {
    this.#dir = dir;
    this.#file = join(dir, FILE);
    this.#devices = new Map(Object.entries(read(this.#file, log)).filter(([, { vapid: key }]) => key === vapid));
  }

  get(device: string): Subscription | undefined {
    return this.#devices.get(device);
  }

  /** An address belongs to one device: a browser that was paired anew takes it along. */
  set(device: string, subscription: Subscription): void {
    for (const [other, { endpoint }] of this.#devices)
      if (endpoint === subscription.endpoint) this.#devices.delete(other);
    this.#devices.delete(device);
    this.#devices.set(device, subscription);
    for (const oldest of [...this.#devices.keys()].slice(0, Math.max(0, this.#devices.size - MOST)))
      this.#devices.delete(oldest);
    this.#write();
  }

  remove(device: string): void {
    if (this.#devices.delete(device)) this.#write();
  }

  /** Of devices that are let out nothing stays. */
  keepOnly(devices: ReadonlySet<string>): void {
    const gone = [...this.#devices.keys()].filter((device) => !devices.has(device));
    for (const device of gone) this.#devices.delete(device);
    if (gone.length > 0) this.#write();
  }

  #write(): void {
    makeDir(this.#dir);
    writeWhole(this.#file, `${JSON.stringify({ v: 1, devices: Object.fromEntries(this.#devices) })}\n`);
  }
}

function read(file: string, log: Log): Record<string, Subscription> {
  try {
    return SubscriptionFile.parse(JSON.parse(readFileSync(file, 'utf8'))).devices;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.log('warn', 'push subscriptions cannot be read: devices subscribe anew', { file });
    return {};
  }
}
