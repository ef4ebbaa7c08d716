/**
 * What is kept in this browser for the next start: the last known picture, drafts, the notification that was tapped. One small
 * IndexedDB, of the page and of its worker; a browser without one (private mode) forgets, and the page works all the same. No
 * secret is kept here.
 */
const NAME = 'reins';
const STORE = 'kept';
/** The worker puts here what a tapped notification showed; see `tapped.ts`. */
export const TAPPED = 'tapped';

let opening: Promise<IDBDatabase | undefined> | undefined;

const answered = <T>(request: IDBRequest<T>): Promise<T | undefined> =>
  new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  });

function database(): Promise<IDBDatabase | undefined> {
  opening ??= (async () => {
    try {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
      return await answered(request);
    } catch {
      return undefined; // a browser that permits none
    }
  })();
  return opening;
}

export async function kept<T>(key: string): Promise<T | undefined> {
  const open = await database();
  if (open === undefined) return undefined;
  return (await answered(open.transaction(STORE).objectStore(STORE).get(key))) as T | undefined;
}

export async function keep(key: string, value: unknown): Promise<void> {
  const open = await database();
  if (open === undefined) return;
  const store = open.transaction(STORE, 'readwrite').objectStore(STORE);
  if (value === undefined) await answered(store.delete(key));
  else await answered(store.put(value, key));
}

/** Everything of an earlier life of this device: it was let out, or paired anew. */
export async function forgetAll(): Promise<void> {
  const open = await database();
  if (open !== undefined) await answered(open.transaction(STORE, 'readwrite').objectStore(STORE).clear());
}
