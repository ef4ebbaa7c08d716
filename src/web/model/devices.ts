/** The devices of this hub, as Settings shows and changes them. */
import { signal } from '@preact/signals';
import type { Device, Right, RouteResult } from '../../contract/page.js';
import { ask, HubError } from './api.js';
import { device, mayI, wholeMachine } from './store.js';

export const devices = signal<readonly Device[]>([]);
export const invitation = signal<RouteResult<'invite'> | undefined>(undefined);
export const wrong = signal<{ words: string; hint: string } | undefined>(undefined);

async function trying<T>(deed: () => Promise<T>): Promise<T | undefined> {
  try {
    wrong.value = undefined;
    return await deed();
  } catch (error) {
    wrong.value =
      error instanceof HubError
        ? { words: error.message, hint: error.hint }
        : { words: 'The hub does not answer.', hint: 'Nothing was changed.' };
    return undefined;
  }
}

/** This one first, then who was there last. */
const order = (a: Device, b: Device): number =>
  Number(b.this ?? false) - Number(a.this ?? false) || (b.last_used_at ?? '').localeCompare(a.last_used_at ?? '');

export async function lookAtDevices(): Promise<void> {
  const own = device.value;
  if (!mayI('admin') || !wholeMachine.value) {
    devices.value = own === undefined ? [] : [{ ...own, this: true }];
    return;
  }
  if (devices.value.length === 0 && own !== undefined) devices.value = [{ ...own, this: true }];
  const found = await trying(() => ask('devices', {}));
  if (found !== undefined) devices.value = found.toSorted(order);
}

export async function rename(id: string, name: string): Promise<void> {
  const changed = await trying(() => ask('rename', { id, args: { name } }));
  if (changed === undefined) return;
  if (device.value?.id === id) device.value = { ...device.value, name: changed.name };
  await lookAtDevices();
}

export async function revoke(id: string): Promise<void> {
  if ((await trying(() => ask('revoke', { id }))) !== undefined && device.value?.id !== id) await lookAtDevices();
}

export async function invite(right: Right, name: string): Promise<void> {
  const args = { right, ...(name.trim() === '' ? {} : { name: name.trim() }) };
  invitation.value = await trying(() => ask('invite', { args }));
}
