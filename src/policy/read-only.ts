/**
 * The built-in list of calls that never need a question: reading and searching inside the working directory, and keeping
 * a to-do list. Shell commands are not on it, however harmless: that is what rules are for. No file is exempt here
 * because of its name; to keep `.env` from being read, deny it: `Read(.env)`.
 */
import { isInCwd, type Place } from './paths.js';
import type { Call } from './tools.js';

const READS = new Set(['Read', 'Glob', 'Grep', 'LS']);
/** They change nothing but the agent's own list of things to do. */
const NOTES = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskGet', 'TaskList']);

export function isReadOnly(call: Call, place: Place): boolean {
  if (NOTES.has(call.tool)) return true;
  const paths = call.paths ?? [];
  if (call.unclear !== undefined) return false;
  return READS.has(call.tool) && paths.length > 0 && paths.every((path) => isInCwd(path, place));
}
