/**
 * A change as rows to read: what goes, what comes, a little around it. Made from the files before and after, not from what the
 * agent says about them. Bounded: what would take too long to compare is shown as it will be, and says so.
 */
import { structuredPatch } from 'diff';
import type { ThingView } from '../../contract/page.js';

type ChangedFile = NonNullable<ThingView['files']>[number];

export interface DiffRow {
  /** `@`: lines are left out here, which do not change. */
  is: '+' | '-' | ' ' | '@';
  text: string;
  /** The line's number in the file it is in: before for what goes, after for the rest. */
  line?: number;
}

export interface FileDiff {
  path: string;
  created: boolean;
  added: number;
  removed: number;
  rows: DiffRow[];
  /** It was too much to compare: all of the new text is shown as added. */
  uncompared?: true;
  /** Why what is there now is not known: nothing is said to go. */
  unseen?: string;
}

const AROUND = 3;
/** A page answers a tap meanwhile: a comparison that takes longer is given up. */
const LONGEST_MS = 150;
const LARGEST = 512 * 1024;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

export function fileDiff({ unseen, part = false, ...file }: ChangedFile): FileDiff {
  const diff = part ? unnumbered(compared(ended(file))) : compared(file);
  return { ...diff, ...(unseen === undefined ? {} : { unseen }) };
}

/** Of a piece nobody knows where it stands: its lines have no numbers. */
const unnumbered = (diff: FileDiff): FileDiff => ({
  ...diff,
  rows: diff.rows.map(({ line, ...row }) => (row.is === '@' && line !== undefined ? { ...row, text: '⋯' } : row)),
});

/** Where neither side of a piece has a line break at its end, it goes on behind it: nothing is missing there. */
function ended<T extends { before: string; after: string }>(file: T): T {
  const isOpen = (text: string): boolean => text !== '' && !text.endsWith('\n');
  const { before, after } = file;
  if (!(isOpen(before) || before === '') || !(isOpen(after) || after === '')) return file;
  return { ...file, before: before && `${before}\n`, after: after && `${after}\n` };
}

function compared({ path, before, after, created = false }: ChangedFile): FileDiff {
  const tooBig = before.length + after.length > LARGEST;
  const patch = tooBig
    ? undefined
    : structuredPatch(path, path, before, after, undefined, undefined, { context: AROUND, timeout: LONGEST_MS });
  if (patch === undefined) {
    const rows = linesOf(after).map((text, at): DiffRow => ({ is: '+', text, line: at + 1 }));
    return { path, created, added: rows.length, removed: linesOf(before).length, rows, uncompared: true };
  }
  const rows = patch.hunks.flatMap((hunk, at): DiffRow[] => {
    const numbers = { '-': hunk.oldStart, '+': hunk.newStart };
    const skipped: DiffRow[] = at === 0 && hunk.newStart <= 1 ? [] : [{ is: '@', text: '', line: hunk.newStart }];
    return [...skipped, ...hunk.lines.flatMap((line) => row(line, numbers))];
  });
  const count = (is: DiffRow['is']): number => rows.filter((one) => one.is === is).length;
  return { path, created, added: count('+'), removed: count('-'), rows };
}

function row(line: string, numbers: { '-': number; '+': number }): DiffRow[] {
  const text = line.slice(1);
  switch (line[0]) {
    case '+':
      return [{ is: '+', text, line: numbers['+']++ }];
    case '-':
      return [{ is: '-', text, line: numbers['-']++ }];
    case ' ':
      numbers['-'] += 1;
      return [{ is: ' ', text, line: numbers['+']++ }];
    default:
      return [{ is: '@', text: 'no line break at the end' }]; // `\ No newline at end of file`
  }
}

/** Rows shown before somebody asks for all: the same twelve as of any other thing, where there is one file. */
export const shownRows = (files: number): number => (files === 1 ? 16 : 12);
