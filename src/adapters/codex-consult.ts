/**
 * Codex as a consultant: `exec` in a read-only sandbox, in a home of ours with the user's login and a config of its own, in
 * which every feature that brings a tool is off. Measured with 0.150 and 0.166: what is left to the model is
 * `request_user_input` (answered empty at once) and, in 0.150, `update_plan`; a call of anything else is "unsupported", on
 * stderr alone.
 */
import { join } from 'node:path';
import type { Refusal } from './adapter.js';
import { tomlText } from './codex-folder.js';
import { codexHome } from './codex-gate.js';
import { refusedArgs } from './consult-args.js';
import type { ConsultAsk, ConsultPlan } from './consultation.js';
import { codexExec } from './decoders/codex-exec.js';
import { readToml, type TomlTable } from './toml.js';
import { isBelow } from './version.js';

/** Measured; older ones may have tools that nothing here switches off. */
const SINCE = '0.150.0';

/** Each brings a tool, starts a program or loads what others wrote. */
const OFF = [
  ...['shell_tool', 'unified_exec', 'shell_snapshot', 'view_image', 'image_generation', 'computer_use', 'sleep_tool'],
  ...['browser_use', 'in_app_browser', 'multi_agent', 'goals', 'tool_suggest', 'skill_search', 'memories', 'code_mode'],
  ...['code_mode_host', 'artifact', 'default_mode_request_user_input', 'apps', 'plugins', 'hooks'],
  // It would wait for the network for ever.
  'unbounded_connection_retries',
];

/** Of the user's config: which model, at whose address, with which login. Everything else stays out. */
const KEPT = [
  ...['model', 'model_provider', 'model_providers', 'model_context_window', 'openai_base_url', 'chatgpt_base_url'],
  ...['service_tier', 'oss_provider', 'forced_login_method', 'forced_chatgpt_workspace_id', 'preferred_auth_method'],
];

const LOGIN = ['auth.json', '.credentials.json', 'installation_id'];

export function codexConsultation(ask: ConsultAsk): ConsultPlan | Refusal {
  const trouble = refusedArgs(ask.args, []) ?? tooOld(ask);
  if (trouble) return trouble;
  if (ask.reads !== undefined) return NO_READS;
  const home = codexHome(ask);
  const read = readToml(ask.look.text(join(home, 'config.toml')) ?? '');
  if ('unreadable' in read) return refusal(`its config.toml was not understood (${read.unreadable})`);
  if (['keyring', 'auto'].includes(String(read.table.get('cli_auth_credentials_store') ?? 'file')))
    return refusal(BOUND);
  const dir = join(ask.dir, 'codex-home');
  const { model } = ask;
  const own = ask.look.names(home).filter((name) => !LOGIN.includes(name));
  return {
    command: 'codex',
    args: [
      ...['exec', '--json', '-s', 'read-only', '--skip-git-repo-check', '--ephemeral', '--ignore-rules'],
      ...(model === undefined ? [] : ['-m', model]),
      '-',
    ],
    env: {},
    pinned: { CODEX_HOME: dir },
    io: 'pipe',
    stdin: { file: ask.promptFile },
    mirrors: [{ dir, of: home, without: [...own, 'config.toml'], folders: [], files: ['auth.json'] }],
    files: [{ path: join(dir, 'config.toml'), content: configText(read.table, ask) }],
    decoder: codexExec(ask.clock ? { clock: ask.clock } : {}),
    polite: { signal: 'SIGINT', waitMs: 700 },
    notes: [],
    tried: /\bunsupported call: (\S+)/,
    ...(model === undefined ? modelOf(read.table) : { model }),
  };
}

function modelOf(config: TomlTable): { model?: string } {
  const model = config.get('model');
  return typeof model === 'string' ? { model } : {};
}

function configText(config: TomlTable, { cwd }: ConsultAsk): string {
  const kept: TomlTable = new Map([...config].filter(([key]) => KEPT.includes(key)));
  const lines = [
    'approval_policy = "never"',
    'web_search = "disabled"',
    'project_doc_max_bytes = 0',
    'check_for_update_on_startup = false',
    // A quick word is wanted, not a plan.
    'model_reasoning_effort = "low"',
    ...[...kept].map(([key, value]) => `${key} = ${tomlText(value)}`),
    `projects = {${tomlText(cwd)} = {trust_level = "untrusted"}}`,
    `features = {${[...OFF, 'daemon_auto_start'].map((name) => `${name} = false`).join(', ')}}`,
  ];
  return `${lines.join('\n')}\n`;
}

const refusal = (reason: string): Refusal => ({ refused: 'no-door', reason: `Codex cannot be consulted: ${reason}` });

const BOUND =
  'its login in the keyring is bound to its own home; set cli_auth_credentials_store = "file" and sign in again';

const tooOld = ({ version }: ConsultAsk): Refusal | undefined =>
  isBelow(version, SINCE) === true
    ? refusal(`${version} is older than ${SINCE}, from which on its tools are known to be off`)
    : undefined;

const NO_READS: Refusal = {
  refused: 'no-door',
  reason:
    'consult.reads is refused for Codex: to read it has a shell, and its sandbox lets that read everything, also .env, keys and .git',
};
