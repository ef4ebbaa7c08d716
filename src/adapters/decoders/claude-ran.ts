/**
 * What Claude's own words about a failed call prove. Checked with 2.1.197 and 2.1.325. A command that ran and failed always
 * begins with its exit code, so none of its output can pass for one of Claude's refusals. (An MCP server could lie here; but
 * one that lies runs code of its own already, whether it is called or not.)
 */

/** In front of whatever the command printed. */
const RAN = /^(?:Error: )?(?:Exit code -?\d|Command timed out)/;

/** Not valid, no such tool, cancelled with its siblings; refused by a rule, a hook, a person. */
const REFUSED = [
  /^<tool_use_error>/,
  /^Permission to use [\s\S]* has been denied/,
  /^(?:Error: )?(?:The user doesn't want to (?:proceed with|take) this (?:tool use|action)|User rejected tool use)/,
  /^Claude requested permissions? to /,
  /^(?:Error: )?(?:Hook )?PreToolUse:/,
  /^\[Request interrupted by user for tool use\]/,
];

export function ranOf(ok: boolean, text: string): { ran?: boolean } {
  if (ok || RAN.test(text)) return { ran: true };
  return REFUSED.some((words) => words.test(text)) ? { ran: false } : {};
}
