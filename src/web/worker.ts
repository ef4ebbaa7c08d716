/** The service worker: the page without a network, and notifications. Which files belong to this build is put in when it is built. */
import { keepPage } from './worker-cache.js';
import { watchPush } from './worker-push.js';

declare const ASSETS: string[];
declare const self: ServiceWorkerGlobalScope;

keepPage(ASSETS);
watchPush(self);
