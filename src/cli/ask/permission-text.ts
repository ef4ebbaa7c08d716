/**
 * What a permission is about, in rows of safe text. The one field that says it all comes first, beside the tool's name;
 * outside text is always indented or behind a word of ours, so that it cannot stand where our keys stand.
 */
import type { Inquiry } from '../../contract/index.js';
import { plain, type SpanRow, wrap } from './draw.js';
import { safe, safeLines } from './text.js';

const MAIN_FIELDS = ['command', 'file_path', 'path', 'url', 'pattern', 'query', 'description'];

/** `Bash`, or in quotes when it is no plain name: a tool may be called anything. */
export function toolName(inquiry: Inquiry): string {
  const name = inquiry.tool ?? 'a tool';
  return /^[\w.:/-]{1,64}$/.test(name) || inquiry.tool === undefined ? name : `“${safe(name).slice(0, 200)}”`;
}

interface Field {
  name: string;
  lines: string[];
}

function fieldsOf(input: unknown): { main?: Field; rest: Field[] } {
  if (input === undefined) return { rest: [] };
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { main: { name: '', lines: linesOf(input) }, rest: [] };
  }
  const fields = Object.entries(input).map(([name, value]) => ({ name: safe(name), lines: linesOf(value) }));
  const main = MAIN_FIELDS.map((name) => fields.find((field) => field.name === name)).find((field) => field);
  return main ? { main, rest: fields.filter((field) => field !== main) } : { rest: fields };
}

function linesOf(value: unknown): string[] {
  if (typeof value === 'string') return withoutGaps(safeLines(value));
  if (Array.isArray(value) && value.every((part) => typeof part === 'string' && /^[^\s'"]+$/.test(part))) {
    return [safe(value.join(' '))];
  }
  return [safe(JSON.stringify(value) ?? String(value))];
}

/** Blanks in a row that would push what follows out of sight. */
const LONG_GAP = /[\s␣]{25,}/gu;

/** Empty lines and long blanks become words: nothing is moved off the screen by what cannot be seen. */
function withoutGaps(lines: string[]): string[] {
  const shown: string[] = [];
  let empty = 0;
  const tell = () => {
    if (empty > 0) shown.push(empty === 1 ? '' : `⋯ ${empty} blank lines`);
    empty = 0;
  };
  for (const line of lines) {
    if (line.trim() === '') {
      empty += 1;
      continue;
    }
    tell();
    shown.push(line.replace(LONG_GAP, (gap) => ` ⋯ ${gap.length} blanks ⋯ `));
  }
  tell();
  return shown.length === 0 ? [''] : shown;
}

/** One line for the summary: `Bash: npm test`. */
export function headline(inquiry: Inquiry, input: unknown = inquiry.input): string {
  const line = inquiry.kind === 'deliver' ? '(its result)' : (fieldsOf(input).main?.lines[0] ?? '');
  return `${toolName(inquiry)}${line === '' ? '' : `: ${line}`}`;
}

export function permissionRows(inquiry: Inquiry, input: unknown, width: number): SpanRow[] {
  const name: SpanRow = [{ text: toolName(inquiry), style: 'title' }];
  const rows: SpanRow[] = [];
  if (inquiry.kind === 'deliver') {
    const { text, truncated } = inquiry.result ?? { text: '', truncated: false };
    rows.push([...name, { text: ' has a result. May the agent read it?' }]);
    rows.push(...safeLines(text).flatMap((line) => wrap(plain(`  ${line}`), { width, indent: 4 })));
    if (truncated) rows.push(plain('  (only its beginning is known here)', 'dim'));
  } else {
    const { main, rest } = fieldsOf(input);
    const [head, ...more] = main?.lines ?? [];
    rows.push(...wrap(head === undefined ? name : [...name, { text: `: ${head}` }], { width, indent: 4 }));
    rows.push(...more.flatMap((line) => wrap(plain(`    ${line}`), { width, indent: 4 })));
    rows.push(...rest.flatMap((field) => fieldRows(field, width)));
  }
  if (inquiry.reason) rows.push(...fieldRows({ name: 'because', lines: safeLines(inquiry.reason) }, width));
  if (inquiry.parent) rows.push(...fieldRows({ name: 'sub-agent', lines: [safe(inquiry.parent)] }, width));
  return rows;
}

function fieldRows({ name, lines }: Field, width: number): SpanRow[] {
  const [head = '', ...more] = lines;
  const first: SpanRow = [{ text: `  ${name}: `, style: 'dim' }, { text: head }];
  return [first, ...more.map((line) => plain(`    ${line}`))].flatMap((row) => wrap(row, { width, indent: 4 }));
}
