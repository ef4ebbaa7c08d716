/**
 * What the folder a session works in brings along for its agents (hooks, servers, helpers), and whether the user has
 * agreed to it. It is left out until a person has seen each line that would start and said yes; the gate stays ours
 * either way. Asked once; with nobody there, or after a no, the run goes on without, and says so.
 */
import { type Adapter, adapterNamed, folderStarts, isCovered, look } from '../adapters/index.js';
import { type AgreedFolder, agreedFolder, declineTrust, letTrust } from '../config/index.js';
import { shellWord } from '../contract/index.js';
import type { SessionSpec } from '../host/index.js';
import { insideSession } from './inside.js';
import { arePersons } from './inside-places.js';
import type { StartPorts } from './ports.js';
import type { StartPlace } from './where.js';

/** What a person can take in at once; the rest is counted, and is in the files that are named. */
const MOST_LINES = 20;
const MOST_CELLS = 200;

type AgentPorts = Pick<StartPorts, 'tell' | 'mayStart' | 'looks'>;

export async function ensureAgentFolder(
  where: StartPlace,
  /** Those the session may start. */
  agents: string[],
  ports: AgentPorts,
  /** The folder this one is a worktree of: what was agreed to there holds here, as far as it is the same. */
  like?: string,
): Promise<Pick<SessionSpec, 'trusted_folder'>> {
  const { env, cwd } = where;
  if (like !== undefined && !insideSession(where)) agreeAlike(where, agents, like);
  const before = agreedFolder(env, cwd);
  // What an agent wrote down as agreed to, in a place that it chose, nobody agreed to.
  if (!before || !arePersons(where)) return {};
  const looked: Record<string, string[]> = {};
  for (const id of new Set(agents)) {
    const agent = adapterNamed(id);
    const starts = agent ? folderStarts(agent, before.folder, look) : [];
    if (!agent || starts.length === 0) continue;
    const isYes = await settle({ agent, starts, before, where, ports });
    if (isYes && ports.looks) looked[id] = starts;
  }
  const now = agreedFolder(env, cwd) ?? before;
  const { folder } = now;
  const agreed = [...new Set([...now.agents, ...Object.keys(looked)])].sort();
  const seen = { ...now.seen, ...looked };
  return agreed.length === 0 ? {} : { trusted_folder: { folder, agents: agreed, seen } };
}

function agreeAlike({ env, cwd }: StartPlace, agents: string[], like: string): void {
  const there = agreedFolder(env, like);
  const here = agreedFolder(env, cwd);
  if (!there || !here) return;
  for (const id of new Set(agents)) {
    const agent = there.agents.includes(id) && !here.agents.includes(id) ? adapterNamed(id) : undefined;
    const starts = agent ? folderStarts(agent, here.folder, look) : [];
    if (agent && isCovered(starts, there.seen[id] ?? [])) letTrust({ env, folder: here.folder, agent: id, starts });
  }
}

interface Unsettled {
  agent: Adapter;
  starts: string[];
  before: AgreedFolder;
  where: StartPlace;
  ports: AgentPorts;
}

/** Whether it was agreed to now. */
async function settle({ agent, starts, before, where, ports }: Unsettled): Promise<boolean> {
  const { folder } = before;
  const known = isCovered(starts, before.seen[agent.id] ?? []);
  if (known && before.agents.includes(agent.id)) return false;
  // An agent's own shell has a terminal too; what a folder may start is not for it to say.
  const said = known || insideSession(where) ? undefined : await ports.mayStart?.(agent.label, shownStarts(starts));
  const decided = { env: where.env, folder, agent: agent.id, starts };
  if (said === true && !ports.looks) letTrust(decided);
  if (said === true) return true;
  if (said === false && !ports.looks) declineTrust(decided);
  ports.tell(`! ${agent.label} starts without what this folder brings along for it:`);
  for (const line of shownStarts(starts)) ports.tell(`!${line}`);
  ports.tell(`!   To let it: reins trust ${agent.id} ${shellWord(folder)}`);
  return false;
}

/** Few enough to read, each bounded. */
export function shownStarts(starts: string[]): string[] {
  const lines = starts
    .slice(0, MOST_LINES)
    .map(
      (line) => `  ${line.length > MOST_CELLS ? `${line.slice(0, MOST_CELLS)}… (${line.length} characters)` : line}`,
    );
  const more = starts.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}
