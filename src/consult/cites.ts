/** What an answer says it rests on, checked: the piece exists, and the words stand in it. What fails is dropped. */
import type { Cite } from '../contract/index.js';
import { plainLine } from '../vt/plain.js';
import type { PackSource } from './facts.js';

/** A shorter quote stands in everything; a piece that is no longer itself may be quoted whole. */
const SHORTEST_QUOTE = 8;
const LONGEST_QUOTE = 400;

export function checkedCites(given: { source: string; quote: string }[], sources: readonly PackSource[]): Cite[] {
  const cites: Cite[] = [];
  for (const { source: id, quote } of given) {
    const source = sources.find((one) => one.id === id);
    if (!source) continue;
    // Copied with the sign that its lines begin with, it is the same words.
    const [words, text] = [plainLine(quote.replace(/^\| ?/gm, '')), plainLine(source.text)];
    if (!text.includes(words) || (words.length < SHORTEST_QUOTE && words !== text) || words === '') continue;
    cites.push({
      source: source.id,
      name: source.name,
      quote: words.slice(0, LONGEST_QUOTE),
      ...(source.changed ? { changed: true } : {}),
    });
  }
  return cites;
}
