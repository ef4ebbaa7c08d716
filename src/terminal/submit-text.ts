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

/** One space before a first character that the agent would take as a command (`!` runs a shell, `/` a command). */
export function defused(text: string, starts: string[]): string {
  return starts.some((start) => start !== '' && text.startsWith(start)) ? ` ${text}` : text;
}
