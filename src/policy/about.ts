/**
 * Which tools a rule is about, whatever they are called with. A door of its own: who only wants to know whether anything is
 * denied must not load the reading of shell commands.
 */
import type { Rule } from './rules.js';
import { canonicalTool } from './tool-names.js';
import type { Call } from './tools.js';

export { isRuleError, parseRule } from './rules.js';
export { canonicalTool } from './tool-names.js';

/** Rules for Read are also meant for the tools that search and list. */
const READERS = new Set(['Read', 'Glob', 'Grep', 'LS']);

export function fitsTool(rule: Rule, call: Call): boolean {
  const { tool } = rule;
  if (tool === call.tool || tool === call.name) return true;
  if (tool === 'Read' && READERS.has(call.tool)) return true;
  if (tool.includes('*')) {
    const parts = tool.split('*');
    return fitsParts(parts, call.tool) || fitsParts(parts, call.name);
  }
  return /^mcp__[^_]/.test(tool) && !tool.slice(5).includes('__') && call.name.startsWith(`${tool}__`);
}

/** Whether a rule is about a tool of this name at all, whatever it is called with. */
export const isAbout = (rule: Rule, name: string): boolean => fitsTool(rule, { name, tool: canonicalTool(name) });

/** Linear, whatever the rule: parts are looked for one behind the other. */
export function fitsParts(parts: string[], text: string): boolean {
  const [first, ...middle] = parts;
  if (middle.length === 0) return text === first;
  const last = middle.pop()!;
  if (!text.startsWith(first!) || text.length < first!.length + last.length || !text.endsWith(last)) return false;
  let at = first!.length;
  const end = text.length - last.length;
  for (const part of middle) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}
