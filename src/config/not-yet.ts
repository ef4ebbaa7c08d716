/**
 * Keys of the contract whose part is not built: they may be written, so that a file for a later version loads in this one,
 * and whoever wrote one is told that it does nothing, as whoever wrote one where it counts for nothing. A test keeps the list and the code together.
 */
import type { Provenance } from './merge.js';
import type { Path } from './path.js';

/** Of each, everything below it. */
const NOT_YET: readonly string[] = [];

export function isNotYet(path: Path): boolean {
  return NOT_YET.some((known) => known.split('.').every((part, index) => part === '*' || part === path[index]));
}

/** What is the user's alone: a project's file may say it, and it is as if it had not. */
const isUsersAlone = ({ path, origin }: Provenance): boolean => path[0] === 'hub' && origin.layer === 'project';

/** A line for all that were written in vain, with their places; the values may be secrets and are not named. */
export function notYetNotice(origins: ReadonlyMap<string, Provenance>): string[] {
  const line = (why: string, isSo: (one: Provenance) => boolean): string[] => {
    const written = [...origins].filter(([, one]) => isSo(one));
    const places = written.map(([key, { origin }]) => `${key} (${origin.source})`).join(', ');
    return written.length === 0 ? [] : [`${why}: ${places}`];
  };
  return [
    ...line('no effect in this version', (one) => isNotYet(one.path) && !isUsersAlone(one)),
    ...line('no effect in a project’s file, only in your own', isUsersAlone),
  ];
}
