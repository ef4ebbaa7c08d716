/**
 * Codex's own word on its settings, before anything is started: whatever the flags were meant to do, this is what codex
 * understood. A server that would not ask, hooks that would answer for us, a folder that is trusted: no thread is opened.
 *   -> {"id":2,"method":"config/read","params":{"cwd":"/ws"}}
 */
import { asObject, asText, type Json } from './jsonl.js';

/** Why these settings leave a way past us; undefined where they leave none. */
export function openingIn(result: Json | undefined, cwd: string): string | undefined {
  const config = asObject(result?.config);
  if (!config) return 'codex does not say what its settings are';
  if (asObject(config.features)?.hooks !== false) return 'codex’s hooks could not be switched off';
  const project = asObject(asObject(config.projects)?.[cwd]);
  if (project?.trust_level !== 'untrusted') return `codex trusts ${cwd}, with the settings of the repository`;
  for (const [name, value] of Object.entries(asObject(config.mcp_servers) ?? {})) {
    const server = asObject(value) ?? {};
    if (server.enabled === false) continue;
    if (server.default_tools_approval_mode !== 'prompt') return `tools of codex’s MCP server ${name} would run unasked`;
    for (const [tool, about] of Object.entries(asObject(server.tools) ?? {})) {
      const mode = asText(asObject(about)?.approval_mode) ?? 'prompt';
      if (mode !== 'prompt') return `${tool} of codex’s MCP server ${name} would run unasked`;
    }
  }
  return undefined;
}
