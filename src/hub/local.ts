/**
 * The hub's files, for who does not run it: whether one runs, who is in, and offers to let somebody in. Loads no server.
 * @module
 */
export { cleanName, type KnownDevice, readDevices, removeDevice, renameDevice, shownDevice } from './device-files.js';
export { makeOffer, OFFER_MINUTES, type Offer, pairLink } from './offers.js';
export { type RunningHub, runningHub } from './state.js';
