/** The service worker: the page without a network, and notifications. Which files belong to this build is put in when it is built. */
import { keepPage } from './worker-cache.js';

declare const ASSETS: string[];

keepPage(ASSETS);
