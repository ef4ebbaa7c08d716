/** `reins worktree ls|merge|rm`: what loops did in folders of their own. */
import {
  dropWorktree,
  mergeWorktree,
  type RemoveHow,
  type WorktreeRow,
  worktreeRows,
} from '../../sessions/worktrees.js';
import { openTty } from '../channels.js';
import type { Context } from '../context.js';
import { harmless, table } from '../table.js';
import { askYesNo } from '../yes-no.js';

interface JsonFlag {
  json?: boolean;
}

export async function ls(context: Context, flags: JsonFlag): Promise<number> {
  const rows = await worktreeRows(context);
  if (flags.json) context.channels.json(rows);
  else if (rows.length === 0)
    context.channels.chrome('No worktrees of Reins here. Make one: reins run "fix the failing test" --worktree=fix');
  else {
    const width = process.stdout.isTTY ? { width: process.stdout.columns } : {};
    const head = ['NAME', 'BRANCH', 'COMMITS', 'FILES', 'SESSIONS', 'FOLDER'];
    context.channels.out(`${table(head, rows.map(columns), width)}\n`);
  }
  return 0;
}

function columns(row: WorktreeRow): string[] {
  const { name, branch, folder, sessions, live } = row;
  const past = sessions.filter((id) => !live.includes(id));
  const who = [...live.map((id) => `${id} (works)`), ...past];
  return [name, branch, commitsOf(row), filesOf(row), who.join(' ') || '-', folder];
}

function commitsOf({ state, commit, ahead, behind, strays, merged }: WorktreeRow): string {
  if (commit === undefined) return state === 'unfinished' ? 'unfinished' : 'no branch';
  const away = [
    ...(ahead > 0 ? [`${ahead} ahead`] : []),
    ...(behind > 0 ? [`${behind} behind`] : []),
    ...(strays > 0 ? [`${strays} not on it`] : []),
  ];
  return merged ? ['merged', ...away].join(', ') : away.join(', ');
}

function filesOf({ state, dirty, submodules }: WorktreeRow): string {
  if (state === 'gone') return 'folder gone';
  if (state === 'unfinished') return 'unfinished';
  const files = dirty === null ? 'unknown' : dirty === 0 ? 'clean' : `${dirty} not committed`;
  return submodules.length === 0 ? files : `${files}, not pushed: ${harmless(submodules.join(' '))}`;
}

export async function merge(context: Context, name: string, flags: JsonFlag): Promise<number> {
  const merged = await mergeWorktree(context, name);
  const { how, into, branch, commits, dirty } = merged;
  if (flags.json) context.channels.json(merged);
  else {
    const count = `${commits} ${commits === 1 ? 'commit' : 'commits'}`;
    const said =
      how === 'nothing' ? `${into} has all of ${branch} already` : `Merged ${count} of ${branch} into ${into}`;
    context.channels.out(`${harmless(said)}\n`);
  }
  if (dirty !== 0)
    context.channels.chrome(`! ${dirty ?? 'some'} files in the worktree are not committed, and not merged`);
  else context.channels.chrome(`Its folder stays until: reins worktree rm ${name}`);
  return 0;
}

export async function rm(context: Context, names: string[], flags: JsonFlag & { force?: boolean }): Promise<number> {
  const removed: { name: string; commit?: string }[] = [];
  try {
    for (const name of new Set(names))
      removed.push({ name, ...(await dropWorktree(context, name, { force: flags.force === true, mayLose })) });
  } finally {
    if (flags.json) context.channels.json(removed);
    else for (const { name } of removed) context.channels.out(`${name}\n`);
    for (const { name, commit } of removed)
      if (commit !== undefined)
        context.channels.chrome(
          `reins/${name} was on ${commit.slice(0, 9)}: git branch reins/${name} ${commit.slice(0, 9)} brings its commits back`,
        );
  }
  return 0;
}

const mayLose: NonNullable<RemoveHow['mayLose']> = async (name, what) => {
  const tty = openTty();
  if (!tty) return undefined;
  try {
    tty.write(`The worktree ${harmless(name)} holds what is nowhere else:\r\n`);
    for (const line of what) tty.write(`  ${harmless(line)}\r\n`);
    return await askYesNo(tty, 'Remove it, and lose that? [y/N] ');
  } finally {
    tty.close();
  }
};
