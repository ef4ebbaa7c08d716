/**
 * Whether the hub brings another build of the page than the one that is open: its worker has taken over, and keeps another one. What of this build was not
 * loaded yet is gone then, so the page says so, and is loaded anew when its person says so: drafts and what is on its way are kept.
 */
import { effect, signal } from '@preact/signals';
import { connection } from './store.js';
import { workerAddress } from './trusted.js';

export const isOld = signal(false);

/** A worker may take over a page of its own build too: the first one does, and one that comes with the page it keeps. */
async function look(): Promise<void> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module]')?.src;
  const page = await fetch('/').then(
    (reply) => reply.text(),
    () => undefined, // whether it is old is not known
  );
  if (own !== undefined && page !== undefined) isOld.value = !page.includes(new URL(own).pathname);
}

export const loadAnew = (): void => location.reload();

/** Keeps the page in the browser, where it may, and looks for a newer one whenever the hub came back: it may have been replaced. */
export function watchBuild(): void {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (workers === undefined) return;
  workers.addEventListener('controllerchange', () => void look());
  let wasLive = true;
  void workers.register(workerAddress()).then(
    (worker) =>
      effect(() => {
        const isLive = connection.value.state === 'live';
        if (isLive && !wasLive) void worker.update().catch(() => undefined);
        wasLive = isLive;
      }),
    () => undefined, // not on a secure address
  );
}
