/** `reins policy explain`: which answer a call would get, with a person there and with nobody, and which line says so. */
import { existsSync, readlinkSync } from 'node:fs';
import { type Adapter, adapterNamed, adapters } from '../../adapters/index.js';
import type { Config } from '../../config/index.js';
import { type InquiryKind, ReinsError, type Trust } from '../../contract/index.js';
import { policySettings, reachableBy } from '../../host/index.js';
import { canonicalTool, type Explained, explainPolicy, loadShell, makeResolver } from '../../policy/index.js';
import type { StartPlace } from '../../sessions/index.js';
import { customOf, loadSettings, type SettingsAsk, untrustedParts } from '../../sessions/run.js';
import { doorsOf } from '../agent-doors.js';
import type { Context } from '../context.js';
import { harmless } from '../table.js';

export interface SideView {
  verdict: Explained['verdict'];
  rule: string;
  source: string;
  file?: string;
  line?: number;
  text: string;
  fix?: string;
}

export interface PolicyView {
  tool: string;
  kind: InquiryKind;
  input?: unknown;
  attached: SideView;
  /** Present where somebody who is away can be fetched. */
  reachable?: SideView;
  detached: SideView;
  notes: string[];
}

type Flags = Pick<SettingsAsk, 'config' | 'set'> & { kind?: string; trust?: Trust; json?: boolean };

export async function explain(
  context: Context,
  tool: string,
  input: string | undefined,
  flags: Flags,
): Promise<number> {
  const view = await explainCall(context, { tool, ...(input === undefined ? {} : { input }) }, flags);
  const { channels } = context;
  if (flags.json) {
    channels.json(view);
    return 0;
  }
  const sides = [view.attached, ...(view.reachable ? [view.reachable] : []), view.detached];
  channels.out(sides.map(({ text }) => `${harmless(text)}\n`).join(''));
  for (const note of view.notes) channels.chrome(harmless(note));
  const { fix } = view.detached;
  if (fix) channels.chrome(harmless(`to change it: ${fix}`));
  return 0;
}

export async function explainCall(
  where: StartPlace,
  call: { tool: string; input?: string },
  flags: Flags,
): Promise<PolicyView> {
  const { tool } = call;
  checkName(tool);
  const kind = kindOf(tool, flags.kind);
  const input = readInput(tool, call.input);
  const settings = loadSettings(where, {
    ...flags,
    ...(flags.trust === undefined ? {} : { flags: { trust: flags.trust }, flagNames: { trust: '--trust' } }),
  });
  const { loaded, rules, sources, trust, trustSource } = settings;
  const policy = policySettings({
    config: loaded.config,
    rules,
    sources,
    trust,
    trust_source: trustSource,
    cwd: where.cwd,
  });
  const tools = { shell: await loadShell(), resolvePath: makeResolver(linkTarget), exists: existsSync };
  const fetched = reachableBy(loaded.config);
  const { attached, reachable, detached } = explainPolicy({ tool, input, kind, reachable: fetched }, policy, tools);
  const untrusted = untrustedParts(where, settings);
  return {
    tool,
    kind,
    ...(input === undefined ? {} : { input }),
    attached: sideView(attached),
    ...(reachable ? { reachable: sideView(reachable) } : {}),
    detached: sideView(detached),
    notes: [
      ...(untrusted.length === 0
        ? []
        : [
            `${loaded.project!.name} is not trusted yet: where it is committed, a run asks first or refuses (\`reins init --trust\`)`,
          ]),
      ...(kind === 'deliver' ? deliverNotes(loaded.config) : []),
      ...(fetched === undefined && writesReachable(loaded.config) ? [UNFETCHED] : []),
    ],
  };
}

/** A rule (`Bash(npm test)`) is easily taken for a call. */
function checkName(tool: string): void {
  if (/^[^\s()]+$/.test(tool)) return;
  const [, name, input] = /^([^\s()]+)\((.*?)\)?$/s.exec(tool) ?? [];
  throw new ReinsError('USAGE', {
    problem: `${JSON.stringify(tool)} is no name of a tool`,
    fix: `name and input stand apart: reins policy explain ${name ?? 'Bash'} '${name === undefined ? 'npm test' : input}'`,
  });
}

const UNFETCHED =
  'tools.….reachable is written, but nobody can be fetched: give notify.command or a webhook answers: true (in quiet hours neither counts)';

const writesReachable = ({ tools }: Config): boolean =>
  Object.values(tools).some((tool) => tool.reachable !== undefined);

function sideView({ decision, verdict, rule, source, file, line, text }: Explained): SideView {
  const fix = decision.do === 'settle' ? decision.fix : undefined;
  return {
    verdict,
    rule,
    source,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    text,
    ...(fix === undefined ? {} : { fix }),
  };
}

const KINDS: Record<string, InquiryKind> = { run: 'run', deliver: 'deliver', question: 'question', tool: 'question' };

function kindOf(tool: string, asked: string | undefined): InquiryKind {
  if (asked === undefined) return canonicalTool(tool) === 'AskUserQuestion' ? 'question' : 'run';
  const kind = Object.hasOwn(KINDS, asked) ? KINDS[asked] : undefined;
  if (kind) return kind;
  throw new ReinsError('USAGE', { problem: `--kind ${asked} is not known`, fix: 'use run, deliver or question' });
}

/** JSON as the agent would send it; for a shell the bare command will do. Throws USAGE. */
export function readInput(tool: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const isShell = canonicalTool(tool) === 'Bash';
  try {
    const input: unknown = JSON.parse(text);
    // `true` and `"ls"` are JSON, and commands: to a shell they are meant as the latter.
    return isShell && (typeof input !== 'object' || input === null) ? { command: text } : input;
  } catch (error) {
    if (isShell && !/^\s*\{\s*"/.test(text)) return { command: text };
    const example = isShell ? `'{"command": "npm test"}', or the command itself` : `'{"file_path": "src/a.ts"}'`;
    throw new ReinsError(
      'USAGE',
      {
        problem: `the input is no JSON: ${(error as Error).message}`,
        fix: `write it in single quotes, like ${example}`,
      },
      { cause: error },
    );
  }
}

/** Results of a tool can be held back only where the agent asks before it reads them. */
export function deliverNotes(config: Config): string[] {
  const backend = config.cli.backend;
  const offers = (adapter: Adapter) => {
    const doors = doorsOf(adapter, { custom: customOf(config) });
    return (['autonomous', 'interactive'] as const).filter((mode) => doors[mode][config.trust].deliver);
  };
  const named = adapterNamed(backend);
  if (!named) {
    const some = adapters.filter((adapter) => offers(adapter).length > 0).map((adapter) => adapter.id);
    return [
      `deliver is offered by ${some.join(', ') || 'no agent'} under trust ${config.trust}; others get every result unasked`,
    ];
  }
  const modes = offers(named);
  if (modes.length === 2) return [];
  if (modes.length === 0) {
    return [`deliver is not offered by ${named.label} under trust ${config.trust}: it gets every result unasked`];
  }
  const missing = modes[0] === 'interactive' ? 'autonomous' : 'interactive';
  return [
    `deliver is offered by ${named.label} in ${modes[0]} mode; in ${missing} mode under trust ${config.trust} it gets every result unasked`,
  ];
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link, or nothing there: the path stands for itself
  }
}
