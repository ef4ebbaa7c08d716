/** Texts for a card, cut into spans: nothing is left out, and what nobody could see is a span of its own, to be drawn as its number. */
import { isAbsolute, relative, resolve } from 'node:path';
import type { ThingView } from '../../contract/page.js';

export type CardSpan = NonNullable<ThingView['spans']>[number];

/**
 * Controls (but for new lines and tabs), text direction, joiners and other formats, tags, halves of characters, private ones,
 * odd separators, and letters that are blank.
 */
const HIDDEN =
  /[^\P{C}\n\t]|[\u2028\u2029\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|\u034f|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180f]|\u2800|\u3164|\uffa0|\p{Variation_Selector}/gu;

export const plain = (text: string): CardSpan[] => hiddenApart([{ text, is: 'plain' }]);

export function hiddenApart(spans: CardSpan[]): CardSpan[] {
  return spans.flatMap((span) => {
    const parts: CardSpan[] = [];
    let from = 0;
    for (const { 0: text, index } of span.text.matchAll(HIDDEN)) {
      if (index > from) parts.push({ ...span, text: span.text.slice(from, index) });
      parts.push({ text, is: 'hidden' });
      from = index + text.length;
    }
    if (from < span.text.length) parts.push({ ...span, text: span.text.slice(from) });
    return parts;
  });
}

/** Words that name a place outside the folder where it works: as far as it can be seen in them. */
export function outsideMarked(spans: CardSpan[], cwd: string): CardSpan[] {
  return spans.map((span) =>
    (span.is === 'word' || span.is === 'redirection' || span.is === 'command') && leadsOut(span.text, cwd)
      ? { ...span, is: 'outside' }
      : span,
  );
}

function leadsOut(text: string, cwd: string): boolean {
  const bare = text
    .replace(/^[\d&]*[<>]+[&|]?\s*/, '')
    .replace(/^-{1,2}[\w-]+=/, '')
    .replace(/^["']|["']$/g, '');
  if (bare === '/dev/null' || !/^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(bare)) return false;
  if (bare.startsWith('~')) return true;
  const way = relative(cwd, resolve(cwd, bare));
  return way.startsWith('..') || isAbsolute(way);
}
