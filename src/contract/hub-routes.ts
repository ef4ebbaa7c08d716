/**
 * What the hub can be asked over HTTP: method, path and the right it takes, as data. `:id` is a session (id, or for inquiries
 * and devices theirs). A page never sees a session outside its device's scope: such a one is answered like a missing one.
 */
import type { z } from 'zod';
import type { Right } from './commands.js';
import type { HubSchemas } from './schemas/hub.js';

export interface HubRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** `none`: for who is not let in yet; `device`: whoever is, about itself. */
  right: Right | 'none' | 'device';
  /** Not for a guest of one session, whatever its right. */
  machine?: true;
}

export const HUB_ROUTES = {
  pair: { method: 'POST', path: '/api/pair', right: 'none' },
  'pair-look': { method: 'POST', path: '/api/pair/look', right: 'none' },
  me: { method: 'GET', path: '/api/me', right: 'device' },
  ticket: { method: 'POST', path: '/api/ticket', right: 'device' },
  sessions: { method: 'GET', path: '/api/sessions', right: 'view' },
  start: { method: 'POST', path: '/api/sessions', right: 'admin', machine: true },
  plan: { method: 'POST', path: '/api/plan', right: 'admin', machine: true },
  session: { method: 'GET', path: '/api/sessions/:id', right: 'view' },
  entries: { method: 'GET', path: '/api/sessions/:id/entries', right: 'view' },
  screen: { method: 'GET', path: '/api/sessions/:id/screen', right: 'view' },
  message: { method: 'POST', path: '/api/sessions/:id/messages', right: 'type' },
  queue: { method: 'POST', path: '/api/sessions/:id/queue', right: 'type' },
  keys: { method: 'POST', path: '/api/sessions/:id/keys', right: 'type' },
  model: { method: 'POST', path: '/api/sessions/:id/model', right: 'type' },
  interrupt: { method: 'POST', path: '/api/sessions/:id/interrupt', right: 'type' },
  guide: { method: 'POST', path: '/api/sessions/:id/guide', right: 'type' },
  pause: { method: 'POST', path: '/api/sessions/:id/pause', right: 'admin' },
  resume: { method: 'POST', path: '/api/sessions/:id/resume', right: 'admin' },
  stop: { method: 'POST', path: '/api/sessions/:id/stop', right: 'admin' },
  kill: { method: 'POST', path: '/api/sessions/:id/kill', right: 'admin' },
  continue: { method: 'POST', path: '/api/sessions/:id/continue', right: 'admin' },
  inbox: { method: 'GET', path: '/api/inbox', right: 'view' },
  card: { method: 'GET', path: '/api/inquiries/:id', right: 'view' },
  answer: { method: 'POST', path: '/api/inquiries/:id/answer', right: 'answer' },
  agents: { method: 'GET', path: '/api/agents', right: 'admin', machine: true },
  folders: { method: 'GET', path: '/api/folders', right: 'admin', machine: true },
  policy: { method: 'GET', path: '/api/policy', right: 'view', machine: true },
  devices: { method: 'GET', path: '/api/devices', right: 'admin', machine: true },
  invite: { method: 'POST', path: '/api/devices', right: 'admin', machine: true },
  rename: { method: 'POST', path: '/api/devices/:id/name', right: 'device' },
  revoke: { method: 'DELETE', path: '/api/devices/:id', right: 'device' },
  push: { method: 'GET', path: '/api/push', right: 'device' },
  subscribe: { method: 'POST', path: '/api/push', right: 'device' },
  unsubscribe: { method: 'DELETE', path: '/api/push', right: 'device' },
  'push-test': { method: 'POST', path: '/api/push/test', right: 'device' },
} as const satisfies Record<keyof typeof HubSchemas, HubRoute>;

export type RouteName = keyof typeof HUB_ROUTES;
/** For who is not let in yet: by the secret of a link, and nothing else. */
export type EntryRoute = { [K in RouteName]: (typeof HUB_ROUTES)[K]['right'] extends 'none' ? K : never }[RouteName];
export type RouteArgs<K extends RouteName> = z.infer<(typeof HubSchemas)[K]['args']>;
export type RouteResult<K extends RouteName> = z.infer<(typeof HubSchemas)[K]['result']>;
