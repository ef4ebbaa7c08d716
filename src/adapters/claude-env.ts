/**
 * Which names of an environment cannot touch the gate on Claude Code. It knows several hundred of its own, some of which
 * switch hooks off, load other settings or answer in our place, and each version brings more: so its own names count only
 * if they are on this list, from whatever settings or shell they come. Other names of the user's shell stay as they are.
 */

/** Marks of an outer Claude. Login (`CLAUDE_CODE_OAUTH_TOKEN`) and what the user chose (`CLAUDE_CODE_USE_…`) stay. */
export const NESTING = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_PARENT_SESSION_ID',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_ENV_FILE',
];

/** Claude's own: login, model, limits, traffic, looks. */
const OWN = [
  /^CLAUDE_CONFIG_DIR$/,
  /^CLAUDE_CODE_OAUTH_[A-Z_]+$/,
  /^CLAUDE_CODE_USE_(BEDROCK|VERTEX|FOUNDRY|MANTLE|ANTHROPIC_AWS)$/,
  /^CLAUDE_CODE_SKIP_[A-Z_]+_AUTH$/,
  /^CLAUDE_CODE_(API_KEY_HELPER_TTL_MS|CLIENT_CERT|CLIENT_KEY|CLIENT_KEY_PASSPHRASE|CERT_STORE|HOST_HTTP_PROXY_PORT)$/,
  /^CLAUDE_CODE_(MAX_OUTPUT_TOKENS|MAX_RETRIES|MAX_CONTEXT_TOKENS|MAX_TURNS|EFFORT_LEVEL|SUBAGENT_MODEL)$/,
  /^CLAUDE_CODE_(AUTO_COMPACT_WINDOW|EXTRA_BODY|FILE_READ_MAX_OUTPUT_TOKENS|GLOB_[A-Z_]+|TMPDIR|DEBUG_LOGS_DIR)$/,
  /^CLAUDE_CODE_(ENABLE_TELEMETRY|OTEL_[A-Z_]+|ACCESSIBILITY|NO_FLICKER|SYNTAX_HIGHLIGHT|DISABLE_[A-Z0-9_]+)$/,
  /^CLAUDE_CODE_(IDE_SKIP_AUTO_INSTALL|AUTO_CONNECT_IDE|BASH_MAINTAIN_PROJECT_WORKING_DIR|ENABLE_TASKS|ENABLE_TODO_TOOLS)$/,
  /^CLAUDE_(BASH_MAINTAIN_PROJECT_WORKING_DIR|AUTOCOMPACT_PCT_OVERRIDE|STREAM_[A-Z_]+|TRUSTED_DEVICE_TOKEN)$/,
];
/** “Disable” of something that keeps us safe. */
const NOT = /HOOK|POLICY|PERMISSION|TRUST_CHECK|PROMPT|DENY/;

/** Not Claude's own names, but what people put into its settings for its login and its limits. */
const OTHERS = [
  /^(ANTHROPIC|AWS|GOOGLE|GCLOUD|CLOUDSDK|VERTEX|OTEL|LC)_[A-Z0-9_]+$/,
  /^(CLOUD_ML_REGION|GOOGLE_APPLICATION_CREDENTIALS|API_TIMEOUT_MS|MAX_THINKING_TOKENS|MAX_MCP_OUTPUT_TOKENS|TZ|LANG)$/,
  /^(HTTPS?|NO|ALL)_PROXY$/i,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|MCP_TIMEOUT|MCP_TOOL_TIMEOUT|ENABLE_TOOL_SEARCH|DO_NOT_TRACK)$/,
  /^(BASH_DEFAULT_TIMEOUT_MS|BASH_MAX_TIMEOUT_MS|BASH_MAX_OUTPUT_LENGTH|SLASH_COMMAND_TOOL_CHAR_BUDGET)$/,
  /^DISABLE_[A-Z_]+$/,
];

const isOwn = (name: string): boolean => /^CLAUDE/i.test(name);
const isHarmlessOwn = (name: string): boolean =>
  OWN.some((known) => known.test(name)) && (!name.includes('DISABLE') || !NOT.test(name));

/** Of a settings file: what may come back. */
export function harmlessIn(env: Record<string, unknown>): { kept: Record<string, string>; left: string[] } {
  const kept: Record<string, string> = {};
  const left: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    const known = name !== 'CLAUDE_CONFIG_DIR' && (isHarmlessOwn(name) || OTHERS.some((one) => one.test(name)));
    if (known && (typeof value === 'string' || typeof value === 'number')) kept[name] = String(value);
    else left.push(name);
  }
  return { kept, left };
}

/** Of the shell that started us: Claude's own names that nobody here knows to be harmless. */
export const unknownIn = (env: Record<string, string | undefined>): string[] =>
  Object.keys(env).filter((name) => isOwn(name) && env[name] !== undefined && !isHarmlessOwn(name));
