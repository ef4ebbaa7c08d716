/** `reins ls`: the sessions of this machine. */
import { homedir } from 'node:os';
import { type SessionRow, timeLeft } from '../../contract/index.js';
import { sessionNames } from '../../link/index.js';
import { listed, SILENT_DETAIL } from '../../sessions/index.js';
import type { Context } from '../context.js';
import { duration, harmless, table } from '../table.js';

export async function ls(context: Context, flags: { all?: boolean; ids?: boolean; json?: boolean }): Promise<number> {
  const { rows, odd } = await listed(context, { ended: flags.all === true });
  for (const row of rows.filter(({ detail }) => detail === SILENT_DETAIL)) {
    context.channels.complain(`! the host of ${row.id} does not answer: end it with reins kill ${row.id}`);
  }
  for (const { id, wrong } of odd) context.channels.complain(`! ${id}: ${harmless(wrong)}`);
  if (flags.ids) {
    context.channels.out(rows.map(({ id }) => `${id}\n`).join(''));
    return 0;
  }
  if (flags.json) {
    context.channels.json(rows);
    return 0;
  }
  if (rows.length === 0) {
    context.channels.chrome(
      flags.all || sessionNames(context.env).length === 0
        ? 'No sessions yet. Start one: reins run "fix the failing test", or look at reins demo'
        : 'No sessions running. See ended ones: reins ls --all',
    );
    return 0;
  }
  const width = process.stdout.isTTY ? { width: process.stdout.columns } : {};
  const head = ['ID', 'NAME', 'AGENT', 'MODE', 'STATE', 'AGE', 'CWD'];
  context.channels.out(`${table(head, inFamilies(rows).map(columns), width)}\n`);
  for (const note of new Set(rows.flatMap((row) => row.agent_note ?? [])))
    context.channels.chrome(`* ${harmless(note)}`);
  for (const note of othersIn(rows, context.version)) context.channels.chrome(note);
  return 0;
}

interface InFamily {
  row: SessionRow;
  /** How many of those above it stand in the list. */
  depth: number;
}

/** Each below the session that started it, where that one is listed too; the order is otherwise as it was. */
export function inFamilies(rows: SessionRow[]): InFamily[] {
  const byId = new Map<string, SessionRow>(rows.map((row) => [row.id, row]));
  const childrenOf = (id: string) => rows.filter(({ parent }) => parent === id);
  const shown = new Map<string, InFamily>();
  const show = (row: SessionRow, depth: number): void => {
    if (shown.has(row.id)) return;
    shown.set(row.id, { row, depth });
    for (const child of childrenOf(row.id)) show(child, depth + 1);
  };
  for (const row of rows) if (row.parent === undefined || !byId.has(row.parent)) show(row, 0);
  // A circle can only be somebody's work on the files: all the same nothing is hidden.
  for (const row of rows) show(row, 0);
  return [...shown.values()];
}

/** A session runs to its end with the Reins it began with, whatever is installed meanwhile. */
function othersIn(rows: SessionRow[], ours: string): string[] {
  const others = new Map<string, string[]>();
  for (const { id, state, reins = ours } of rows)
    if (state !== 'ended' && reins !== ours) others.set(reins, [...(others.get(reins) ?? []), id]);
  return [...others].map(([reins, ids]) => `with Reins ${harmless(reins)} (this is ${ours}): ${ids.join(', ')}`);
}

/** Said in words instead: the column is the first that is cut. */
const OWN_FOLDER = /\/\.reins\/worktrees\/[^/]+/;

/** A loop with hats wears one while it works. */
function stateOf(row: SessionRow): string {
  if (row.left) return `host died, ${row.left} processes still run (reins stop ${row.id})`;
  if (row.state === 'ended')
    return `ended ${row.outcome ?? ''}${row.exit_code === undefined && row.detail ? `: ${row.detail}` : ''}`.trim();
  const state = row.hat === undefined ? row.state : `${row.state} · ${row.hat}`;
  if (row.inquiries > 0) return `${state} (${row.inquiries})`;
  return row.detail ? `${state}: ${row.detail}${left(row)}` : state;
}

function columns({ row, depth }: InFamily): string[] {
  const age = duration((Date.now() - Date.parse(row.started_at)) / 1000);
  const state = stateOf(row);
  const folder = row.cwd.startsWith(`${homedir()}/`) ? `~${row.cwd.slice(homedir().length)}` : row.cwd;
  const cwd = row.worktree === undefined ? folder : folder.replace(OWN_FOLDER, ` (worktree ${row.worktree})`);
  const name = depth === 0 ? row.name : `${'  '.repeat(depth - 1)}└ ${row.name}`;
  return [row.id, name, row.agent_note ? `${row.agent}*` : row.agent, row.mode, state, age, cwd];
}

/** A countdown, for a session that goes on by itself. */
function left({ until }: SessionRow): string {
  return until === undefined ? '' : ` (${timeLeft(Date.parse(until) - Date.now())} left)`;
}
