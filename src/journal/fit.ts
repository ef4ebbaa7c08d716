/**
 * An entry goes to every viewer in one frame, and one that does not fit would cut every link it is sent over. So none is
 * ever that large: its longest parts are cut until it fits, on record as for all who are told.
 */
import { type Entry, type Inquiry, MAX_FRAME } from '../contract/index.js';

const MOST_BYTES = MAX_FRAME / 2;

/** How long a text or a list inside it may be: the first that makes it fit. */
const CUTS = [1024 * 1024, 64 * 1024, 4096, 256, 16, 1];

/** The entry and its line; another entry where it had to be cut. */
export function fitting<E extends Entry>(entry: E): { entry: E; line: Buffer } {
  let fits = { entry, line: lineOf(entry) };
  for (const most of CUTS) {
    if (fits.line.length <= MOST_BYTES) break;
    const fields = Object.entries(entry.data).map(([name, value]) => [name, cut(value, most)]);
    const smaller = { ...entry, data: Object.fromEntries(fields) } as E;
    fits = { entry: smaller, line: lineOf(smaller) };
  }
  return fits;
}

/**
 * Open inquiries as they are told together: whole if that fits, otherwise each with its longest parts cut, which can be seen
 * in it. What is not seen whole cannot be given back changed.
 */
export function fittingInquiries<I extends Inquiry>(inquiries: I[]): I[] {
  let fits = inquiries;
  for (const most of CUTS) {
    if (sizeOf(fits) <= MOST_BYTES) break;
    fits = inquiries.map((inquiry) => (sizeOf(inquiry) > most ? cutInquiry(inquiry, most) : inquiry));
  }
  return fits;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function cutInquiry<I extends Inquiry>(inquiry: I, most: number): I {
  const { input, questions, result, reason } = inquiry;
  const cuts = Object.entries({ input, questions, result, reason }).filter(([, value]) => value !== undefined);
  return { ...inquiry, ...Object.fromEntries(cuts.map(([name, value]) => [name, cut(value, most)])), editable: false };
}

const lineOf = (entry: Entry): Buffer => Buffer.from(`${JSON.stringify(entry)}\n`);

function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string') return shortened(value, most);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, most).map((one) => cut(one, most));
  const fields = Object.entries(value).slice(0, most);
  return Object.fromEntries(fields.map(([name, one]) => [shortened(name, most), cut(one, most)]));
}

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters, cut)`;
