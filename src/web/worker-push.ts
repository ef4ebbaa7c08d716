/**
 * Notifications: what the hub pushed is shown, a tap on Allow or Deny answers with the digest of what was shown, a tap on the rest
 * leads to the page. Whatever comes of it replaces what was shown. A push always shows something, because browsers take the right to push from
 * who is silent; a message that cannot be read says so.
 */
import type { PushMessage } from '../contract/page.js';
import { ask, HubError } from './model/api.js';
import { keep, TAPPED } from './model/kept.js';
import type { Tapped } from './model/tapped.js';

/** What TypeScript's own words for notifications leave out. */
type PushOptionsShown = NotificationOptions & {
  actions?: { action: string; title: string }[];
  renotify?: boolean;
};

export function watchPush(scope: ServiceWorkerGlobalScope): void {
  const { registration, clients } = scope;
  scope.addEventListener('push', (event) => event.waitUntil(show(scope, read(event.data))));
  scope.addEventListener('notificationclick', (event) => {
    const { notification, action } = event;
    const message = readable(notification.data) ?? UNREADABLE;
    const verdict = action === 'allow' || action === 'deny' ? action : undefined;
    if (verdict !== undefined && message.whole) {
      event.waitUntil(answer(registration, message, verdict));
      return;
    }
    notification.close();
    event.waitUntil(handOver(message).then(() => lead(clients, message.path)));
  });
  scope.addEventListener('pushsubscriptionchange', (event) =>
    (event as ExtendableEvent).waitUntil(subscribeAgain(registration)),
  );
}

async function show(scope: ServiceWorkerGlobalScope, message: PushMessage): Promise<void> {
  const { kind, title } = message;
  const asks = kind === 'inquiry';
  const buttons = message.whole ? [DENY, ALLOW] : [OPEN];
  await scope.registration.showNotification(title, {
    ...plain(message),
    silent: kind === 'settled',
    requireInteraction: asks,
    ...(asks ? { actions: buttons, renotify: true } : {}),
  } satisfies PushOptionsShown as NotificationOptions);
  await badge(message.badge);
}

const [DENY, ALLOW, OPEN] = [
  { action: 'deny', title: 'Deny' },
  { action: 'allow', title: 'Allow' },
  { action: 'open', title: 'Open' },
];

const plain = (message: PushMessage): NotificationOptions => ({
  body: message.body,
  tag: message.tag,
  data: message,
  icon: '/icon.svg',
  badge: '/icon.svg',
});

async function answer(
  registration: ServiceWorkerRegistration,
  message: PushMessage,
  verdict: 'allow' | 'deny',
): Promise<void> {
  const { whole: _, ...rest } = message;
  const { tag, digest = '' } = rest;
  const body = await ask('answer', { id: tag, args: { digest, words: [verdict] } }).then(
    () => `${verdict === 'allow' ? 'Allowed' : 'Denied'} ${clock()} · told to the agent`,
    whyNot,
  );
  // No buttons any more: an answer is given once.
  await registration.showNotification(message.title, {
    ...plain({ ...rest, body }),
    silent: true,
  });
  const left = await ask('inbox', {}).catch(() => undefined);
  if (left) await badge(left.length);
}

function whyNot(error: unknown): string {
  if (!(error instanceof HubError)) return 'Not sent. Open Reins.';
  if (error.status === 401) return 'Not sent: this device was let out.';
  // The hub says who: "inquiry x is no longer open: allowed by …".
  if (error.code === 'ANSWERED_ALREADY') return `Already answered: ${error.message.replace(/^[^:]*: /, '')}`;
  return `Not sent: ${error.message}. Open Reins.`;
}

const clock = (): string => new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

/** A browser lets a tap open a window for about a second only. */
const HAND_OVER_MS = 300;

/** What was shown is there for the page before the hub answers it. */
async function handOver({ kind, title, body, tag, path, at }: PushMessage): Promise<void> {
  if (kind !== 'inquiry') return;
  const late = new Promise<void>((resolve) => setTimeout(resolve, HAND_OVER_MS));
  await Promise.race([keep(TAPPED, { title, body, tag, path, at } satisfies Tapped).catch(() => undefined), late]);
}

/** To the window that is there, without loading it again; else to a new one. */
async function lead(clients: Clients, path: string): Promise<void> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const one =
    windows.find(({ focused }) => focused) ??
    windows.find(({ visibilityState }) => visibilityState === 'visible') ??
    windows[0];
  if (!one) {
    await clients.openWindow(path);
    return;
  }
  one.postMessage({ t: 'go', path });
  await one.focus();
}

/** The browser changed the address of this device. */
async function subscribeAgain(registration: ServiceWorkerRegistration): Promise<void> {
  const { key } = await ask('push', {});
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = made.toJSON();
  if (endpoint && keys?.p256dh && keys.auth)
    await ask('subscribe', { args: { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } } });
}

async function badge(count: number): Promise<void> {
  const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>;
  // Not every system has one, and none needs it.
  if (count > 0) await setAppBadge?.call(navigator, count).catch(() => undefined);
  else await clearAppBadge?.call(navigator).catch(() => undefined);
}

const UNREADABLE: PushMessage = {
  v: 1,
  kind: 'test',
  title: 'Reins',
  body: 'Something happened; this version cannot read what. Open Reins.',
  tag: 'unreadable',
  path: '/',
  badge: 0,
  at: '',
};

function read(data: PushMessageData | null): PushMessage {
  try {
    return readable(data?.json()) ?? UNREADABLE;
  } catch {
    return UNREADABLE; // no JSON
  }
}

function readable(said: unknown): PushMessage | undefined {
  const message = said as Partial<PushMessage> | null | undefined;
  const texts = [message?.kind, message?.title, message?.body, message?.tag, message?.path];
  if (message?.v !== 1 || texts.some((text) => typeof text !== 'string')) return undefined;
  // A way within this page, never to another one.
  const path = /^\/(?!\/)/.test(message.path!) ? message.path! : '/';
  return { ...(message as PushMessage), path, badge: Number(message.badge) || 0 };
}
