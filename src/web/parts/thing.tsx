/**
 * The thing itself: what would be run, written, fetched or told, whole and as it is. Colours come from our own reading of it; what
 * is long is folded, never silently.
 */
import { useSignal } from '@preact/signals';
import type { ThingView } from '../../contract/page.js';
import { fold, type ThingPiece, withoutGaps } from '../model/folding.js';
import { count } from '../model/words.js';
import { Diff } from './diff.js';
import { Markdown } from './markdown.js';
import { Pieces } from './outside-text.js';

export interface ThingProps {
  view: ThingView;
  /** From the start, without a tap. */
  unfolded: boolean;
}

export function Thing({ view, unfolded }: ThingProps) {
  if (view.files !== undefined) return <Diff files={view.files} unfolded={unfolded} />;
  if (view.markdown !== undefined) return <Plan text={view.markdown} unfolded={unfolded} lines={view.lines} />;
  // What is asked stands with its answers.
  if (view.shape === 'question' || view.spans === undefined || view.spans.length === 0) return null;
  return <Spans spans={view.spans} shape={view.shape} unfolded={unfolded} />;
}

interface SpansProps {
  spans: readonly ThingPiece[];
  shape: ThingView['shape'];
  unfolded: boolean;
}

function Spans({ spans, shape, unfolded }: SpansProps) {
  const all = useSignal(unfolded);
  const folded = fold(spans);
  const isWhole = all.value || folded.chars === 0;
  const shown = isWhole ? withoutGaps(spans) : folded.shown;
  return (
    <div class="thing" data-shape={shape} data-folded={!isWhole}>
      <pre>
        {shape === 'shell' && <span class="prompt-sign" aria-hidden="true" />}
        {shown.map((piece, at) => (
          <span key={at} data-is={piece.is}>
            <Pieces text={piece.text} />
          </span>
        ))}
      </pre>
      {!isWhole && (
        <button class="unfold" type="button" data-do="show-all" onClick={() => (all.value = true)}>
          {folded.lines > 0
            ? `Show all ${linesIn(spans)} lines`
            : `Show all of it: ${count(folded.chars, 'character')} more`}
        </button>
      )}
    </div>
  );
}

const linesIn = (spans: readonly ThingPiece[]): number =>
  spans
    .map(({ text }) => text)
    .join('')
    .replace(/\n$/, '')
    .split('\n').length;

/** A plan is read like a document, and as tall as one. */
function Plan({ text, unfolded, lines }: { text: string; unfolded: boolean; lines: number }) {
  const all = useSignal(unfolded);
  const isLong = lines > LONG_PLAN || text.length > LONG_PLAN * 80;
  return (
    <div class="thing plan" data-shape="plan" data-folded={isLong && !all.value}>
      <div class="plan-text">
        <Markdown text={isLong && !all.value ? text.split('\n').slice(0, LONG_PLAN).join('\n') : text} />
      </div>
      {isLong && !all.value && (
        <button class="unfold" type="button" data-do="show-all" onClick={() => (all.value = true)}>
          Show all {lines} lines
        </button>
      )}
    </div>
  );
}

const LONG_PLAN = 24;
