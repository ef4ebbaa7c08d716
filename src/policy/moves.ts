/** Where a text may have gone with `cd` when a command runs: every folder it could be in, from its words alone. */
import { bareWords, baseName, everyCommand, type Unfolded } from './commands.js';
import type { PathBase } from './paths.js';
import type { Word } from './shell-words.js';

export interface Moves {
  /** The working directory and each folder the text goes to, absolute as written. */
  folders: string[];
  /** It may be somewhere that cannot be said. */
  unknown: boolean;
}

const MOVERS = new Set(['cd', 'pushd', 'popd', 'chdir']);
/** More ways than this through a text are not followed. */
const MOST_FOLDERS = 32;

export const isMove = (name: Word | undefined): boolean => name !== undefined && MOVERS.has(baseName(name));

/** The one folder a `cd` names; undefined for none, several, or one that is only known when it runs. */
export function targetOf(command: Unfolded['command']): Word | undefined {
  const [, ...args] = bareWords(command);
  const places = args.filter((word) => !/^-[LPe@]+$/.test(word.text) && word.text !== '--');
  const [only, more] = places;
  return only?.exact && !more && !/^[-+]/.test(only.text) ? only : undefined;
}

export function movesOf(commands: Unfolded[], place: Pick<PathBase, 'cwd' | 'home' | 'from'>): Moves {
  const lost = place.from === 'unknown';
  const moves: Moves = { folders: [lost ? place.cwd : (place.from ?? place.cwd)], unknown: lost };
  for (const { command } of commands.flatMap(everyCommand)) {
    if (!isMove(bareWords(command)[0])) continue;
    const target = targetOf(command);
    // In a loop each round goes on from where the last one went.
    const further = command.again === true && target !== undefined && !target.tilde && !target.text.startsWith('/');
    if (!target || further || moves.folders.length > MOST_FOLDERS) moves.unknown = true;
    else moves.folders.push(...under(target, moves.folders, place));
  }
  return { folders: [...new Set(moves.folders)], unknown: moves.unknown };
}

/** A path in each folder it could be meant from. */
export function under(word: Word, folders: string[], place: Pick<PathBase, 'home'>): string[] {
  const { text, tilde } = word;
  if (tilde) return [text === '~' || text.startsWith('~/') ? place.home + text.slice(1) : text];
  return text.startsWith('/') ? [text] : folders.map((folder) => `${folder}/${text}`);
}
