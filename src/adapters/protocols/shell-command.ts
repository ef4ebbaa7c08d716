/**
 * Codex names a command as it will be spawned: `/bin/bash -lc 'npm test'`. People and rules speak of `npm test`. This
 * takes the wrapper off only if what is left is provably one quoted word, so that the text shown is the text that runs.
 */
const WRAPPER = /^(?:\/[\w./-]*\/)?(?:ba|z|da)?sh -l?c (?=\S)/;

export function unwrapShell(command: string): string {
  const wrapper = WRAPPER.exec(command);
  return (wrapper && oneWord(command.slice(wrapper[0].length))) ?? command;
}

/** The value of a text that is exactly one shell word, with nothing in it that a shell would expand. */
function oneWord(text: string): string | undefined {
  let word = '';
  for (let rest = text; rest !== ''; ) {
    const part =
      /^'([^']*)'/.exec(rest) ??
      /^"((?:[^"\\$`!]|\\["\\$`])*)"/.exec(rest) ??
      /^([\w@%+=:,./-]+)/.exec(rest) ??
      /^\\(['"\\ $`])/.exec(rest);
    if (!part) return undefined;
    word += part[0].startsWith('"') ? (part[1] ?? '').replace(/\\(["\\$`])/g, '$1') : (part[1] ?? '');
    rest = rest.slice(part[0].length);
  }
  return word === '' ? undefined : word;
}
