/**
 * Who was let in, as the hub asks: by the key in a cookie, anew for every request and from disk, so that who is out is out.
 * It notices what others change (`reins devices`), and tells: pages of a device that is out are closed at once.
 */
import { randomBytes } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import type { Clock, Env, Log } from '../contract/index.js';
import type { DeviceScope } from '../contract/page.js';
import {
  addDevice,
  deviceFile,
  deviceIds,
  type KnownDevice,
  noteUse,
  ownName,
  readDevice,
  readDevices,
  removeDevice,
} from './device-files.js';
import { hashOf, judgeKey, type KeyFile, newKey, rotated } from './keys.js';
import { makeHubDir, readState, writeState } from './state.js';

export type DeviceNews = { what: 'in' | 'out' | 'renamed'; device: KnownDevice; at: string };

/** Whether or not the system tells of changes, they are looked for so often. */
const LOOK_EVERY_MS = 5_000;

/** `ID.KEY`, as it is in the cookie. */
export interface Entered {
  device: KnownDevice;
  /** A new key to be given with the answer. */
  fresh?: string;
}

export class Devices {
  readonly #env: Env;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tell = new Set<(news: DeviceNews) => void>();
  #known: Map<string, KnownDevice>;
  #watcher: FSWatcher | undefined;
  #next: (() => void) | undefined;

  constructor(of: { env: Env; clock: Clock; log: Log }) {
    this.#env = of.env;
    this.#clock = of.clock;
    this.#log = of.log;
    this.#known = this.#read();
  }

  get env(): Env {
    return this.#env;
  }

  /** Calls for everyone who is let in, renamed or let out, by whomever, from now on. */
  onChange(call: (news: DeviceNews) => void): void {
    this.#tell.add(call);
    if (this.#watcher) return;
    this.#watcher = watch(makeHubDir(this.#env, 'devices'), () => this.look());
    this.#watcher.on('error', (error) => this.#log.log('warn', 'devices are not watched', { reason: error.message }));
    const again = (): void => {
      this.look();
      this.#next = this.#clock.after(LOOK_EVERY_MS, again);
    };
    this.#next = this.#clock.after(LOOK_EVERY_MS, again);
  }

  close(): void {
    this.#watcher?.close();
    this.#next?.();
    this.#tell.clear();
  }

  get(id: string): KnownDevice | undefined {
    return readDevice(this.#env, id, this.#clock.now());
  }

  all(): KnownDevice[] {
    return readDevices(this.#env, this.#clock.now());
  }

  /** Lets a new one in; the key is told once. */
  add(scope: DeviceScope & { name: string; expires_at?: string }): { device: KnownDevice; cookie: string } {
    const now = this.#clock.now();
    const id = randomBytes(5).toString('hex');
    const device: KnownDevice = {
      ...scope,
      id,
      name: ownName(this.#env, scope.name),
      created_at: new Date(now).toISOString(),
    };
    const key = newKey();
    const keys: KeyFile = { hash: hashOf(key), since: now };
    addDevice(this.#env, device, keys);
    this.look();
    return { device, cookie: `${id}.${key}` };
  }

  /** By what the cookie says. `mayRotate` where the answer surely sets a cookie. */
  enter(cookie: string, { mayRotate }: { mayRotate: boolean }): Entered | undefined {
    const [id = '', key = ''] = cookie.split('.', 2);
    const now = this.#clock.now();
    const device = readDevice(this.#env, id, now);
    const file = device && (readState(deviceFile(this.#env, id, 'keys.json')) as KeyFile | undefined);
    if (!device || typeof file?.hash !== 'string') return undefined;
    const verdict = judgeKey(file, key, now);
    if (!verdict.ok) {
      if (verdict.old) this.#log.log('warn', 'a key that was replaced long ago was used', { device: id });
      return undefined;
    }
    noteUse(this.#env, id, now);
    if (verdict.due && mayRotate) {
      const next = rotated(key, now);
      if (this.#keep(id, next.file)) return { device, fresh: `${id}.${next.key}` };
    } else if (verdict.keep) this.#keep(id, verdict.keep);
    return { device };
  }

  revoke(id: string): boolean {
    const removed = removeDevice(this.#env, id);
    this.look();
    return removed;
  }

  /** What changed since the last look is told. */
  look(): void {
    const before = this.#known;
    this.#known = this.#read();
    const at = new Date(this.#clock.now()).toISOString();
    for (const [id, device] of before) if (!this.#known.has(id)) this.#say({ what: 'out', device, at });
    for (const [id, device] of this.#known) {
      const old = before.get(id);
      if (!old) this.#say({ what: 'in', device, at });
      else if (old.name !== device.name) this.#say({ what: 'renamed', device, at });
    }
  }

  #read(): Map<string, KnownDevice> {
    const now = this.#clock.now();
    return new Map(
      deviceIds(this.#env).flatMap((id) => {
        const device = readDevice(this.#env, id, now);
        // Its time is over: nothing of it is kept.
        if (!device) removeExpired(this.#env, id, now);
        return device ? [[id, device] as const] : [];
      }),
    );
  }

  #say(news: DeviceNews): void {
    this.#log.log('info', `device ${news.what}`, { device: news.device.id, right: news.device.right });
    for (const call of this.#tell) call(news);
  }

  #keep(id: string, file: KeyFile): boolean {
    try {
      writeState(deviceFile(this.#env, id, 'keys.json'), file);
      return true;
    } catch (error) {
      // The old key stays good then; one that was let out meanwhile has no place for it.
      this.#log.log('warn', 'a key could not be kept', { device: id, reason: (error as Error).message });
      return false;
    }
  }
}

function removeExpired(env: Env, id: string, now: number): void {
  const said = readState(deviceFile(env, id, 'device.json')) as { expires_at?: string } | undefined;
  if (said?.expires_at === undefined || Date.parse(said.expires_at) > now) return;
  try {
    removeDevice(env, id);
  } catch {
    // It is nobody to whoever asks, also where it stays on disk.
  }
}
