/**
 * A person who is away is told, and may be asked. This face is for who only wants to know whether somebody can be fetched:
 * whatever sends is behind `messenger.js`, and loaded by a session that has somebody to tell.
 * @module
 */

export { canFetch } from './can-fetch.js';
export { type Notifier, type NotifierKind, type NotifyConfig, notifiersOf } from './notifiers.js';
export { isQuiet } from './quiet-hours.js';
