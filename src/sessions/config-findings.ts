/**
 * What is wrong or odd in a config that the schema accepts: rules nobody can read or that never decide, hats that cannot
 * work together, agents Reins does not know. Errors are what a run would refuse; each line says where and what to do.
 */
import { adapters } from '../adapters/index.js';
import { type LoadedConfig, nearest, type RuleLine, wornAgent } from '../config/index.js';
import { checkHats, type HatFinding, loopSettingsFrom } from '../loop/index.js';
import { unreachable } from '../policy/index.js';
import { isKnownAgent, moduleProblems } from './adapter-modules.js';
import { ruleProblems } from './settings.js';

export interface Findings {
  errors: string[];
  warnings: string[];
}

export function configFindings(loaded: LoadedConfig): Findings {
  const hats = checkHats(loopSettingsFrom(loaded.config));
  const hatLine = (finding: HatFinding) => hatFindingLine(loaded, finding);
  return {
    errors: [
      ...ruleProblems([...loaded.rules, ...hatRules(loaded)]),
      ...backendProblems(loaded),
      ...moduleProblems(loaded).map(({ key, text }) => `${at(loaded, key)}${key}: ${text}`),
      ...hats.errors.map(hatLine),
    ],
    warnings: [
      ...loaded.notices,
      ...unreachable(loaded.rules).map(
        ({ rule, why }) => `${rule.source} rules.${rule.effect}: ${rule.text} never decides anything: ${why}`,
      ),
      ...unknownAdapters(loaded),
      ...ungated(loaded),
      ...sameGates(loaded),
      ...hats.warnings.map(hatLine),
    ],
  };
}

/** What hats may not call: a rule that nobody can read would open what someone meant to close. */
function hatRules(loaded: LoadedConfig): RuleLine[] {
  return Object.keys(loaded.config.hats).flatMap((id) => {
    const key = `hats.${id}.disallowed_tools`;
    return wornAgent(loaded.config, id).deny.map((text): RuleLine => {
      return { text, effect: 'deny', source: `${at(loaded, key)}${key}`, layer: 'project' };
    });
  });
}

export function hatFindingLine(loaded: LoadedConfig, { path, text, fix }: HatFinding): string {
  return `${at(loaded, path)}${path}: ${text}; ${fix}`;
}

/** `reins.yml:3:5 `, or nothing for what no file says. */
function at(loaded: LoadedConfig, key: string): string {
  const found =
    loaded.origins.get(key) ?? [...loaded.origins].find(([known]) => known.startsWith(`${key}.`))?.[1] ?? undefined;
  return found ? `${found.origin.source} ` : '';
}

/** Agents that are known as commands: how each is told to speak ACP. */
const OVER_ACP: Record<string, string> = { opencode: 'acp', qwen: '--acp' };

function backendProblems(loaded: LoadedConfig): string[] {
  const known = adapters.map((adapter) => adapter.id);
  return backends(loaded).flatMap(({ key, backend, command }) => {
    if (!isKnownAgent(loaded.config, backend)) {
      const meant = nearest(backend, known);
      const acp = Object.hasOwn(OVER_ACP, backend) ? OVER_ACP[backend] : undefined;
      const what = acp
        ? `; it runs over ACP: cli: {backend: custom, command: ${backend}, args: [${acp}], acp: true}`
        : meant
          ? `; did you mean ${meant}?`
          : '';
      return [`${at(loaded, key)}${key}: ${backend} is not a backend Reins knows (${known.join(', ')})${what}`];
    }
    if (backend !== 'custom' || command !== undefined) return [];
    return [`${at(loaded, key)}${key}: the custom backend requires a command; set cli.command`];
  });
}

interface NamedBackend {
  key: string;
  backend: string;
  command?: string | undefined;
}

function backends({ config }: LoadedConfig): NamedBackend[] {
  const { command } = config.cli;
  const hats = Object.keys(config.hats).flatMap((id): NamedBackend[] => {
    const { adapter, cli } = wornAgent(config, id);
    return adapter === undefined ? [] : [{ key: `hats.${id}.backend`, backend: adapter, command: cli.command }];
  });
  return [
    ...(config.cli.backend === 'auto' ? [] : [{ key: 'cli.backend', backend: config.cli.backend, command }]),
    ...(config.consult.backend === undefined
      ? []
      : [{ key: 'consult.backend', backend: config.consult.backend, command }]),
    ...hats,
  ];
}

function unknownAdapters(loaded: LoadedConfig): string[] {
  const names = Object.keys(loaded.config.adapters).filter((name) => !isKnownAgent(loaded.config, name));
  return names.map(
    (name) => `${at(loaded, `adapters.${name}`)}adapters.${name}: no agent of that name, it has no effect`,
  );
}

function ungated(loaded: LoadedConfig): string[] {
  const { cli, trust } = loaded.config;
  if (trust === 'full' || cli.acp || !backends(loaded).some(({ backend }) => backend === 'custom')) return [];
  return [
    `${at(loaded, 'cli.backend')}cli.backend: Reins cannot gate the custom backend, so \`trust: guarded\` refuses it; ` +
      'pass --trust full, or set cli.acp if it speaks ACP (and cli.acp_asks, if Reins does not know that it asks)',
  ];
}

function sameGates(loaded: LoadedConfig): string[] {
  const names = loaded.config.event_loop.gates.map((gate) => gate.name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  const place = at(loaded, 'event_loop.gates');
  return [...twice].map((name) => `${place}event_loop.gates: two gates are called ${name}; give each its own name`);
}
