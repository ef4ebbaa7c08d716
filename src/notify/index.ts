/**
 * A person who is away is told, and may be asked. This face is for who only wants to know whether somebody can be fetched:
 * whatever sends is behind `notifier.js`, and loaded by a session that has somebody to tell.
 * @module
 */

export { canFetch } from './can-fetch.js';
export { type Channel, type ChannelKind, channelsOf, type NotifyConfig } from './channels.js';
