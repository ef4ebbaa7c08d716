/**
 * What a device sees: the one place where that is decided. A session outside its scope is missing to it: whoever asks gets the
 * same words, status and bytes as for one that never was. Only whole ids count, because a beginning or a name that fits several
 * would tell of those it may not see.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_NAMESPACE, type Entry, ReinsError, type SessionRow, sessionOf } from '../contract/index.js';
import type { DeviceScope } from '../contract/page.js';
import { FILES } from '../disk/index.js';
import { isSession, type Place, placeOf, sessionDir } from '../link/index.js';
import { specOf, type Where } from '../sessions/index.js';

/** A session as far as its scope goes; a row of `ls` fits. */
export interface ScopedSession {
  id: string;
  namespace?: string | undefined;
}

export function inScope(device: DeviceScope, session: ScopedSession): boolean {
  if (device.session !== undefined && device.session !== session.id) return false;
  return device.namespaces.includes('*') || device.namespaces.includes(session.namespace ?? DEFAULT_NAMESPACE);
}

/** Where a session goes that this device starts. */
export const ownNamespace = ({ namespaces }: DeviceScope): string =>
  namespaces.includes('*') ? DEFAULT_NAMESPACE : (namespaces[0] ?? DEFAULT_NAMESPACE);

/** Whether one device's sight is part of another's: nobody lets in somebody who sees more. */
export const isWithin = (inner: DeviceScope, outer: DeviceScope): boolean =>
  (outer.session === undefined || inner.session === outer.session) &&
  (outer.namespaces.includes('*') || inner.namespaces.every((name) => outer.namespaces.includes(name)));

/** Contract: throws NO_SUCH_SESSION. */
export function sessionFor(where: Where, device: DeviceScope, id: string): Place {
  const place = placeFor(where, device, id);
  if (!place) throw new ReinsError('NO_SUCH_SESSION', { session: id });
  return place;
}

/** The place of the session whose inquiry this is. Contract: throws NO_SUCH_INQUIRY. */
export function inquiryFor(where: Where, device: DeviceScope, id: string): Place {
  const session = sessionOf(id);
  const place = session === undefined ? undefined : placeFor(where, device, session);
  if (!place) throw new ReinsError('NO_SUCH_INQUIRY', { inquiry: id });
  return place;
}

/** A row as a device may know it: what it was started by may be nothing of its. */
export function shownRow(where: Where, device: DeviceScope, row: SessionRow): SessionRow {
  if (row.parent === undefined || seesParent(where, device, row.parent)) return row;
  const { parent: _, ...rest } = row;
  return rest;
}

/** The same of the entries that say it. */
export function shownEntry(where: Where, device: DeviceScope, entry: Entry): Entry {
  if (entry.type !== 'session.started' || entry.data.parent === undefined) return entry;
  if (seesParent(where, device, entry.data.parent)) return entry;
  const { parent: _, ...data } = entry.data;
  return { ...entry, data };
}

const seesParent = (where: Where, device: DeviceScope, parent: string): boolean =>
  (device.session === undefined && device.namespaces.includes('*')) || placeFor(where, device, parent) !== undefined;

/**
 * What is not in scope costs as little as what is not there, so that the time it takes tells nothing either: of a guest's session no other
 * is looked at, and the namespace of one that was looked at before is known.
 */
export function placeFor(where: Where, device: DeviceScope, id: string): Place | undefined {
  if ((device.session !== undefined && device.session !== id) || !isSession(where.env, id)) return undefined;
  const namespace = device.namespaces.includes('*') ? undefined : namespaceOf(where, id);
  // One whose file says nothing readable is in nobody's scope but the whole machine's.
  if (namespace === null) return undefined;
  return inScope(device, { id, namespace }) ? placeOf(where.env, id) : undefined;
}

/** As its file said when it was last another; null where that says nothing. */
const namespaces = new Map<string, { file: string; namespace: string | undefined | null }>();
const MOST_KNOWN = 10_000;

function namespaceOf(where: Where, id: string): string | undefined | null {
  const dir = sessionDir(where.env, id);
  const stat = statSync(join(dir, FILES.spec), { throwIfNoEntry: false });
  const file = `${stat?.ino} ${stat?.mtimeMs} ${stat?.size}`;
  const known = namespaces.get(dir);
  if (known?.file === file) return known.namespace;
  const spec = specOf({ id, dir });
  const namespace = spec ? spec.namespace : null;
  namespaces.delete(dir);
  namespaces.set(dir, { file, namespace });
  if (namespaces.size > MOST_KNOWN) namespaces.delete(namespaces.keys().next().value!);
  return namespace;
}
