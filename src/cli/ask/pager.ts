/** A long text, screen by screen, as data: which row is on top. */
import { type DialogSize, type DialogView, flow, heightOf, keyItem, plain, roomOf, type SpanRow } from './draw.js';
import type { Key } from './keys.js';

export interface Page {
  top: number;
}

/** Title and keys stand around the text. */
const AROUND = 2;

const pageRows = (size: DialogSize): number => Math.max(1, heightOf(size) - AROUND);

/** The page after a key; undefined when the person is done reading. */
export function turnPage(page: Page, key: Key, options: { count: number; size: DialogSize }): Page | undefined {
  const step = pageRows(options.size);
  const last = Math.max(0, options.count - step);
  const to = (top: number): Page => ({ top: Math.min(last, Math.max(0, top)) });
  const word = key.name === 'text' ? key.text : key.name;
  switch (word) {
    case ' ':
    case 'enter':
    case 'page-down':
      return to(page.top + step);
    case 'b':
    case 'page-up':
      return to(page.top - step);
    case 'down':
      return to(page.top + 1);
    case 'up':
      return to(page.top - 1);
    case 'q':
    case '?':
    case 'escape':
      return undefined;
    default:
      return page;
  }
}

export function pageView(page: Page, options: { title: SpanRow; rows: SpanRow[]; size: DialogSize }): DialogView {
  const { title, rows, size } = options;
  const step = pageRows(size);
  const end = Math.min(rows.length, page.top + step);
  const keys = flow(
    [
      ...(rows.length > step ? [keyItem('Space', 'on'), keyItem('b', 'back')] : []),
      keyItem('q', 'to the answer'),
      ...(rows.length > step ? [plain(`lines ${page.top + 1}–${end} of ${rows.length}`, 'dim')] : []),
    ],
    roomOf(size),
  );
  return { rows: [title, ...rows.slice(page.top, end), ...keys.slice(0, 1)] };
}
