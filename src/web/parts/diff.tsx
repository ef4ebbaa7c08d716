/** A change to files, row by row: each file with its name and how much comes and goes; big ones are folded, and say so. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ThingView } from '../../contract/page.js';
import { type DiffRow, type FileDiff, fileDiff, shownRows } from '../model/diffing.js';
import { count } from '../model/words.js';
import { OutsideText, Pieces } from './outside-text.js';

type ChangedFiles = NonNullable<ThingView['files']>;

export function Diff({ files, unfolded }: { files: ChangedFiles; unfolded: boolean }) {
  const diffs = useMemo(() => files.map(fileDiff), [files]);
  return (
    <div class="thing diff" data-shape="diff">
      {diffs.length > 1 && <DiffTotal diffs={diffs} />}
      {diffs.map((diff) => (
        <FileChange key={diff.path} diff={diff} rows={shownRows(diffs.length)} unfolded={unfolded} />
      ))}
    </div>
  );
}

function DiffTotal({ diffs }: { diffs: FileDiff[] }) {
  const sum = (of: 'added' | 'removed') => diffs.reduce((all, diff) => all + diff[of], 0);
  return (
    <p class="diff-total">
      {count(diffs.length, 'file')} <Amounts added={sum('added')} removed={sum('removed')} />
    </p>
  );
}

function Amounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="amounts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}

function FileChange({ diff, rows, unfolded }: { diff: FileDiff; rows: number; unfolded: boolean }) {
  const all = useSignal(unfolded);
  // Four rows more are not worth a tap.
  const isWhole = all.value || diff.rows.length <= rows + 4;
  const shown = isWhole ? diff.rows : diff.rows.slice(0, rows);
  return (
    <section class="file" data-file={diff.path} data-folded={!isWhole}>
      <h4 class="file-name">
        <span class="mono">
          <OutsideText text={diff.path} />
        </span>
        {diff.created && <span class="tag">new</span>}
        <Amounts added={diff.added} removed={diff.removed} />
      </h4>
      {diff.uncompared && <p class="note">Too much to compare: this is all of the new text.</p>}
      {diff.unseen !== undefined && <p class="note">What is there now is not shown: {diff.unseen}.</p>}
      {diff.rows.length === 0 && diff.unseen === undefined && <p class="note">Nothing changes in it.</p>}
      <pre class="rows">
        {shown.map((row, at) => (
          <Row key={at} row={row} />
        ))}
      </pre>
      {!isWhole && (
        <button class="unfold" type="button" data-do="show-all" onClick={() => (all.value = true)}>
          Show all {diff.rows.length} lines
        </button>
      )}
    </section>
  );
}

const READ_OUT = { '+': 'added', '-': 'removed' } as const;

function Row({ row: { is, text, line } }: { row: DiffRow }) {
  if (is === '@')
    return (
      <span class="row" data-is="@">
        {text === '' ? `⋯ line ${line}` : text}
      </span>
    );
  return (
    <span class="row" data-is={is}>
      <span class="number" aria-hidden="true">
        {line}
      </span>
      <span class="sign-of" aria-hidden="true">
        {is === '-' ? '−' : is}
      </span>
      {is !== ' ' && <span class="unseen">{READ_OUT[is]} </span>}
      <span class="row-text">
        <Pieces text={text} />
      </span>
    </span>
  );
}
