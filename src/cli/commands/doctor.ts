/** `reins doctor`: whether Reins can work here: agents and their doors, terminal, state, config, who can answer. */
import type { Presence } from '../../contract/index.js';
import { lookAtNotifiers } from '../../notify/trial.js';
import type { StartPlace } from '../../sessions/index.js';
import type { Context } from '../context.js';
import {
  examineAgents,
  examineConfig,
  examineHosts,
  examineNode,
  examinePty,
  examineState,
  type Report,
} from '../examine.js';
import { examineConsultant } from '../examine-consultant.js';
import { examineHub } from '../examine-hub.js';
import { nonInteractive, presenceOf } from '../seat.js';
import { harmless, table } from '../table.js';

export async function doctor(context: Context, flags: { json?: boolean }): Promise<number> {
  const { channels } = context;
  channels.chrome('asking the agents for their versions …');
  const report = await examine(context, { version: context.version, tty: presenceOf(nonInteractive(context, {})) });
  if (flags.json) channels.json(report);
  else channels.out(reportText(report));
  return report.usable ? 0 : 1;
}

/** Contract: never throws; leaves nothing running and nothing behind. */
export async function examine(where: StartPlace, known: { version: string; tty: Presence }): Promise<Report> {
  const { report: config, config: inForce } = examineConfig(where);
  const [agents, pty] = await Promise.all([examineAgents(where, inForce, known.version), examinePty(where.env)]);
  const state = examineState(where.env);
  return {
    // Without a terminal agents still get pipes; without a place for sessions nothing starts.
    usable: state.ok && agents.some((agent) => agent.path !== undefined),
    reins: known.version,
    node: examineNode(process.versions.node),
    agents,
    pty,
    tty: known.tty,
    state,
    hub: await examineHub(where.env),
    consultant: await examineConsultant(where, inForce, agents),
    notify: lookAtNotifiers(inForce.notify, where.env),
    stale_hosts: examineHosts(where.env),
    config,
    nested: where.env.REINS_SESSION || null,
  };
}

const TTY_WORDS: Record<string, string> = {
  tty: 'inquiries can be answered here',
  'no-controlling-tty': 'this process has no controlling terminal',
  'background-job': 'this process runs in the background of its terminal',
  env: 'REINS_FRONTEND=noninteractive is set',
  flag: '--non-interactive was given',
};

const DOORS =
  '  doors: autonomous / interactive; stream and control are headless, tui is the agent’s own terminal program';

