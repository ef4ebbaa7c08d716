/**
 * Makes text harmless for an agent's input box. Pure. Only what a person could have typed or pasted remains: no escape
 * sequences (a pasted `ESC [ 201 ~` would end the paste and turn the rest into keys), no control characters but newline
 * and tab, no broken characters.
 */

/** Newlines become `\n`; ESC, C0 (but newline and tab), DEL, C1 and halves of characters (lone surrogates) go. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(/\p{Surrogate}/gu, '');
}

/**
 * Something harmless before a first character that the agent would take as a command (`!` runs a shell, `/` a command).
 * Where the agent trims first, spaces of the text's own are no guard either: then the first letter counts.
 */
export function defused(text: string, starts: string[], guard = ' '): string {
  const bare = guard.trim() === '' ? text : text.trimStart();
  return starts.some((start) => start !== '' && bare.startsWith(start)) ? `${guard}${bare}` : text;
}
