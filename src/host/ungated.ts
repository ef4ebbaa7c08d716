/** A call that ran without an allow on record, in words: what most likely let it run, and what to do about it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryPayload } from '../contract/index.js';
import type { UngatedCall } from './tripwire.js';

/** Exit code of section 2 of the contract. */
export const UNGATED_EXIT = 6;

/** Files of a folder in which each agent looks for its own settings. */
const SETTINGS: Record<string, string[]> = {
  claude: ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'],
  codex: ['.codex/config.toml', '.codex/rules', '.codex/hooks.json'],
  gemini: ['.gemini/settings.json', '.gemini/policies', '.gemini/.env'],
};
const USERS: Record<string, string> = {
  claude: '~/.claude/settings.json',
  codex: '~/.codex/config.toml or ~/.codex/rules',
  gemini: '~/.gemini/settings.json or ~/.gemini/policies',
};

const LONGEST_INPUT = 4 * 1024;
const LONGEST_CALL = 200;

const WHAT: Record<UngatedCall['why'], string> = {
  unasked: 'nobody was asked',
  denied: 'it had been denied',
  unanswered: 'it ran while it was still being asked',
  vanished: 'its question vanished, and no key was pressed',
  changed: 'what ran is not what was allowed',
};

export interface UngatedFacts {
  found: UngatedCall;
  session: string;
  cwd: string;
  /** The agent of the session, where it has not said that it started. */
  agent: string;
}

export function ungatedEntry({ found, cwd, agent }: UngatedFacts): EntryPayload<'ungated'> {
  const { of, why, inquiry } = found;
  const started = found.agent ?? { agent };
  return {
    ...(of.call === '' ? {} : { call: of.call }),
    tool: of.tool,
    input: bounded(of.input),
    ...(of.parent === undefined ? {} : { parent: of.parent }),
    why,
    ...(inquiry === undefined ? {} : { inquiry }),
    ...started,
    cause: causeOf(why, { cwd, agent: started.agent, version: found.agent?.version }),
  };
}

export function ungatedWords({ found, session }: UngatedFacts, { agent, cause }: EntryPayload<'ungated'>) {
  const what = `${agent} ran ${callText(found)} without an allow on record (${WHAT[found.why]})`;
  const look = `Look into that first (reins logs ${session}); if ${agent} may act unasked here, say so with --trust full`;
  return {
    reason: `ungated: ${what}`,
    advice: 'continue when its gate is closed again',
    notice: `Stopped at once: ${what}. Likely cause: ${cause}. ${look}.`,
  };
}

function causeOf(why: UngatedCall['why'], about: { cwd: string; agent: string; version: string | undefined }): string {
  const { cwd, agent, version } = about;
  const here = (SETTINGS[agent] ?? []).filter((file) => existsSync(join(cwd, file)));
  const user = USERS[agent] ?? 'its own settings';
  const files = here.length > 0 ? `${here.join(', ')} in this folder` : user;
  if (why === 'changed') return `a hook in ${files} changed the call after it was allowed`;
  if (why === 'denied') return `a hook or an allow rule in ${files} outvoted the answer it was given`;
  if (why !== 'unasked') return `a hook in ${files}, or ${agent} itself, answered in the place of a person`;
  const which = version === undefined ? 'a version that Reins could not find out' : `version ${version}`;
  return `${agent}’s own allow rule or trust, in ${files} or chosen in its own dialog; or ${which}, which no longer asks where it used to`;
}

function callText({ of }: UngatedCall): string {
  const input = of.input as { command?: unknown; cmd?: unknown; file_path?: unknown } | undefined;
  const said = [input?.command, input?.cmd, input?.file_path].find((value) => typeof value === 'string');
  const text = said === undefined ? of.tool : `${of.tool}(${said})`;
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return line.length > LONGEST_CALL ? `${line.slice(0, LONGEST_CALL)}…` : line;
}

function bounded(input: unknown): unknown {
  const text = JSON.stringify(input) ?? '';
  return text.length <= LONGEST_INPUT ? input : { truncated: text.slice(0, LONGEST_INPUT) };
}