export function reportText(report: Report): string {
  const { node, pty, tty, state, config } = report;
  const word = (ok: boolean) => (ok ? 'ok' : 'no');
  const config_ = config.ok ? config.files.join(', ') || 'no file, the defaults are in force' : config.reason!;
  const rows = [
    ['reins', 'ok', report.reins],
    ['node', word(node.ok), node.reason ? `${node.version}: ${node.reason}` : node.version],
    ['pty', word(pty.ok), pty.reason ?? 'a terminal was opened and closed'],
    ['/dev/tty', word(tty.present), `${tty.reason}: ${TTY_WORDS[tty.reason] ?? 'nobody can answer here'}`],
    ['state', word(state.ok), state.reason ? `${state.dir}: ${state.reason}` : state.dir],
    ['config', word(config.ok), config_],
    ['consultant', ...consultantWords(report.consultant)],
    ['notify', ...notifyWords(report.notify)],
    ['hub', ...hubWords(report.hub)],
  ];
  const lines = [
    table(['AGENT', 'GUARDED', 'FULL', 'VERSION', 'WHERE'], report.agents.map(agentRow)),
    ...(report.agents.some((agent) => agent.path !== undefined) ? [DOORS] : []),
    ...report.agents.flatMap(agentNotes).map((line) => `  ${harmless(line)}`),
    '',
    table(
      ['PART', '', ''],
      rows.map((row) => row.map((cell) => cell.split('\n', 1)[0]!)),
    ),
    ...notes(report).map((line) => `! ${harmless(line)}`),
    '',
    report.usable ? 'Reins can work here.' : `Reins cannot work here: ${whyNot(report)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function consultantWords({ used, agent, model, ok, reason }: Report['consultant']): [string, string] {
  const who = harmless(model === undefined ? `${agent}` : `${agent} (${model})`);
  if (used) return ok ? ['ok', `${who}, ready`] : ['no', harmless(reason!)];
  const could = ok ? `${who} could be` : harmless(reason!);
  return ['–', `no other agent is asked in your place (docs/consult.md); ${could}`];
}

function hubWords({ running, address, devices, reason }: Report['hub']): [string, string] {
  const who = devices === 0 ? 'no device is let in: reins pair' : devices === 1 ? '1 device' : `${devices} devices`;
  if (!running) return ['–', devices === 0 ? 'not running' : `not running: reins serve; ${who}`];
  return reason === undefined ? ['ok', harmless(`${address}; ${who}`)] : ['no', harmless(`${address}: ${reason}`)];
}

function notifyWords(notify: Report['notify']): [string, string] {
  if (notify.length === 0) return ['–', 'nobody is told while you are away (docs/notify.md)'];
  const wrong = notify.find(({ reason }) => reason !== undefined);
  if (wrong) return ['no', harmless(`${wrong.name}: ${wrong.reason}`)];
  const names = notify.map(({ name, answers }) => (answers ? `${name} (may answer)` : name));
  return ['ok', harmless(`${names.join(', ')}; try it: reins notify test`)];
}

type Agent = Report['agents'][number];

function agentRow(agent: Agent): string[] {
  const { autonomous, interactive } = agent.doors;
  const doors = (trust: 'guarded' | 'full') =>
    agent.path === undefined ? '' : [autonomous, interactive].map((mode) => mode[trust].door ?? '–').join(' / ');
  const where = agent.path ?? agent.missing ?? '';
  return [
    agent.id,
    doors('guarded'),
    doors('full'),
    agent.version ?? '',
    agent.enabled ? where : `${where} (switched off)`,
  ];
}

/** What a table cannot hold, of the agents that are there; of the others, how to get them. */
function agentNotes(agent: Agent): string[] {
  if (agent.path === undefined) return [`${agent.id}: ${agent.install}`];
  const views = (['autonomous', 'interactive'] as const).flatMap((mode) =>
    (['guarded', 'full'] as const).map((trust) => ({ mode, trust, view: agent.doors[mode][trust] })),
  );
  const refused = views.flatMap(({ mode, trust, view }) =>
    view.refused === undefined ? [] : [`${agent.id}, ${mode} and ${trust}: ${view.refused}`],
  );
  const held = views.filter(({ view }) => view.deliver).map(({ mode, trust }) => `${mode} ${trust}`);
  const deliver = held.length === 0 ? 'not offered, every result reaches it unasked' : `offered (${held.join(', ')})`;
  return [...(agent.note ? [agent.note] : []), ...refused, `${agent.id}: deliver is ${deliver}`];
}

function notes(report: Report): string[] {
  const { config, stale_hosts: stale, nested } = report;
  return [
    ...(config.ok ? [] : config.reason!.split('\n').slice(1)),
    ...(config.untrusted.length === 0
      ? []
      : [`the project’s file is not trusted yet (\`reins init --trust\`): ${config.untrusted.join('; ')}`]),
    ...stale.map(({ session, pid, mode }) => {
      // One command is not taken up again; what is left of it can be ended.
      const next = mode === 'exec' ? `end what it left with \`reins stop` : `go on with \`reins run --continue`;
      return `the host of ${session} (pid ${pid}) died: ${next} ${session}\``;
    }),
    ...(nested === null ? [] : [`this shell belongs to session ${nested}: a session started here is nested in it`]),
  ];
}

function whyNot({ agents, state }: Report): string {
  if (!state.ok) return `${state.dir} cannot be written; set XDG_STATE_HOME to a directory you can write`;
  return `none of ${agents.map((agent) => agent.id).join(', ')} was found; try \`reins demo\` meanwhile`;
}
