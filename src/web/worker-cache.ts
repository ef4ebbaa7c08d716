/**
 * The page without a network: what belongs to this build is kept whole, and served when the hub does not answer soon. Nothing of
 * `/api` is ever kept here: what was last known is the page's own business (`model/offline.ts`).
 */
declare const self: ServiceWorkerGlobalScope;

/** Nobody looks at an empty window longer than this while something to show is at hand. */
const PATIENCE_MS = 1500;
const PREFIX = 'reins-';

export function keepPage(assets: readonly string[]): void {
  // The names of the assets change with their content, so they name the build.
  const own = `${PREFIX}${assets.toSorted().join()}`;
  const all = ['/', '/reins.webmanifest', '/icon.svg', ...assets];

  self.addEventListener('install', (event) => {
    event.waitUntil(
      caches
        .open(own)
        .then((cache) => cache.addAll(all))
        .then(() => self.skipWaiting()),
    );
  });
  self.addEventListener('activate', (event) => {
    event.waitUntil(
      caches
        .keys()
        .then((names) => names.filter((name) => name.startsWith(PREFIX) && name !== own))
        .then((old) => Promise.all(old.map((name) => caches.delete(name))))
        .then(() => self.clients.claim()),
    );
  });
  self.addEventListener('fetch', (event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method !== 'GET' || origin !== self.location.origin || pathname.startsWith('/api/')) return;
    if (request.mode === 'navigate') event.respondWith(soonOrKept(request, own));
    else if (all.includes(pathname)) event.respondWith(kept(pathname, own).then((found) => found ?? fetch(request)));
  });
}

const kept = async (path: string, name: string): Promise<Response | undefined> => (await caches.open(name)).match(path);

async function soonOrKept(request: Request, name: string): Promise<Response> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS, undefined));
  const asked = fetch(request);
  // It may still fail after nobody waits for it.
  asked.catch(() => undefined);
  const answered = await Promise.race([asked.catch(() => undefined), late]);
  return answered ?? (await kept('/', name)) ?? asked;
}
