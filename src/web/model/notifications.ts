/**
 * Notifications of this device: whether this browser can have them and, if not, why in words; subscribing and unsubscribing with
 * the browser and the hub; what is told of, and when not.
 */
import { signal } from '@preact/signals';
import type { RouteResult } from '../../contract/page.js';
import { ask } from './api.js';

export type ToldKind = RouteResult<'push'>['kinds'][number];

export type PushAbility = 'able' | 'insecure' | 'home-screen' | 'none' | 'denied';

/** What the hub knows of this device; undefined until it has said so. */
export const push = signal<RouteResult<'push'> | undefined>(undefined);
/** This very browser is the one that is subscribed. */
export const isOn = signal(false);
export const isBusy = signal(false);
export const receipt = signal<RouteResult<'push-test'> | undefined>(undefined);
export const trouble = signal('');

/** A phone of Apple's has them only for what was put on its home screen. */
export function ability(): PushAbility {
  if (!globalThis.isSecureContext) return 'insecure';
  const isApple = /iPhone|iPad/.test(navigator.userAgent);
  const isInstalled = matchMedia('(display-mode: standalone)').matches;
  if (isApple && !isInstalled && !('PushManager' in globalThis)) return 'home-screen';
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return 'none';
  return Notification.permission === 'denied' ? 'denied' : 'able';
}

export async function lookAtPush(): Promise<void> {
  await doing(async () => {
    const worker = await navigator.serviceWorker?.getRegistration();
    const own = await worker?.pushManager?.getSubscription();
    push.value = await ask('push', {});
    isOn.value = push.value.subscribed && own !== null && own !== undefined;
  });
}

/** Contract: called by a tap, because browsers ask a person only then. */
export async function turnOn(): Promise<void> {
  await doing(async () => {
    if ((await Notification.requestPermission()) !== 'granted') return;
    const worker = await navigator.serviceWorker.ready;
    const { key } = push.value ?? (await ask('push', {}));
    const old = await worker.pushManager.getSubscription();
    // Bound to another hub's key, it would be of no use to this one.
    await old?.unsubscribe();
    const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint = '', keys = {} } = made.toJSON();
    push.value = await ask('subscribe', {
      args: { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } },
    });
    isOn.value = true;
  });
}

export async function turnOff(): Promise<void> {
  await doing(async () => {
    push.value = await ask('unsubscribe', {});
    isOn.value = false;
    receipt.value = undefined;
    const worker = await navigator.serviceWorker.getRegistration();
    await (await worker?.pushManager.getSubscription())?.unsubscribe();
  });
}

export async function setKind(kind: ToldKind, isWanted: boolean): Promise<void> {
  await doing(async () => {
    const others = (push.value?.kinds ?? []).filter((one) => one !== kind);
    push.value = await ask('subscribe', { args: { kinds: isWanted ? [...others, kind] : others } });
  });
}

/** In this device's own time zone. */
export async function setQuiet(hours: { from: string; to: string } | null): Promise<void> {
  await doing(async () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    push.value = await ask('subscribe', { args: { quiet: hours && { ...hours, zone } } });
  });
}

export async function test(): Promise<void> {
  await doing(async () => {
    receipt.value = await ask('push-test', {});
    push.value = await ask('push', {});
    isOn.value &&= push.value.subscribed;
  });
}

async function doing(what: () => Promise<void>): Promise<void> {
  if (isBusy.value) return;
  isBusy.value = true;
  trouble.value = '';
  try {
    await what();
  } catch (error) {
    trouble.value = (error as Error).message;
  } finally {
    isBusy.value = false;
  }
}
