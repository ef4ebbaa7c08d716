/** When two accounts of a tool call are about the same thing: small judgements of the ledger. Pure. */
import { canonicalTool } from '../policy/about.js';
import type { SeenCall } from './ledger.js';

type JsonFields = Record<string, unknown>;

const isObject = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A question runs nothing; whoever answered it has its own entry. */
export const isQuestion = (tool: string): boolean => canonicalTool(tool) === 'AskUserQuestion';

/** A look that found nothing, an edit that did not fit: agents check these before they ask, and nothing has changed. */
const HARMLESS = new Set(['Read', 'Glob', 'Grep', 'LS', 'Edit']);
export const leavesNothing = (tool: string): boolean => HARMLESS.has(canonicalTool(tool));

/** `WriteFile` on a screen is `write_file` in the record. */
const plainName = (tool: string): string => tool.toLowerCase().replace(/[^a-z0-9]/g, '');

const isSameTool = (one: string, other: string): boolean =>
  canonicalTool(one) === canonicalTool(other) ||
  plainName(one) === plainName(other) ||
  canonicalTool(plainName(one)) === canonicalTool(plainName(other));

/** Screens wrap words, and draw frames around them. */
const squeeze = (text: string): string => text.replace(/[\s│┃|]+/g, '');

/** Characters of a command that a narrow screen shows at least. */
const SHOWN = 24;

/** Whether an inquiry that has no id of a call is about this one. */
export function sameCall(inquiry: { tool?: string | undefined; input?: unknown }, { tool, input }: SeenCall): boolean {
  if (inquiry.tool === undefined || !isSameTool(inquiry.tool, tool)) return false;
  const screen = isObject(inquiry.input) ? inquiry.input.screen : undefined;
  if (typeof screen !== 'string') return sharesAll(inquiry.input, input);
  // Read off a screen: words are wrapped there and long commands cut, but their beginning stands in it.
  const command = commandOf(input);
  return command === undefined || squeeze(screen).includes(squeeze(command).slice(0, SHOWN));
}

/** Tools whose input says what they do to the world; others may rewrite their own input as they like. */
const DOING = new Set(['Bash', 'Edit', 'WebFetch']);

/** Whether what ran is what was allowed. Defaults that an agent fills in (false, empty, none) change nothing. */
export function ranAsAllowed(tool: string, allowed: unknown, ran: unknown): boolean {
  if (!DOING.has(canonicalTool(tool)) && !/^mcp_/.test(tool)) return true;
  if (!isObject(allowed) || !isObject(ran)) return sameValue(allowed, ran);
  if (typeof allowed.screen === 'string') return true;
  return Object.keys(ran).every((key) =>
    Object.hasOwn(allowed, key) ? sameValue(allowed[key], ran[key]) : isNothing(ran[key]),
  );
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === '' || value === 0 || isEmpty(value);
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const sameValue = (one: unknown, other: unknown): boolean => stable(one) === stable(other);

/** Both name the same command, or have all they both say in common. */
function sharesAll(one: unknown, other: unknown): boolean {
  const [command, called] = [commandOf(one), commandOf(other)];
  if (command !== undefined && called !== undefined) return command.trim() === called.trim();
  if (!isObject(one) || !isObject(other)) return sameValue(one, other);
  const shared = Object.keys(one).filter((key) => Object.hasOwn(other, key));
  return shared.length > 0 && shared.every((key) => sameValue(one[key], other[key]));
}

function commandOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  if (!isObject(input)) return undefined;
  const found = [input.command, input.cmd, input.script].find((value) => value !== undefined);
  if (Array.isArray(found)) return found.join(' ');
  return typeof found === 'string' ? found : undefined;
}

/** The same text for the same value, in whatever order its keys came. */
function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
    ) ?? 'undefined'
  );
}
