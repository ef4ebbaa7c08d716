/** The host's end of the link: listening, and what each viewer is owed. */
export type { Link } from './link.js';
export * from './listen.js';
export * from './outbox.js';
export { LONGEST_SOCKET_PATH } from './socket.js';
