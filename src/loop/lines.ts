/**
 * Text that comes in pieces, as whole lines that know whether they stand in a code fence. What comes out depends only
 * on the text, never on how it was cut, which is why a line is held back until it is complete.
 */

/** A longer line is cut here: no memory grows without end, and no promise or tag is that long. In characters. */
const LONGEST_LINE = 128 * 1024;

export interface Line {
  text: string;
  /** Inside a fence, or a fence's own first or last line. */
  fenced: boolean;
  /** Followed by a line break; false for a cut piece and for the last line of a text that ends without one. */
  whole: boolean;
}

/** Indented or quoted, at least three backticks or tildes. */
const FENCE = /^[\s>]*(`{3,}|~{3,})(.*)$/s;

export class LineReader {
  #rest = '';
  #fence: string | undefined;
  /** The piece before was cut, so this one does not begin a line and can open no fence. */
  #continued = false;

  feed(text: string): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (;;) {
      const end = text.indexOf('\n', from);
      this.#rest += end < 0 ? text.slice(from) : text.slice(from, end);
      while (this.#rest.length > LONGEST_LINE) {
        lines.push(this.#line(this.#rest.slice(0, LONGEST_LINE), 'cut'));
        this.#rest = this.#rest.slice(LONGEST_LINE);
      }
      if (end < 0) return lines;
      lines.push(this.#line(this.#rest, 'whole'));
      this.#rest = '';
      from = end + 1;
    }
  }

  /** The last line, if the text did not end with a line break. */
  end(): Line[] {
    if (this.#rest === '') return [];
    const last = { ...this.#line(this.#rest, 'whole'), whole: false };
    this.#rest = '';
    return [last];
  }

  /** What `end` would give, without ending. */
  peek(): Line | undefined {
    if (this.#rest === '') return undefined;
    return { text: this.#rest, fenced: this.#fenced(this.#rest).fenced, whole: false };
  }

  #line(raw: string, how: 'whole' | 'cut'): Line {
    const text = how === 'whole' && raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const { fenced, fence } = this.#fenced(text);
    this.#fence = fence;
    this.#continued = how === 'cut';
    return { text, fenced, whole: how === 'whole' };
  }

  #fenced(text: string): { fenced: boolean; fence: string | undefined } {
    const open = this.#fence;
    const match = this.#continued ? null : FENCE.exec(text);
    const mark = match?.[1] ?? '';
    const after = match?.[2] ?? '';
    if (open === undefined) {
      // A backtick after the mark makes it inline code on one line: ```like this```.
      const opens = mark !== '' && !(mark.startsWith('`') && after.includes('`'));
      return { fenced: opens, fence: opens ? mark : undefined };
    }
    const closes = mark.startsWith(open) && after.trim() === '';
    return { fenced: true, fence: closes ? undefined : open };
  }
}

/** The parts of a line that are inline code, as [from, to) pairs: equal runs of backticks and what is between. */
export function codeSpans(line: string): [number, number][] {
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length }));
  // The runs still ahead, by length: a search per run would make a line of many backticks quadratic.
  const ahead = new Map<number, number[]>();
  for (const run of runs.toReversed()) {
    const same = ahead.get(run.length);
    if (same) same.push(run.at);
    else ahead.set(run.length, [run.at]);
  }
  const spans: [number, number][] = [];
  let past = 0;
  for (const run of runs) {
    const same = ahead.get(run.length) ?? [];
    while ((same.at(-1) ?? Number.POSITIVE_INFINITY) <= run.at) same.pop();
    const close = same.at(-1);
    if (run.at < past || close === undefined) continue;
    past = close + run.length;
    spans.push([run.at, past]);
  }
  return spans;
}
