/** A session for a command that was given none: the only one there is, or the one a person picks. */
import { createInterface } from 'node:readline/promises';
import { ReinsError, type SessionRow } from '../contract/index.js';
import { listed } from '../sessions/index.js';
import type { Context } from './context.js';
import { duration, table } from './table.js';

/** Contract: never guesses between several; throws NO_SUCH_SESSION where none runs. */
export async function chooseSession(context: Context, command: string): Promise<string> {
  const rows = (await listed(context, { ended: false })).rows.filter(({ state }) => state !== 'ended');
  if (rows.length === 0) throw new ReinsError('NO_SESSION_RUNS');
  if (rows.length === 1) return rows[0]!.id;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new ReinsError('USAGE', {
      problem: `${rows.length} sessions run: ${rows.map(({ id }) => id).join(', ')}`,
      fix: `name one: reins ${command} ${rows[0]!.id}`,
    });
  }
  return pick(context, rows);
}

async function pick(context: Context, rows: SessionRow[]): Promise<string> {
  const lines = rows.map((row, at) => [
    String(at + 1),
    row.id,
    row.name,
    row.agent,
    row.inquiries > 0 ? `${row.state} (${row.inquiries})` : row.state,
    duration((Date.now() - Date.parse(row.started_at)) / 1000),
  ]);
  context.channels.complain(table(['', 'ID', 'NAME', 'AGENT', 'STATE', 'AGE'], lines));
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
  try {
    for (;;) {
      const said = await Promise.race([reader.question(`Which one? [1-${rows.length}] `), gone]);
      if (said === undefined) throw new ReinsError('USAGE', { problem: 'none was chosen', fix: 'name one by its id' });
      const word = said.trim();
      const row = rows[Number(word) - 1] ?? rows.find(({ id, name }) => id === word || name === word);
      if (row) return row.id;
    }
  } finally {
    reader.close();
  }
}
