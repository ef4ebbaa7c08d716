/** What a command gets on its input, as a short name that a rule can hold: the same text, the same name. */
import { createHash } from 'node:crypto';
import type { SimpleCommand } from './shell-words.js';

export const hasInput = (command: SimpleCommand): boolean => command.fed === true || (command.inputs?.length ?? 0) > 0;

/** Undefined when it is not all there to be seen: a pipe, a file, an expansion. */
export function inputName(command: SimpleCommand): string | undefined {
  if (command.fed || !command.inputs?.every((input) => input.exact)) return undefined;
  const hash = createHash('sha256');
  for (const { text } of command.inputs) hash.update(`${text.length}:${text}`);
  return hash.digest('hex').slice(0, 32);
}
