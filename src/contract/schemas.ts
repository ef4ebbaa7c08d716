/**
 * The zod schemas behind the contract's types: a second face beside `index.ts`, because zod costs a tenth of a second
 * at start-up and most programs need only the types. Load it where something from outside is checked.
 */
export * from './schemas/commands.js';
export * from './schemas/entry.js';
export * from './schemas/hub.js';
export * from './schemas/inquiry.js';
export * from './schemas/notification.js';
export * from './schemas/page.js';
export * from './schemas/session.js';
