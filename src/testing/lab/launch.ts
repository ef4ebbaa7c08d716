/**
 * A seat for a real agent in the lab: an environment made from nothing, a home and config of its own with the first-run
 * screens already accepted, a dummy key, the lab's model. Nothing of the user's is read, nothing outside `dir` is written.
 */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installed } from './install.js';

export interface LabSeat {
  program: string;
  env: Record<string, string>;
  home: string;
  /** The agent's own config folder: status files, transcripts. */
  config: string;
}

/** Not a secret: the lab's model does not look at it. Its last 20 characters are what claude remembers of a key. */
const KEY = 'lab-key-that-opens-nothing-0000000000';

export function prepareSeat(given: {
  installed: Installed;
  /** The model server's address. */
  url: string;
  /** Where the agent works; must exist. */
  cwd: string;
  /** A folder of the lab's own, for home, config and temporary files. */
  dir: string;
  /** Of the machine's environment only PATH is taken. */
  path: string;
  /** How often the agent itself repeats a failed request. */
  retries?: number;
}): LabSeat {
  const home = join(given.dir, 'home');
  const temporary = join(given.dir, 'tmp');
  for (const folder of [home, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const env = { PATH: given.path, HOME: home, TMPDIR: temporary, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const about = { ...given, cwd: realpathSync(given.cwd), home, temporary, retries: given.retries ?? 0 };
  const own = { claude, codex, gemini }[given.installed.agent](about);
  for (const [path, content] of Object.entries(own.files)) {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
  }
  return { program: given.installed.program, home, config: own.config, env: { ...env, ...own.env } };
}

interface About {
  url: string;
  cwd: string;
  home: string;
  temporary: string;
  retries: number;
}
interface OwnPlaces {
  config: string;
  env: Record<string, string>;
  files: Record<string, string>;
}

function claude({ url, cwd, home, temporary, retries }: About): OwnPlaces {
  const config = join(home, '.claude');
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const state = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [cwd]: trusted, '/': trusted },
  };
  return {
    config,
    env: {
      CLAUDE_CONFIG_DIR: config,
      CLAUDE_CODE_TMPDIR: temporary,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_MAX_RETRIES: String(retries),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
      CLAUDE_CODE_DISABLE_AGENT_VIEW: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      // Claude refuses to skip permissions as root; a lab in a container is such a sandbox.
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
    },
    files: {
      [join(config, '.claude.json')]: JSON.stringify(state),
      [join(config, 'settings.json')]: JSON.stringify({
        theme: 'dark',
        skipDangerousModePermissionPrompt: true,
        prefersReducedMotion: true,
      }),
    },
  };
}

function codex({ url, cwd, home, retries }: About): OwnPlaces {
  const config = join(home, '.codex');
  const lines = [
    'model = "lab"',
    'model_provider = "lab"',
    'check_for_update_on_startup = false',
    'suppress_unstable_features_warning = true',
    '[model_providers.lab]',
    'name = "lab"',
    `base_url = ${JSON.stringify(`${url}/v1`)}`,
    'env_key = "LAB_API_KEY"',
    'wire_api = "responses"',
    `request_max_retries = ${retries}`,
    `stream_max_retries = ${retries}`,
    `[projects.${JSON.stringify(cwd)}]`,
    'trust_level = "trusted"',
    '[features]',
    'daemon_auto_start = false',
    'default_mode_request_user_input = true',
    '[analytics]',
    'enabled = false',
  ];
  return {
    config,
    env: { CODEX_HOME: config, LAB_API_KEY: KEY },
    files: { [join(config, 'config.toml')]: `${lines.join('\n')}\n` },
  };
}

function gemini({ url, cwd, home, retries }: About): OwnPlaces {
  const config = join(home, '.gemini');
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: retries + 1 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
  return {
    config,
    env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: 'true' },
    files: {
      [join(config, 'settings.json')]: JSON.stringify(settings),
      [join(config, 'trustedFolders.json')]: JSON.stringify({ [cwd]: 'TRUST_FOLDER' }),
    },
  };
}
