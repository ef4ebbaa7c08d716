/**
 * Which device is to be told of what, and where: one subscription per device, in the device's own directory, so that it goes with
 * the device. Where messages are sent is a secret of its browser: it is never logged.
 */
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { type Env, ReinsError } from '../../contract/index.js';
import { PushState } from '../../contract/schemas.js';
import { deviceFile, deviceIds } from '../device-files.js';
import { readState, writeState } from '../state.js';

const Subscription = z.object({
  endpoint: z.string(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
  kinds: PushState.shape.kinds,
  quiet: PushState.shape.quiet,
  vapid: z.string().describe('the hub’s key it is bound to'),
  at: z.string(),
});

export type Subscription = z.infer<typeof Subscription>;
export type PushKind = Subscription['kinds'][number];

const FILE = 'push.json';

export class Subscriptions {
  readonly #env: Env;
  readonly #vapid: string;
  /** As read; undefined for a device without one. */
  readonly #known = new Map<string, Subscription | undefined>();

  constructor(env: Env, vapid: string) {
    this.#env = env;
    this.#vapid = vapid;
  }

  get(device: string): Subscription | undefined {
    if (!this.#known.has(device)) this.#known.set(device, this.#read(device));
    return this.#known.get(device);
  }

  /** An address belongs to one device: a browser that was paired anew takes it along. Contract: throws DEVICE_UNKNOWN. */
  set(device: string, subscription: Subscription): void {
    for (const other of deviceIds(this.#env))
      if (other !== device && this.get(other)?.endpoint === subscription.endpoint) this.remove(other);
    try {
      writeState(deviceFile(this.#env, device, FILE), subscription);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new ReinsError('DEVICE_UNKNOWN', {}, { cause: error });
    }
    this.#known.set(device, subscription);
  }

  remove(device: string): void {
    rmSync(deviceFile(this.#env, device, FILE), { force: true });
    this.#known.delete(device);
  }

  /** Devices came or went: what is known of them is read again. */
  readAgain(): void {
    this.#known.clear();
  }

  #read(device: string): Subscription | undefined {
    const read = Subscription.safeParse(readState(deviceFile(this.#env, device, FILE)));
    return read.success && read.data.vapid === this.#vapid ? read.data : undefined;
  }
}
