/**
 * From a session's facts to a started agent: asks the adapter for a plan, writes the plan's private files, starts the
 * process. The plan itself is pure, so `--dry-run` prints exactly what would happen.
 */
import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Adapter, FileEntry, LaunchAsk, LaunchPlan } from '../adapters/index.js';
import { folderStarts, isCovered, loadedAdapter, look } from '../adapters/loaded.js';
import type { AdapterConfig } from '../config/index.js';
import { type Clock, ReinsError, type Size } from '../contract/index.js';
import { DISK_REFUSES, FILES, writeWhole } from '../disk/index.js';
import { isAbout, isRuleError, parseRule } from '../policy/about.js';
import { acceptEntry } from './agent-file.js';
import type { StartedAgent } from './agent-process.js';
import { agentEnv } from './environment.js';
import { keepFile } from './kept-files.js';
import { makeMirror } from './mirror.js';
import type { RunPorts } from './run/ports.js';
import { writeSpare } from './spare-file.js';
import type { SessionSpec } from './spec.js';

/** How long an agent waits for its hook: a night, so that an approval in the morning still counts. */
export const HOOK_TIMEOUT_SECS = 12 * 60 * 60;

export interface LaunchChoice {
  adapter: Adapter;
  mode: 'autonomous' | 'interactive' | 'conversation';
  /** Autonomous work in the agent's own terminal program. */
  tui: boolean;
  prompt?: string;
  promptFile: string;
  conversation?: { id: string; resume: boolean };
  /** A companion can be run beside the agent. */
  companion?: boolean;
}

type LaunchPorts = Pick<RunPorts, 'spec' | 'env' | 'bin' | 'inside' | 'journal' | 'clock' | 'log' | 'start'>;

export interface Planned {
  plan: LaunchPlan;
  door: 'stream' | 'control' | 'tui';
  env: Record<string, string | undefined>;
}

/** One of those that were loaded when the session began. */
export function adapterFor(id: string): Adapter {
  const adapter = loadedAdapter(id);
  if (!adapter) throw new ReinsError('BACKEND_UNKNOWN', { backend: id, known: 'see `reins doctor`' });
  return adapter;
}

/** Changes nothing. Throws what the user should read when there is no way to start this agent so. */
export function planLaunch(
  from: {
    spec: SessionSpec;
    dir: string;
    env: Record<string, string | undefined>;
    hook: RunPorts['hook'];
    settings: AdapterConfig;
    /** For what the agent says about times: the session's own. */
    clock?: Clock;
  },
  choice: LaunchChoice,
): Planned {
  const { spec, dir, env, hook, settings } = from;
  const { adapter } = choice;
  const mode = choice.tui || choice.mode === 'interactive' ? 'interactive' : 'autonomous';
  const { cli } = spec.config;
  const version = spec.agent?.adapter === adapter.id ? spec.agent.version : undefined;
  const custom = {
    args: cli.args,
    prompt_mode: cli.prompt_mode,
    ...(cli.command === undefined ? {} : { command: cli.command }),
    ...(cli.prompt_flag === undefined ? {} : { prompt_flag: cli.prompt_flag }),
    acp: cli.acp,
    acp_asks: cli.acp_asks,
  };
  const versioned = version === undefined ? {} : { version };
  // A deny rule beats trust: an agent that has one over it needs a gate, and trust then answers everything else.
  const denied = spec.trust === 'full' && spec.rules.some((rule) => rule.effect === 'deny');
  // So with a conversation, for the sake of its two ways.
  const trust = denied || choice.mode === 'conversation' ? 'guarded' : spec.trust;
  // In its own terminal program only a hook says at once that a turn is over, and a loop waits for that: under full trust too.
  const shownLoop = choice.tui && choice.mode === 'autonomous';
  const hooked = trust === 'guarded' || shownLoop;
  const chosen = adapter.door({ mode, trust, custom, ...versioned });
  if (typeof chosen !== 'string') throw denied ? unenforceable(adapter, spec) : refusal(adapter, chosen);
  const plan = planned(adapter, {
    door: chosen,
    mode,
    trust,
    ...(choice.prompt === undefined ? {} : { prompt: choice.prompt }),
    promptFile: choice.promptFile,
    cwd: spec.cwd,
    ...versioned,
    args: [...settings.args, ...spec.agent_args],
    dir,
    session: spec.id,
    ...(choice.conversation ? { conversation: choice.conversation } : {}),
    ...(hooked ? { hook: { argv: [...hook.argv, hookFile(dir, hook).path], timeoutSecs: HOOK_TIMEOUT_SECS } } : {}),
    ...(shownLoop ? { oneTurn: true } : {}),
    custom,
    env: { ...env, ...settings.env },
    look,
    ...(from.clock ? { clock: from.clock } : {}),
    ...(choice.companion ? { companion: true } : {}),
    // A conversation is read along; a loop is not worth the bytes.
    ...(choice.mode === 'conversation' ? { partial: true } : {}),
    ...deniesOf(spec),
    allows: (tool) => isAllowedByName(spec, tool),
    ...trustedOf(adapter, spec),
  });
  if ('refused' in plan)
    throw plan.refused === 'deny' || denied ? unenforceable(adapter, spec, plan.reason) : refusal(adapter, plan);
  if (plan.voidedBy && holds(plan.voidedBy)) {
    const reason = `it ignores what Reins tells it, because of what is in ${plan.voidedBy.folder}`;
    throw denied ? unenforceable(adapter, spec, reason) : refusal(adapter, { refused: 'ungated', reason });
  }
  if (choice.mode === 'conversation' && !plan.protocol) {
    const reason = 'without its terminal program it takes one prompt and no more';
    throw refusal(adapter, { refused: 'no-door', reason });
  }
  const files = hooked ? [...plan.files, hookFile(dir, hook)] : plan.files;
  // What a folder brings along can leave only the two-way door.
  const door = chosen === 'stream' && plan.protocol ? 'control' : chosen;
  return { plan: { ...plan, files }, door, env: { ...plan.env, ...settings.env, ...plan.pinned } };
}

