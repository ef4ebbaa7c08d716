/**
 * The number on the app's icon, and notifications that are out of date: while the page is live, what it shows is the truth, so what
 * no longer waits is taken off the screen. Where a tap on a notification leads is followed here without loading the page again.
 */
import { effect } from '@preact/signals';
import { go } from './routes.js';
import { cards, connection, mayI } from './store.js';
import { recallTapped } from './tapped.js';

export function watchBadge(): void {
  effect(() => {
    if (connection.value.state !== 'live') return;
    const count = mayI('answer') ? cards.value.size : 0;
    const ids = new Set(cards.value.keys());
    void show(count);
    void takeOff(ids);
  });
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ t?: string; path?: unknown }>) => {
    const { t, path } = data ?? {};
    if (t === 'go' && typeof path === 'string' && /^\/(?!\/)/.test(path))
      void recallTapped(path).finally(() => go(path));
  });
}

async function show(count: number): Promise<void> {
  const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>;
  // A browser without it, or an app that is not installed.
  await (count > 0 ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator))?.catch(() => undefined);
}

/** An inquiry's notification has its id as its tag; those of ends and limits stay. */
async function takeOff(open: ReadonlySet<string>): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const shown of (await worker?.getNotifications()) ?? [])
    if (/^[a-z0-9]+\.\d+$/.test(shown.tag) && !open.has(shown.tag)) shown.close();
}
