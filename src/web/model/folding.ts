/**
 * How much of a thing is shown before somebody asks for all of it: never fewer than twelve lines, and never silently less than
 * the whole. Empty lines in a row become words, so that nothing is pushed out of sight by what cannot be seen.
 */
import type { ThingView } from '../../contract/page.js';

export type ThingPiece = NonNullable<ThingView['spans']>[number] | { text: string; is: 'gap' };

/** Lines that are always shown. */
export const SHOWN_LINES = 12;
/** A fold that hides fewer than this is not worth a tap. */
const WORTH_FOLDING = 4;
/** About as much as twelve lines that wrap three times on a phone. */
const SHOWN_CHARS = 1600;
const BLANK_LINES = /\n([^\S\n]*\n){3,}/g;

/** Neighbours of one kind as one, so that a gap is not missed for being in pieces. */
function joined(spans: readonly ThingPiece[]): ThingPiece[] {
  const whole: ThingPiece[] = [];
  for (const span of spans) {
    const last = whole.at(-1);
    if (last?.is === span.is) whole[whole.length - 1] = { ...span, text: last.text + span.text };
    else whole.push(span);
  }
  return whole;
}

/** Runs of empty lines in words, everything else as it stands. */
export function withoutGaps(spans: readonly ThingPiece[]): ThingPiece[] {
  return joined(spans).flatMap((span) => {
    const pieces: ThingPiece[] = [];
    let from = 0;
    for (const { 0: gap, index } of span.text.matchAll(BLANK_LINES)) {
      const empty = gap.split('\n').length - 2;
      pieces.push({ ...span, text: span.text.slice(from, index + 1) }, { text: `⋯ ${empty} empty lines\n`, is: 'gap' });
      from = index + gap.length;
    }
    if (from === 0) return [span];
    return [...pieces, { ...span, text: span.text.slice(from) }];
  });
}

export interface FoldedThing {
  shown: ThingPiece[];
  /** Lines that are not shown; 0 where only a part of the last line is not. */
  lines: number;
  chars: number;
}

const breaks = (text: string): number => text.split('\n').length - 1;

/** The beginning of a thing, or the whole of it where little more would be hidden. */
export function fold(spans: readonly ThingPiece[]): FoldedThing {
  const all = withoutGaps(spans);
  let lines = 0;
  let chars = 0;
  for (const [at, span] of all.entries()) {
    const cut = cutAt(span.text, { lines: SHOWN_LINES - lines, chars: SHOWN_CHARS - chars });
    if (cut !== undefined) {
      const rest = all.slice(at + 1).map(({ text }) => text);
      const hidden = [span.text.slice(cut), ...rest].join('');
      const more = hidden.replace(/\n$/, '');
      if (more.length < SHOWN_CHARS / 4 && breaks(more) + 1 < WORTH_FOLDING) break;
      const shown = [...all.slice(0, at), { ...span, text: span.text.slice(0, cut) }];
      return { shown, lines: breaks(more) + (cut > 0 && span.text[cut - 1] !== '\n' ? 0 : 1), chars: hidden.length };
    }
    lines += breaks(span.text);
    chars += span.text.length;
  }
  return { shown: all, lines: 0, chars: 0 };
}

/** Where the room ends in this text; undefined if it does not. */
function cutAt(text: string, room: { lines: number; chars: number }): number | undefined {
  if (room.lines <= 0 && text !== '') return 0;
  let at = -1;
  for (let line = 0; line < room.lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) break;
  }
  const byLines = at === -1 ? undefined : at + 1;
  const byChars = text.length > room.chars ? wholeCharacter(text, room.chars) : undefined;
  if (byLines === text.length && byChars === undefined) return undefined;
  return byLines === undefined ? byChars : Math.min(byLines, byChars ?? byLines);
}

const wholeCharacter = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at);