/** Where our hook finds the host, and its word that it is ours; it gives up a little before the agent loses patience. */
function hookFile(dir: string, { socket, secret }: RunPorts['hook']): LaunchPlan['files'][number] {
  const content = JSON.stringify({ socket, secret, timeoutSecs: HOOK_TIMEOUT_SECS - 2 });
  return { path: join(dir, FILES.hooks, FILES.hookFile), content };
}

/** Looked at before every start: what an agent wrote into its folder's settings meanwhile nobody has agreed to. */
function trustedOf(adapter: Adapter, { trusted_folder: agreed }: SessionSpec): Pick<LaunchAsk, 'trustedFolder'> {
  if (!agreed?.agents.includes(adapter.id)) return {};
  const starts = folderStarts(adapter, agreed.folder, look);
  return isCovered(starts, agreed.seen?.[adapter.id] ?? []) ? { trustedFolder: agreed.folder } : {};
}

/** What stands in the way of a look stands in the way of the start: nobody knows what it would say. */
function planned(adapter: Adapter, ask: LaunchAsk): ReturnType<Adapter['plan']> {
  try {
    return adapter.plan(ask);
  } catch (error) {
    if (error instanceof ReinsError) throw error;
    const fix = 'see that it can be read';
    throw new ReinsError('AGENT_UNSTARTABLE', { agent: adapter.label, reason: (error as Error).message, fix });
  }
}

