/**
 * What the folder a session works in brings along for its agents (hooks, servers, helpers), and whether the user has
 * agreed to it. It is left out until a person has seen each line that would start and said yes; the gate stays ours
 * either way. Asked once on /dev/tty; with nobody there, or after a no, the run goes on without, and says so.
 */
import { type Adapter, adapterNamed, folderStarts, isCovered, look } from '../adapters/index.js';
import { type AgreedFolder, agreedFolder, declineTrust, letTrust } from '../config/index.js';
import type { SessionSpec } from '../host/index.js';
import { openTty } from './channels.js';
import type { Context } from './context.js';
import { harmless } from './table.js';
import { askYesNo } from './yes-no.js';

/** What a person can take in at once; the rest is counted, and is in the files that are named. */
const MOST_LINES = 20;
const MOST_CELLS = 200;

export interface FolderAsk {
  cwd: string;
  /** Those the session may start. */
  agents: string[];
  mayAsk: boolean;
}

export async function ensureAgentFolder(
  context: Context,
  { cwd, agents, mayAsk }: FolderAsk,
): Promise<Pick<SessionSpec, 'trusted_folder'>> {
  const before = agreedFolder(context.env, cwd);
  if (!before) return {};
  for (const id of new Set(agents)) {
    const agent = adapterNamed(id);
    const starts = agent ? folderStarts(agent, before.folder, look) : [];
    if (agent && starts.length > 0) await settle(context, { agent, starts, before, mayAsk });
  }
  const { folder, agents: agreed, seen } = agreedFolder(context.env, cwd) ?? before;
  return agreed.length === 0 ? {} : { trusted_folder: { folder, agents: agreed, seen } };
}

async function settle(
  context: Context,
  given: { agent: Adapter; starts: string[]; before: AgreedFolder; mayAsk: boolean },
): Promise<void> {
  const { agent, starts, before, mayAsk } = given;
  const { folder } = before;
  const known = isCovered(starts, before.seen[agent.id] ?? []);
  if (known && before.agents.includes(agent.id)) return;
  // An agent's own shell has a terminal too; what a folder may start is not for it to say.
  const tty = mayAsk && !known && !context.env.REINS_SESSION ? openTty() : undefined;
  if (tty) {
    try {
      tty.write(`This folder brings along what would start with ${agent.label}:\r\n`);
      tty.write(`${shown(starts).join('\r\n')}\r\n`);
      const decided = { env: context.env, folder, agent: agent.id, starts };
      if (await askYesNo(tty, 'Let it start from now on? Tool calls are asked about either way. [y/N] '))
        return letTrust(decided);
      declineTrust(decided);
    } finally {
      tty.close();
    }
  }
  context.channels.chrome(`! ${agent.label} starts without what this folder brings along for it:`);
  for (const line of shown(starts)) context.channels.chrome(`!${line}`);
  context.channels.chrome(`!   To let it: reins trust ${agent.id} ${harmless(folder)}`);
}

/** Each line bounded and drawn safely. */
export function shown(starts: string[]): string[] {
  const lines = starts.slice(0, MOST_LINES).map((line) => {
    const safe = harmless(line);
    return `  ${safe.length > MOST_CELLS ? `${safe.slice(0, MOST_CELLS)}… (${safe.length} characters)` : safe}`;
  });
  const more = starts.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}
