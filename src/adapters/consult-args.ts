/**
 * `consult.args`: only options that are known to change the model's manner pass, each with a value. Whatever is not on an
 * agent's short list is refused: tools, folders, servers and settings have many names, and get new ones.
 */
import type { Refusal } from './adapter.js';

export function refusedArgs(args: readonly string[], known: readonly string[]): Refusal | undefined {
  for (let at = 0; at < args.length; at += 2) {
    const word = args[at]!;
    const value = args[at + 1];
    if (known.includes(word) && value !== undefined && !value.startsWith('-')) continue;
    const may = known.length > 0 ? `it may be given ${known.join(', ')}, each with a value` : 'it is given none';
    return { refused: 'args', reason: `consult.args: ${word} could give a consulted agent tools; ${may}` };
  }
  return undefined;
}
