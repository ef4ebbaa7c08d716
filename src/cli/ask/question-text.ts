/** A question in full, in rows of safe text: what `?` shows. */
import type { Question } from '../../contract/index.js';
import { plain, type SpanRow, wrap } from './draw.js';
import { safe, safeLines } from './text.js';

export function textRows(asked: Question, width: number): SpanRow[] {
  const [first = '', ...more] = safeLines(asked.text);
  const head: SpanRow = [
    ...(asked.header ? plain(`${safe(asked.header)}: `, 'dim') : []),
    { text: first, style: 'title' },
  ];
  return [head, ...more.map((line) => plain(`  ${line}`))].flatMap((row) => wrap(row, { width, indent: 2 }));
}

export function questionRows(asked: Question, width: number): SpanRow[] {
  const options = asked.options.flatMap((option, at) => [
    ...wrap(plain(`${at + 1}. ${safe(option.label)}`), { width, indent: 4 }),
    ...safeLines(option.description ?? '')
      .filter((line) => line !== '')
      .flatMap((line) => wrap(plain(`   ${line}`, 'dim'), { width, indent: 4 })),
  ]);
  return [...textRows(asked, width), ...options];
}
