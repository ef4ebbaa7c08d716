/** The service worker: the page without a network, and notifications. Which files belong to this build is put in when it is built. */
declare const ASSETS: string[];
declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', () => void self.skipWaiting());

export type { ASSETS };
