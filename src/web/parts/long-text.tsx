/** Text of any length in a chat. */
import { useState } from 'preact/hooks';
import { seenText } from '../model/visible.js';

/** Shown at once; "show more" doubles it. */
const PIECE = 8 * 1024;
const MOST_PIECES = 32;

/** The beginning, and more of it in pieces one asks for. */
export function LongText({ text, cut, label }: { text: string; cut?: boolean; label: string }) {
  const [pieces, setPieces] = useState(1);
  const shown = text.slice(0, PIECE * pieces);
  const left = text.length - shown.length;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="long" tabIndex={0} aria-label={label}>
        <pre>{seenText(shown, { lines: true })}</pre>
      </section>
      {left > 0 && pieces < MOST_PIECES ? (
        <button type="button" class="button quiet small" onClick={() => setPieces(pieces * 2)}>
          show more ({Math.ceil(left / 1024)} KB left)
        </button>
      ) : null}
      {left > 0 && pieces >= MOST_PIECES ? <p class="faint small">the rest is in the journal: reins logs</p> : null}
      {cut && left <= 0 ? <p class="faint small">it was longer; the journal keeps this much</p> : null}
    </>
  );
}
