/**
 * Agents that Reins runs as `custom` over ACP, pinned, on the lab's model: what the gate over ACP rests on was measured
 * with these. They have no adapter of their own, and so no seat like the others'.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Installed, installPinned } from './install.js';
import type { Pinned } from './versions.js';

export type AcpAgent = 'opencode' | 'qwen';

/**
 * Those a plain run of the lab has: what takes more than 150 MB is tried only where `REINS_LAB_ACP` names it (opencode:
 * 60 MB to load, 177 MB on disk; qwen: 44 and 144).
 */
export const acpAgents = (env: NodeJS.ProcessEnv): AcpAgent[] =>
  EVERY.filter((agent) => (env.REINS_LAB_ACP ?? 'qwen').split(',').includes(agent));
const EVERY: AcpAgent[] = ['opencode', 'qwen'];

const PINNED: Record<AcpAgent, Pinned> = {
  opencode: {
    // Its own package brings two programs of 177 MB each: this is the one of them that runs on any processor.
    package: `opencode-${process.platform}-${process.arch}${process.arch === 'x64' ? '-baseline' : ''}`,
    version: '1.18.33',
    programs: ['node_modules/opencode-*/bin/opencode'],
  },
  qwen: { package: '@qwen-code/qwen-code', version: '0.24.4', programs: ['node_modules/.bin/qwen'] },
};

export const installAcp = (agent: AcpAgent, env: NodeJS.ProcessEnv): Promise<Omit<Installed, 'agent'>> =>
  installPinned(agent, PINNED[agent], env);

/** Not a secret: the lab's model does not look at it. */
const KEY = 'lab-key-that-opens-nothing';

/** An environment made from nothing, with a home of its own; `home` is where the agent's own settings are. */
export function acpSeat(
  agent: AcpAgent,
  given: { url: string; dir: string; path: string },
): { env: Record<string, string>; home: string } {
  const home = join(given.dir, 'home');
  const temporary = join(given.dir, 'tmp');
  for (const folder of [home, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const base = `${given.url}/v1`;
  const own = { opencode, qwen }[agent](home, base);
  mkdirSync(join(own.file, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(own.file, JSON.stringify(own.settings), { mode: 0o600 });
  const config = join(home, '.config');
  const env = {
    PATH: given.path,
    HOME: home,
    XDG_CONFIG_HOME: config,
    TMPDIR: temporary,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
  return { home, env: { ...env, ...own.env } };
}

interface OwnFile {
  file: string;
  settings: object;
  env: Record<string, string>;
}

function opencode(home: string, baseURL: string): OwnFile {
  const lab = { npm: '@ai-sdk/openai-compatible', name: 'lab', options: { baseURL, apiKey: KEY }, models: { lab: {} } };
  return {
    file: join(home, '.config/opencode/opencode.json'),
    settings: { provider: { lab }, model: 'lab/lab', small_model: 'lab/lab', autoupdate: false, share: 'disabled' },
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
  };
}

function qwen(home: string, url: string): OwnFile {
  return {
    file: join(home, '.qwen/settings.json'),
    settings: {
      security: { auth: { selectedType: 'openai' } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url, OPENAI_MODEL: 'lab' },
  };
}
