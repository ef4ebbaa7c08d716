/**
 * Names of variables that a command may set without changing what later commands do. A variable that is set here reaches
 * other programs only if it was exported before, so the class is narrow: short names in small letters, and none that a
 * shell or a program is known to read.
 */

/** zsh ties some of these to PATH and its like, and others to its own tables. */
const READ_BY_SHELLS = new Set(
  `path cdpath fpath manpath mailpath prompt psvar argv status watch fignore histchars signals options aliases functions
   commands parameters modules dirstack nameddirs userdirs jobtexts jobstates jobdirs keymaps widgets galiases saliases
   builtins reswords patchars history historywords usergroups errnos termcap terminfo mapfile home term shell user cwd
   mail uid gid euid egid username pipestatus random seconds`.split(/\s+/),
);

/** Contract: true only for a name that nothing but the text itself reads. */
export function isOwnName(name: string): boolean {
  return /^[a-z][a-z0-9]{0,15}$/.test(name) && !/proxy$|^(http|ftp|npm|git|ld)/.test(name) && !READ_BY_SHELLS.has(name);
}
