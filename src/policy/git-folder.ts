/**
 * git's options in front of its sub-command. Some say nothing (`--no-pager`); `-C DIR` says where. A folder inside the
 * working directory is part of the same project, with one exception: a folder that is laid out as a bare repository
 * brings settings of its own, which name programs, and such a folder can be committed. So git is followed into a folder
 * only if none on the way has a `HEAD`.
 */
import { bareWords, type Unfolded, unfold } from './commands.js';
import { isInCwd, seePath } from './paths.js';
import type { SimpleCommand, Word } from './shell-words.js';
import type { Subject } from './subject.js';

const QUIET = new Set(['--no-pager', '-P', '--no-optional-locks', '--no-replace-objects', '--literal-pathspecs']);

/** The same command without them, or undefined where there are none or they are not understood. */
export function withoutGlobals(command: SimpleCommand, subject: Subject): Unfolded | undefined {
  const words = bareWords(command);
  if (command.assignments > 0 || !words[0]?.exact || words[0].text !== 'git') return undefined;
  let at = 1;
  for (; at < words.length && words[at]!.exact; at += 1) {
    if (QUIET.has(words[at]!.text)) continue;
    if (words[at]!.text !== '-C') break;
    at += 1;
    if (!words[at] || !isPlainFolder(words[at]!, subject)) return undefined;
  }
  return at === 1 ? undefined : unfold({ ...command, words: [words[0], ...words.slice(at)] }, () => ({ commands: [] }));
}

function isPlainFolder({ text, exact, tilde }: Word, { place, moves }: Subject): boolean {
  if (!exact || tilde || text === '' || moves.folders.length > 1 || moves.unknown) return false;
  return isPartOf(text, place);
}

/** Whether everywhere the text goes to with `cd`, and where the call works, git finds the repository it is meant for. */
export const staysInRepository = ({ place, moves }: Subject): boolean =>
  !moves.unknown && moves.folders.every((folder) => isPartOf(folder, place));

function isPartOf(path: string, place: Subject['place']): boolean {
  if (!isInCwd(path, place)) return false;
  const cwd = seePath(place.cwd, place).real;
  let folder = seePath(path, place).real;
  while (folder !== undefined && cwd !== undefined && folder.length > cwd.length) {
    if (place.exists?.(`${folder}/HEAD`) ?? true) return false;
    folder = folder.slice(0, folder.lastIndexOf('/'));
  }
  return folder === cwd;
}