/** A folder that cannot be looked into counts as holding something. */
function holds({ folder, ending }: { folder: string; ending: string }): boolean {
  try {
    return readdirSync(folder).some((name) => name.endsWith(ending));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** Nothing where nothing is denied. A rule nobody can read is about every tool. */
function deniesOf({ rules }: SessionSpec): Pick<LaunchAsk, 'denies'> {
  const denied = rules.filter(({ effect }) => effect === 'deny').map(({ text }) => parseRule(text));
  if (denied.length === 0) return {};
  return { denies: (tool) => denied.some((rule) => isRuleError(rule) || isAbout(rule, tool)) };
}

/** With full trust everything is; of rules only those about the whole of the tool count. */
function isAllowedByName({ trust, rules }: SessionSpec, tool: string): boolean {
  if (trust === 'full') return true;
  const allowing = rules.filter(({ effect }) => effect === 'allow').map(({ text }) => parseRule(text));
  return allowing.some((rule) => !isRuleError(rule) && isAbout(rule, tool));
}

function unenforceable(adapter: Adapter, spec: SessionSpec, reason?: string): ReinsError {
  const rule = spec.rules.find((one) => one.effect === 'deny');
  return new ReinsError('DENY_UNENFORCEABLE', {
    agent: adapter.label,
    rule: rule?.text,
    source: rule?.source,
    ...(reason === undefined ? {} : { why: ` (${reason})` }),
  });
}

function refusal(adapter: Adapter, refused: { refused: string; reason: string }): ReinsError {
  if (refused.refused === 'no-command') return new ReinsError('CUSTOM_NEEDS_COMMAND');
  if (refused.refused === 'args') {
    const problem = `${adapter.label} is not given ${refused.reason}`;
    return new ReinsError('USAGE', {
      problem,
      fix: `take it out of adapters.${adapter.id}.args, or from behind \`--\`; with --trust full and no deny rules it may stay`,
    });
  }
  if (refused.refused === 'ungated') {
    return new ReinsError('AGENT_UNGATED', {
      agent: adapter.label,
      gated: 'claude, codex, gemini, kiro, amp',
      reason: refused.reason,
    });
  }
  return new ReinsError('AGENT_UNSTARTABLE', {
    agent: adapter.label,
    reason: refused.reason,
    fix: 'choose another mode',
  });
}

export async function launch(ports: LaunchPorts, planned: Planned, size: Size): Promise<StartedAgent> {
  const { plan } = planned;
  // A companion has been given its files, and uses them.
  const trouble = plan.companion ? undefined : prepare(plan);
  if (trouble) return trouble;
  if (plan.accepts) await tellBeforehand(ports, plan.accepts);
  return start(ports, planned, size);
}

function prepare(plan: LaunchPlan): Extract<StartedAgent, { ok: false }> | undefined {
  try {
    for (const mirror of plan.mirrors ?? []) makeMirror(mirror);
    for (const file of plan.files) keepFile(file);
    return undefined;
  } catch (error) {
    return {
      ok: false,
      code: 'AGENT_UNSTARTABLE',
      reason: `a file for it cannot be written: ${(error as Error).message}`,
    };
  }
}

function start(ports: LaunchPorts, planned: Planned, size: Size): Promise<StartedAgent> {
  const { plan } = planned;
  const { spec, journal, clock, log } = ports;
  const found = spec.agent && plan.command === adapterFor(spec.agent.adapter).command ? spec.agent.path : plan.command;
  return ports.start({
    command: isAbsolute(plan.command) ? plan.command : found,
    args: plan.args,
    cwd: spec.cwd,
    env: agentEnv(ports, planned.env),
    io: plan.io,
    stdin: plan.stdin,
    size,
    ...(spec.seat.term === undefined ? {} : { term: spec.seat.term }),
    session: spec.id,
    ...(plan.polite ? { polite: plan.polite } : {}),
    journal,
    clock,
    log,
  });
}

const told = new WeakMap<RunPorts['journal'], Set<string>>();

/** Once per session: a loop plans the same start again and again. */
export function tellNotes(journal: RunPorts['journal'], { notes }: LaunchPlan): void {
  const before = told.get(journal) ?? new Set();
  told.set(journal, before);
  for (const text of notes.filter((note) => !before.has(note))) {
    before.add(text);
    journal.append('notice', { level: 'info', text });
  }
}

async function tellBeforehand({ journal, clock }: LaunchPorts, entry: FileEntry): Promise<void> {
  const accepted = await acceptEntry(entry, clock);
  if (accepted.did === 'nothing') return;
  const { file, path, value } = entry;
  const what = `${path.map((key, at) => (at === 0 ? key : `[${JSON.stringify(key)}]`)).join('')} = ${value}`;
  const refused = accepted.did === 'refused';
  const text = refused
    ? `${file} was left as it is (${accepted.reason}): you agreed to ${what}, and will be asked all the same`
    : `as you agreed, ${file} now says ${what}`;
  const level = refused ? 'warn' : 'info';
  journal.append('notice', { level, code: 'agent.file', text, facts: { file, path, did: accepted.did } });
}

/** The plan's companion, on this socket: the same program in the same environment, without a terminal. */
export async function launchCompanion(ports: LaunchPorts, planned: Planned, socket: string): Promise<StartedAgent> {
  const { polite: _keys, ...plan } = planned.plan;
  const server: LaunchPlan = { ...plan, args: plan.companion!.args(socket), io: 'pipe', stdin: 'closed' };
  return prepare(plan) ?? start(ports, { ...planned, plan: server }, ports.spec.seat.size);
}

/** An iteration's prompt on record, under its name in the session's directory; beside it where that disk takes nothing. */
export function writePrompt(dir: string, name: string, text: string): string {
  const file = join(dir, name);
  try {
    writeWhole(file, text);
    return file;
  } catch (error) {
    if (!DISK_REFUSES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return writeSpare(name, text);
  }
}
