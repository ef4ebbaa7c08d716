/**
 * The built-in list of calls that never need a question: reading and searching inside the working directory, keeping a
 * to-do list, and what only leads to further calls, each of which is asked about for itself. Shell commands are not on it, however harmless: that is what rules are for. No file is exempt here
 * because of its name; to keep `.env` from being read, deny it: `Read(.env)`.
 */
import { isInCwd, type PathBase } from './paths.js';
import type { Call } from './tools.js';

const READS = new Set(['Read', 'Glob', 'Grep', 'LS']);
/** They change nothing but the agent's own list of things to do. */
const NOTES = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskGet', 'TaskList']);
/** Reading instructions, finding tools, planning, and looking after what was started with leave. */
const OWN = new Set([
  'Skill',
  'ToolSearch',
  'EnterPlanMode',
  'TaskOutput',
  'TaskStop',
  'BashOutput',
  'KillShell',
  'CronList',
  ...['cli_help', 'get_internal_docs', 'codebase_investigator'],
]);
/** A sub-agent's calls are asked about like any other; in a worktree, a team or another mode it is more than that. */
const SPAWNS = new Set(['Agent', 'Task', 'invoke_agent']);
const PLAIN = new Set(['description', 'prompt', 'subagent_type', 'model', 'run_in_background', 'resume', 'agent_name']);

export function isReadOnly(call: Call, place: PathBase): boolean {
  if (NOTES.has(call.tool) || OWN.has(call.name)) return true;
  if (SPAWNS.has(call.name)) return call.fields?.every((field) => PLAIN.has(field)) === true;
  const paths = call.paths ?? [];
  if (call.unclear !== undefined) return false;
  return READS.has(call.tool) && paths.length > 0 && paths.every((path) => isInCwd(path, place));
}
