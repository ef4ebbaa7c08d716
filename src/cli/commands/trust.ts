/**
 * `reins trust AGENT [DIR]`: AGENT may use what the folder brings along for it (hooks, servers, helpers, environment), and
 * does not ask about the folder itself. The gate stays ours. Said once; without an agent: what was said so far. An agent
 * may not say it for itself.
 */
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { type Adapter, adapterNamed, adapters, folderStarts, look } from '../../adapters/index.js';
import { letTrust, letTrustAll, unletTrust } from '../../config/index.js';
import { ReinsError } from '../../contract/index.js';
import { refuseInside } from '../../sessions/inside.js';
import { checkBuiltIn, shownStarts } from '../../sessions/run.js';
import type { Context } from '../context.js';
import { harmless, table } from '../table.js';

export interface TrustFlags {
  revoke?: boolean;
  json?: boolean;
}

export async function trust(
  context: Context,
  asked: { agent: string | undefined; dir: string | undefined },
  flags: TrustFlags,
): Promise<number> {
  if (asked.agent === undefined) return list(context, flags);
  const agent = askingAgent(asked.agent);
  refuseInside(context, 'trust a folder', `run \`reins trust ${agent.id}\` from a terminal of your own`);
  return flags.revoke ? revoke(context, agent, asked.dir) : agree(context, agent, asked.dir);
}

function agree(context: Context, agent: Adapter, dir: string | undefined): number {
  const folder = narrowFolder(context, folderOf(context, dir));
  const starts = folderStarts(agent, folder, look);
  letTrust({ env: context.env, folder, agent: agent.id, starts });
  const { channels } = context;
  channels.chrome(`${agent.label} will not ask about ${harmless(folder)} when Reins starts it there.`);
  if (starts.length > 0) {
    channels.chrome('What this folder brings along then starts with it; tool calls are asked about as ever:');
    for (const line of shownStarts(starts)) channels.chrome(harmless(line));
  }
  channels.chrome('Not for what is added later, and not for folders below it.');
  channels.chrome(`Take it back: reins trust ${agent.id} --revoke`);
  return 0;
}

function revoke(context: Context, agent: Adapter, dir: string | undefined): number {
  // A folder that is gone can be taken back as it was written down.
  const folder = goneOr(() => folderOf(context, dir), resolve(context.cwd, dir ?? '.'));
  const { channels } = context;
  if (!unletTrust({ env: context.env, folder, agent: agent.id })) {
    channels.chrome(`${agent.label} was not told to trust ${harmless(folder)}.`);
    return 0;
  }
  channels.chrome(`Reins no longer tells ${agent.label} to trust ${harmless(folder)}.`);
  if (agent.id === 'claude')
    channels.chrome('What Claude Code has in its own .claude.json stays: hasTrustDialogAccepted of that project.');
  return 0;
}

function list({ env, channels }: Context, flags: TrustFlags): number {
  const all = letTrustAll(env).flatMap(({ folder, agents }) => agents.map((agent) => ({ agent, folder })));
  if (flags.json || channels.format === 'json') channels.json(all);
  else if (all.length === 0) channels.chrome('No agent was told to trust a folder. See `reins trust --help`.');
  else
    channels.out(
      `${table(
        ['AGENT', 'FOLDER'],
        all.map(({ agent, folder }) => [agent, folder]),
      )}\n`,
    );
  return 0;
}

function askingAgent(id: string): Adapter {
  checkBuiltIn(id);
  const agent = adapterNamed(id);
  if (agent?.asksFolderTrust) return agent;
  const asking = adapters.filter((one) => one.asksFolderTrust).map((one) => one.id);
  throw new ReinsError('USAGE', {
    problem: `${agent?.label ?? id} does not ask whether to trust a folder`,
    fix: `name ${asking.join(', ')}`,
  });
}

function folderOf(context: Context, dir: string | undefined): string {
  const asked = resolve(context.cwd, dir ?? '.');
  try {
    const folder = realpathSync(asked);
    if (!statSync(folder).isDirectory()) throw new Error('it is not a directory');
    return folder;
  } catch (error) {
    throw new ReinsError('CWD_INACCESSIBLE', { dir: asked, reason: (error as Error).message }, { cause: error });
  }
}

/** Some agents count a trusted folder for everything below it: the home folder, or one above it, would be all there is. */
function narrowFolder({ env }: Context, folder: string): string {
  const home = goneOr(() => realpathSync(env.HOME ?? homedir()), '/');
  const below = folder.endsWith(sep) ? folder : `${folder}${sep}`;
  if (folder !== home && !home.startsWith(below)) return folder;
  throw new ReinsError('USAGE', {
    problem: `${folder} holds everything you have: an agent that trusts it trusts every clone in it`,
    fix: 'name the folder of one project',
  });
}

function goneOr(find: () => string, otherwise: string): string {
  try {
    return find();
  } catch {
    return otherwise; // it is not there any more, or never was
  }
}
