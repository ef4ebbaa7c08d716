/**
 * Devices on disk: a directory each. To let one out is to move its directory away, in one step: what the hub writes about it
 * afterwards finds no place, so nothing brings it back, and its subscription goes with it. Keys are there as hashes alone.
 *
 *     devices/ID/device.json   what it may, since when, until when: never changed
 *     devices/ID/name          devices/ID/keys.json    devices/ID/used    devices/ID/push.json
 */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, isRight, newViewerId } from '../contract/index.js';
import type { DeviceScope, Device as ShownDevice } from '../contract/page.js';
import { makeDir } from '../disk/index.js';
import { readPlainFile } from '../journal/read.js';
import { hubDir, makeHubDir, onDisk, readState, writeState, writeText } from './state.js';

/** A device that was let in and not out. */
export interface KnownDevice extends DeviceScope {
  id: string;
  name: string;
  created_at: string;
  expires_at?: string;
}

const ID = /^[a-z0-9]{10}$/;
export const LONGEST_NAME = 100;

const devicesDir = (env: Env): string => join(hubDir(env), 'devices');
export const deviceFile = (env: Env, id: string, name: string): string => join(devicesDir(env), id, name);

/** Who watches the directory sees a file come or go in it, not one that changes further down. */
const changed = (env: Env): void => writeFileSync(join(makeHubDir(env, 'devices'), '.changed'), '', { mode: 0o600 });

/** Undefined if nobody of that id is in, or its time is over. */
export function readDevice(env: Env, id: string, now: number): KnownDevice | undefined {
  if (!ID.test(id)) return undefined;
  const said = readState(deviceFile(env, id, 'device.json')) as Partial<KnownDevice> | undefined;
  if (said?.id !== id || !isRight(said.right) || !Array.isArray(said.namespaces)) return undefined;
  if (said.expires_at !== undefined && !(Date.parse(said.expires_at) > now)) return undefined;
  return { ...(said as KnownDevice), name: nameOf(env, id) ?? said.name ?? 'a device' };
}

export const deviceIds = (env: Env): string[] => {
  try {
    return readdirSync(devicesDir(env)).filter((name) => ID.test(name));
  } catch {
    return []; // nobody was let in yet
  }
};

export const readDevices = (env: Env, now: number): KnownDevice[] =>
  deviceIds(env)
    .flatMap((id) => readDevice(env, id, now) ?? [])
    .sort((a, b) => a.created_at.localeCompare(b.created_at));

/** As others see it: no key, and what is on disk about its use. */
export function shownDevice(env: Env, device: KnownDevice, asking?: string): ShownDevice {
  const used = textOf(deviceFile(env, device.id, 'used'));
  return {
    id: device.id,
    name: device.name,
    right: device.right,
    namespaces: device.namespaces,
    ...(device.session === undefined ? {} : { session: device.session }),
    created_at: device.created_at,
    ...(device.expires_at === undefined ? {} : { expires_at: device.expires_at }),
    ...(used === undefined ? {} : { last_used_at: used }),
    ...(existsSync(deviceFile(env, device.id, 'push.json')) ? { push: true } : {}),
    ...(asking === device.id ? { this: true } : {}),
  };
}

/** Made aside and moved into place: it is in with all it needs, or not at all. */
export function addDevice(env: Env, device: KnownDevice, keys: unknown): void {
  const dir = join(makeHubDir(env, 'devices'), device.id);
  const aside = `${dir}.${newViewerId()}`;
  try {
    onDisk(dir, () => makeDir(aside));
    writeState(join(aside, 'device.json'), device);
    writeState(join(aside, 'keys.json'), keys);
    renameSync(aside, dir);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  changed(env);
}

export function renameDevice(env: Env, id: string, name: string): void {
  writeText(deviceFile(env, id, 'name'), ownName(env, name, id));
  changed(env);
}

/** False if there was none. Contract: throws STATE_DIR where it cannot be let out: then it is still in. */
export function removeDevice(env: Env, id: string): boolean {
  if (!ID.test(id)) return false;
  const dir = devicesDir(env);
  const gone = join(dir, `gone-${id}-${newViewerId()}`);
  try {
    onDisk(dir, () => renameSync(join(dir, id), gone));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  rmSync(gone, { recursive: true, force: true });
  changed(env);
  return true;
}

export function noteUse(env: Env, id: string, now: number): void {
  const file = deviceFile(env, id, 'used');
  if (Math.abs(now - Date.parse(textOf(file) ?? '')) < EVERY_MS) return;
  try {
    writeText(file, new Date(now).toISOString());
  } catch {
    // Let out meanwhile, or a disk that takes nothing: neither is a reason to refuse what was asked.
  }
}

/** A use is written down at most so often. */
const EVERY_MS = 60_000;

/** A name is shown in lists and messages: one line, nothing a terminal or a page would obey. */
export const cleanName = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_NAME) || 'a device';

/** What is done is on record under this name: nobody is called like somebody else who is, or was, in. */
export function ownName(env: Env, wish: string, id?: string): string {
  const name = cleanName(wish);
  const fold = (text: string) => text.normalize('NFKC').toLowerCase();
  const others = deviceIds(env).filter((other) => other !== id);
  const taken = new Set(others.flatMap((other) => readDevice(env, other, 0)?.name ?? []).map(fold));
  for (let count = 1; ; count += 1) {
    const mark = ` (${count})`;
    const one = count === 1 ? name : `${name.slice(0, LONGEST_NAME - mark.length)}${mark}`;
    if (!taken.has(fold(one))) return one;
  }
}

const nameOf = (env: Env, id: string): string | undefined => textOf(deviceFile(env, id, 'name'));

function textOf(file: string): string | undefined {
  try {
    return readPlainFile(file, 1000)?.toString('utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
