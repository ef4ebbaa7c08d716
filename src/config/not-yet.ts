/**
 * Keys of the contract whose part is not built: they may be written, so that a file for a later version loads in this one,
 * and whoever wrote one is told that it does nothing. A test keeps the list and the code together.
 */
import type { Provenance } from './merge.js';
import type { Path } from './path.js';

/** Of each, everything below it. */
const NOT_YET: readonly string[] = ['hub.push_hosts', 'notify.push', 'presence.web_idle_secs'];

export function isNotYet(path: Path): boolean {
  return NOT_YET.some((known) => known.split('.').every((part, index) => part === '*' || part === path[index]));
}

/** One line for all that were written, with their places; the values may be secrets and are not named. */
export function notYetNotice(origins: ReadonlyMap<string, Provenance>): string[] {
  const written = [...origins].filter(([, { path }]) => isNotYet(path));
  if (written.length === 0) return [];
  return [`no effect in this version: ${written.map(([key, { origin }]) => `${key} (${origin.source})`).join(', ')}`];
}
