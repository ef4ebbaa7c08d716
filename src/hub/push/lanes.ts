/**
 * What waits to be sent, by device: few at a time, tried again with growing pauses where that may help, given up after some
 * minutes, and never more than a bound. A service that says the subscription is gone has the last word on it.
 */
import type { Clock, Log } from '../../contract/index.js';
import type { PushMessage } from '../../contract/page.js';
import { Lane } from '../../notify/lane.js';
import type { PushReceipt } from './sender.js';
import type { Subscription } from './subscriptions.js';

export interface PushJob {
  device: string;
  subscription: Subscription;
  message: PushMessage;
  ttlSecs: number;
  signal?: AbortSignal;
  /** It is on its way from now on: it may arrive, whatever comes back. */
  begun?(): void;
  /** Once, also where it failed in the end; not when it was called off. */
  over?(): void;
}

export interface PushLanePorts {
  clock: Clock;
  log: Log;
  send(job: PushJob, signal: AbortSignal): Promise<PushReceipt>;
  /** Its service knows nothing of this subscription any more. */
  gone(device: string): void;
}

/** One that is tried again does not hold up the others. */
const SLOTS = 4;
const MOST_RETRY_AFTER_SECS = 240;

export class PushLanes {
  readonly #ports: PushLanePorts;
  readonly #lanes = new Map<string, { lane: Lane; off: AbortController }>();

  constructor(ports: PushLanePorts) {
    this.#ports = ports;
  }

  /** False: too much waits already. */
  add(job: PushJob): boolean {
    const { lane, off } = this.#laneOf(job.device);
    const signal = job.signal ? AbortSignal.any([job.signal, off.signal]) : off.signal;
    return lane.add({
      signal,
      send: async () => {
        job.begun?.();
        return came(await this.#ports.send(job, signal));
      },
      over: (result, tries) => {
        const facts = { device: job.device, kind: job.message.kind, how: result.how, tries };
        const reason = result.how === 'failed' ? { reason: result.reason } : {};
        this.#ports.log.log(result.how === 'failed' ? 'warn' : 'info', 'pushed', { ...facts, ...reason });
        job.over?.();
        if (result.how === 'failed' && result.reason === GONE) this.#ports.gone(job.device);
      },
    });
  }

  /** Calls off whatever is meant for it. */
  drop(device: string): void {
    this.#lanes.get(device)?.off.abort();
    this.#lanes.delete(device);
  }

  /** Nothing is sent any more to who was let out. */
  keepOnly(devices: ReadonlySet<string>): void {
    for (const device of [...this.#lanes.keys()]) if (!devices.has(device)) this.drop(device);
  }

  async close(): Promise<void> {
    const lanes = [...this.#lanes.values()];
    for (const { off } of lanes) off.abort();
    await Promise.all(lanes.map(({ lane }) => lane.finish()));
  }

  #laneOf(device: string): { lane: Lane; off: AbortController } {
    const known = this.#lanes.get(device);
    if (known) return known;
    const made = { lane: new Lane({ clock: this.#ports.clock, slots: SLOTS }), off: new AbortController() };
    this.#lanes.set(device, made);
    return made;
  }
}

const GONE = 'its subscription is gone';

function came(receipt: PushReceipt): Awaited<ReturnType<Parameters<Lane['add']>[0]['send']>> {
  if ('trouble' in receipt) return { how: 'failed', reason: receipt.trouble, again: receipt.again };
  const { status, retryAfterSecs } = receipt;
  if (status >= 200 && status < 300) return { how: 'told', detail: `status ${status}` };
  if (isGone(receipt)) return { how: 'failed', reason: GONE, again: false };
  const again = status === 408 || status === 429 || status >= 500;
  const later = retryAfterSecs === undefined ? {} : { againMs: Math.min(retryAfterSecs, MOST_RETRY_AFTER_SECS) * 1000 };
  return { how: 'failed', reason: `status ${status}`, again, ...later };
}

export const isGone = (receipt: PushReceipt): boolean =>
  'status' in receipt && (receipt.status === 404 || receipt.status === 410);
