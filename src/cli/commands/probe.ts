/**
 * `reins doctor --probe`: each agent that can be rehearsed goes through its doors once, offline, and the report says which
 * of the signs we build on still hold for its version. `--pinned`: the lab's own versions instead of those on PATH.
 */
import { basename } from 'node:path';
import { Detector, isFound } from '../../adapters/index.js';
import { ReinsError } from '../../contract/index.js';
import { type ProbedAgent, type ProbeReport, remember, SIGNS, type Sign } from '../../sessions/run.js';
import { type Installed, install, type LabAgent, versions } from '../../testing/index.js';
import type { Context } from '../context.js';
import { agentsPage } from '../probe/agents-page.js';
import { probeAgent } from '../probe/rehearsals.js';
import { harmless, table } from '../table.js';

export interface ProbeFlags {
  json?: boolean;
  pinned?: boolean;
  markdown?: boolean;
}

export async function probe(context: Context, flags: ProbeFlags): Promise<number> {
  const { channels } = context;
  const found = flags.pinned ? await pinned(context) : await onThisMachine(context);
  if (found.length === 0) {
    const known = Object.keys(versions).join(', ');
    throw new ReinsError('USAGE', {
      problem: `none of ${known} is on PATH`,
      fix: 'probe the lab’s own with --pinned, or install one',
    });
  }
  const agents: ProbedAgent[] = [];
  // One after the other: they share the processor, and a late sign would look like a missing one.
  for (const one of found) {
    channels.chrome(`probing ${one.agent} ${one.version}, offline …`);
    const probed = await probeAgent(one, context.env);
    remember(context.env, probed, { reins: context.version, at: new Date() });
    agents.push(probed);
  }
  const report: ProbeReport = {
    reins: context.version,
    ok: agents.every(({ signs }) => signs.every(({ ok }) => ok)),
    agents,
  };
  if (flags.json) channels.json(report);
  else channels.out(flags.markdown ? agentsPage(report) : reportText(report));
  return report.ok ? 0 : 1;
}

async function pinned({ env }: Context): Promise<Installed[]> {
  const wanted = (Object.keys(versions) as LabAgent[]).flatMap((agent) => {
    const { version, also = [] } = versions[agent];
    return [...also, version].map((one) => ({ agent, version: one }));
  });
  return Promise.all(
    wanted.map(({ agent, version }) =>
      install(agent, { ...env, REINS_LAB_VERSIONS: `${agent}=${version}` }).catch((error: Error) => {
        throw new ReinsError('AGENT_UNSTARTABLE', {
          agent,
          reason: error.message,
          fix: 'is the npm registry in reach?',
        });
      }),
    ),
  );
}

async function onThisMachine({ env, cwd }: Context): Promise<Installed[]> {
  const agents = Object.keys(versions) as LabAgent[];
  const detector = new Detector({ order: agents, env, cwd });
  try {
    const all = await detector.all();
    return all.filter(isFound).map(({ adapter, path, version }) => ({
      agent: adapter as LabAgent,
      version: /\d+(?:\.\d+)+\S*/.exec(version)?.[0] ?? (version || 'unknown'),
      program: path,
      dir: basename(path),
    }));
  } finally {
    detector.close();
  }
}

export function reportText(report: ProbeReport): string {
  const signs = Object.keys(SIGNS) as Sign[];
  const cell = ({ signs: all }: ProbedAgent, sign: Sign) => {
    const seen = all.filter((one) => one.sign === sign);
    return seen.length === 0 ? '–' : seen.every(({ ok }) => ok) ? 'yes' : 'NO';
  };
  const rows = report.agents.map((one) => [one.agent, one.version, ...signs.map((sign) => cell(one, sign))]);
  const broken = report.agents.flatMap(({ agent, signs: all }) =>
    all.filter(({ ok }) => !ok).map(({ sign, detail }) => `! ${agent}: ${SIGNS[sign]}: no (${harmless(detail ?? '')})`),
  );
  const last = report.ok ? 'Every sign holds.' : 'Some signs no longer hold: what depends on them may fail.';
  return `${[table(['AGENT', 'VERSION', ...signs.map((sign) => sign.toUpperCase())], rows), ...broken, '', last].join('\n')}\n`;
}
