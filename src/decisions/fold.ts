/**
 * From lines to decisions. The file in the state directory is the truth, line by line under our mark; a line of the copy
 * that is not there, or differs, is shown as unverified. A decision that was revoked stays so, whatever is written behind it.
 */
import { markOf } from './mark.js';
import type { DecisionLine, Remembered } from './remembered.js';

interface Read {
  truth: string[];
  copy: string[];
  key: Buffer | undefined;
  project: string;
}

const FOREIGN = 'it is not on record here: brought by the repository, edited, copied, or forgotten';
const UNMARKED = 'it does not carry our mark';

/** Of a folder full of somebody else's lines, so many are shown. */
const MOST_UNVERIFIED = 200;

/** Sessions that are known to have heard it again. */
const MOST_SESSIONS = 20;

export function fold({ truth, copy, key, project }: Read): Remembered[] {
  const found = new Map<string, Remembered>();
  const doubtful: Remembered[] = [];
  const known = new Set(truth);
  for (const text of truth) {
    const { mark, fits } = markOf(text, { key, project });
    const line = readLine(text);
    if (!line) continue;
    if (fits && line.project === project) apply(found, line, mark);
    else if (line.type === 'decided') doubtful.push({ ...claimed(line), mark, unverified: UNMARKED });
  }
  for (const text of copy) {
    if (known.has(text)) continue;
    const line = readLine(text);
    if (line?.type !== 'decided') continue;
    doubtful.push({ ...claimed(line), mark: markOf(text, { key: undefined, project }).mark, unverified: FOREIGN });
  }
  return [...found.values(), ...doubtful.slice(-MOST_UNVERIFIED)];
}

function apply(found: Map<string, Remembered>, line: DecisionLine, mark: string): void {
  const had = found.get(line.id);
  switch (line.type) {
    case 'decided':
      // The same line again changes nothing: it does not even take back what was said since.
      if (!had) found.set(line.id, { ...plain(line), mark });
      break;
    case 'used':
      if (had) {
        const sessions = [...new Set([...(had.used?.sessions ?? []), line.session])].slice(-MOST_SESSIONS);
        had.used = { times: (had.used?.times ?? 0) + 1, last: line.at, sessions };
      }
      break;
    case 'revoked':
      if (had) had.revoked ??= { at: line.at, ...(line.reason === undefined ? {} : { reason: line.reason }) };
      break;
    case 'corrected':
      if (had) {
        had.correction = {
          at: line.at,
          values: line.values,
          ...(line.reason === undefined ? {} : { reason: line.reason }),
        };
      }
      break;
  }
}

/** Of a line that may be anybody's: what can be shown, in shapes that nobody stumbles over. Who it says decided is not repeated. */
function claimed(line: Extract<DecisionLine, { type: 'decided' }>): Omit<Remembered, 'mark'> {
  const { id, at, project, session, inquiry, question, values, reason } = line;
  return {
    ...{ id, at, project, session, inquiry, values },
    question: {
      ...{ id: question.id, text: question.text, key: question.key },
      options: question.options.map((one) => ({ id: one.id, label: one.label })),
      multi: question.multi === true,
      free_text: question.free_text === true,
    },
    by: { kind: 'notifier', name: 'unknown' },
    ...(isText(reason) ? { reason } : {}),
    scope: 'once',
  };
}

function plain(line: Extract<DecisionLine, { type: 'decided' }>): Omit<Remembered, 'mark'> {
  const { v: _, type: __, ...decision } = line;
  return decision;
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
const isText = (value: unknown): value is string => typeof value === 'string';

/** Shape alone, for lines may be anybody's; undefined for what cannot even be shown. */
function readLine(text: string): DecisionLine | undefined {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (typeof line !== 'object' || line === null || line.v !== 1) return undefined;
  if (![line.id, line.at, line.project].every(isText)) return undefined;
  if (line.type === 'revoked' || line.type === 'used') return line as DecisionLine;
  if (line.type === 'corrected') return isTexts(line.values) ? (line as DecisionLine) : undefined;
  const { question, by } = line as { question?: Record<string, unknown>; by?: Record<string, unknown> };
  const options = question?.options;
  const fits =
    line.type === 'decided' &&
    [line.session, line.inquiry, line.scope, question?.id, question?.text, question?.key, by?.kind].every(isText) &&
    Array.isArray(options) &&
    options.every((one) => isText(one?.id) && isText(one?.label)) &&
    isTexts(line.values);
  return fits ? (line as DecisionLine) : undefined;
}
