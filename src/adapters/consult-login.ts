/**
 * Whether an agent was ever logged in, as far as names of files and variables tell; what is in them is not read. Claude Code
 * has too many ways (keychain, helpers, clouds) for a "no" that can be relied on.
 */
import { join } from 'node:path';
import { codexHome } from './codex-gate.js';
import type { ConsultAsk } from './consultation.js';
import { geminiHome } from './gemini-servers.js';
import { readToml } from './toml.js';

type LoginAsk = Pick<ConsultAsk, 'env' | 'look'>;

export function codexLogin({ env, look }: LoginAsk): string | undefined {
  const home = codexHome({ env: { ...env } });
  if (look.names(home).includes('auth.json') || env.OPENAI_API_KEY || env.CODEX_API_KEY) return undefined;
  const read = readToml(look.text(join(home, 'config.toml')) ?? '');
  // Another provider has its own way to log in.
  if (!('table' in read) || read.table.has('model_provider') || read.table.has('oss_provider')) return undefined;
  return `codex is not logged in (${join(home, 'auth.json')} is not there); run \`codex login\``;
}

export function geminiLogin({ env, look }: LoginAsk): string | undefined {
  const home = geminiHome({ ...env });
  const names = look.names(home);
  const files = ['oauth_creds.json', 'gemini-credentials.json', '.env'];
  if (files.some((name) => names.includes(name))) return undefined;
  if (Object.keys(env).some((name) => /^(GEMINI_API|GOOGLE_|CLOUD_SHELL)/.test(name) && env[name])) return undefined;
  return `gemini is not logged in (no ${files[0]} in ${home}, no GEMINI_API_KEY); start \`gemini\` once`;
}
