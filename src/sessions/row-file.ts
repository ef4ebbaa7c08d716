/** What a living host has written down of itself, if it is true now (host/row-file.ts). Whoever gets nothing here asks. */
import { join } from 'node:path';
import type { SessionRow } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import type { RowInFile } from '../host/index.js';
import { readPlainFile } from '../journal/read.js';
import type { Place } from '../link/index.js';
import { countsNow } from '../proc/telling.js';

/** A row is a line. */
const MOST_BYTES = 64 * 1024;

const TEXTS = ['name', 'agent', 'mode', 'trust', 'state', 'cwd', 'started_at'] as const;
const COUNTS = ['inquiries', 'viewers'] as const;

/** Contract: opens no connection, never throws. */
export function writtenRow({ id, dir, host, alive }: Place): SessionRow | undefined {
  if (!alive || !host) return undefined;
  const { pid, start_ticks: startTicks } = host;
  const number = countsNow({ pid, startTicks });
  if (number === undefined) return undefined;
  try {
    const bytes = readPlainFile(join(dir, FILES.row), MOST_BYTES);
    const told = JSON.parse(bytes?.toString('utf8') ?? 'null') as Partial<RowInFile> | null;
    const isOurs = told?.pid === pid && told.start_ticks === startTicks && told.number === number;
    return isOurs && isRow(told.row, id) ? told.row : undefined;
  } catch {
    return undefined; // no such file, or something else under its name
  }
}

const isRow = (row: SessionRow | undefined, id: string): row is SessionRow =>
  row?.id === id &&
  TEXTS.every((key) => typeof row[key] === 'string') &&
  COUNTS.every((key) => Number.isSafeInteger(row[key]));
