/**
 * What an ACP agent reports during a prompt (`session/update`) as output: words, thoughts, tool calls and their results,
 * each once. ACP ends no block of text, so this does: at every change of subject. Permissions are the protocol's.
 */
import type { AgentOutput } from '../../contract/index.js';
import { asList, asNumber, asObject, asText, type Json, unknown } from './jsonl.js';

const SILENT = new Set([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'user_message_chunk',
  'plan',
]);

export interface AcpUpdates {
  read(update: Json): AgentOutput[];
  /** A tool call as a permission request has it, with what was said of it before. */
  call(toolCall: Json): { said: AgentOutput[]; asked: Json };
  /** The subject changes: whatever text was open ends. */
  endBlock(): AgentOutput[];
  turnEnded(): AgentOutput[];
}

export function acpUpdates(knowing: { commandInTitle: boolean } = { commandInTitle: false }): AcpUpdates {
  let open: { kind: 'text' | 'thinking'; newline: boolean } | undefined;
  /** Calls of this turn: all that was said of each so far, and whether its result was. */
  const calls = new Map<string, { said: Json; asked?: Json; ended?: true }>();

  const endBlock = (): AgentOutput[] => {
    const ended = open;
    open = undefined;
    return ended && !ended.newline ? [{ kind: ended.kind, text: '\n' }] : [];
  };
  const say = (kind: 'text' | 'thinking', content: unknown): AgentOutput[] => {
    const part = asObject(content);
    const text = part?.type === 'text' ? (asText(part.text) ?? '') : '';
    if (text === '') return [];
    const before = open?.kind === kind ? [] : endBlock();
    open = { kind, newline: text.endsWith('\n') };
    return [...before, { kind, text }];
  };
  const call = (toolCall: Json): AgentOutput[] => {
    const id = asText(toolCall.toolCallId) ?? '';
    const before = endBlock();
    const known = calls.get(id);
    if (known) {
      known.said = merged(known.said, toolCall);
      return before;
    }
    calls.set(id, { said: toolCall });
    return [...before, { kind: 'tool', call: id, tool: acpTool(toolCall), input: acpInput(toolCall, knowing) }];
  };
  const progress = (toolCall: Json): AgentOutput[] => {
    const id = asText(toolCall.toolCallId) ?? '';
    const isNew = !calls.has(id);
    const begun = call(toolCall);
    const known = calls.get(id)!;
    const ended = toolCall.status === 'completed' || toolCall.status === 'failed';
    if (!ended || known.ended) return begun;
    known.ended = true;
    const text = contentText(toolCall.content) || (asText(toolCall.rawOutput) ?? '');
    const ok = toolCall.status === 'completed';
    // The first word of it is its failure: it was not even begun.
    const ran = isNew && !ok ? { ran: false } : {};
    const input = ranWith(known);
    return [...begun, { kind: 'tool-result', call: id, ok, text, ...ran, ...(input === undefined ? {} : { input }) }];
  };
  /** What it ran with; of one that was asked about, what the question named as well. */
  const ranWith = ({ said, asked }: { said: Json; asked?: Json }): Json | undefined => {
    const input = acpInput(said, knowing);
    if (!asked || (knowing.commandInTitle && said.kind === 'execute')) return input;
    const [was, is] = [asObject(asked.rawInput), asObject(said.rawInput)];
    if (!was || !is) return undefined;
    return Object.fromEntries(Object.entries(is).filter(([key]) => Object.hasOwn(was, key)));
  };

  return {
    read(update) {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          return say('text', update.content);
        case 'agent_thought_chunk':
          return say('thinking', update.content);
        case 'tool_call':
        case 'tool_call_update':
          return progress(update);
        default:
          return SILENT.has(asText(update.sessionUpdate) ?? '') ? [] : [unknown(update)];
      }
    },
    call(toolCall) {
      const before = calls.get(asText(toolCall.toolCallId) ?? '')?.said;
      const asked = before ? filled(before, toolCall) : toolCall;
      const said = call(asked);
      const known = calls.get(asText(toolCall.toolCallId) ?? '')!;
      known.asked = known.said;
      return { said, asked };
    },
    endBlock,
    turnEnded() {
      calls.clear();
      return endBlock();
    },
  };
}

/** A request that says nothing of the input (`rawInput: {}`, as opencode's about reading) is about what was said before. */
function filled(before: Json, asked: Json): Json {
  const raw = asObject(asked.rawInput);
  if (!raw || Object.keys(raw).length > 0 || asList(asked.locations).length > 0) return asked;
  const { rawInput = raw, locations } = before;
  return { ...asked, rawInput, ...(locations === undefined ? {} : { locations }) };
}

/** An update says only what changed. */
const merged = (before: Json, now: Json): Json => ({
  ...before,
  ...Object.fromEntries(Object.entries(now).filter(([, value]) => value !== undefined && value !== null)),
});

/** ACP has no tool names; the kind (`execute`, `edit`, `fetch`, …) is the only word that does not change with the call. */
export const acpTool = (toolCall: Json): string => asText(toolCall.kind) ?? 'other';

/**
 * The title is for people: an agent may shorten it, so it is passed off as the command only for an agent that is known
 * to give the whole of it (`commandInTitle`).
 */
export function acpInput(toolCall: Json, knowing: { commandInTitle: boolean } = { commandInTitle: false }): Json {
  const raw = asObject(toolCall.rawInput);
  if (raw) return withPlaces(raw, toolCall);
  const title = asText(toolCall.title);
  if (knowing.commandInTitle && toolCall.kind === 'execute' && title !== undefined) return { command: title };
  const content = asList(toolCall.content).flatMap((entry) => readContent(asObject(entry)));
  const locations = asList(toolCall.locations).flatMap((entry) => asText(asObject(entry)?.path) ?? []);
  // What such an agent reads is where it says: a path that rules can look at.
  const where = knowing.commandInTitle && toolCall.kind === 'read' ? 'paths' : 'locations';
  return {
    title: asText(toolCall.title) ?? '',
    ...(content.length === 0 ? {} : { content }),
    ...(locations.length === 0 ? {} : { [where]: locations }),
  };
}

/** Files that only the call's diffs and places name are judged as well: one that rules did not see must not be touched. */
function withPlaces(raw: Json, toolCall: Json): Json {
  const diffs = asList(toolCall.content).flatMap((entry) => readContent(asObject(entry)));
  const named = [...diffs, ...asList(toolCall.locations)].flatMap((entry) => asText(asObject(entry)?.path) ?? []);
  const known = new Set(Object.values(raw));
  const more = [...new Set(named)].filter((path) => !known.has(path));
  return more.length === 0 ? raw : { ...raw, paths: [...more, ...asList(raw.paths)] };
}

function readContent(entry: Json | undefined): Json[] {
  if (entry?.type === 'diff') return [{ path: entry.path, oldText: entry.oldText, newText: entry.newText }];
  const text = asText(asObject(entry?.content)?.text);
  return text === undefined ? [] : [{ text }];
}

function contentText(content: unknown): string {
  return asList(content)
    .map((entry) => {
      const from = asObject(entry);
      return from?.type === 'diff'
        ? `changed ${asText(from.path) ?? 'a file'}`
        : (asText(asObject(from?.content)?.text) ?? '');
    })
    .filter((text) => text !== '')
    .join('\n');
}

/** Usage as the protocol has it, or where Gemini puts it: told per prompt, passed on as the sum so far. */
export function acpUsage(): (result: Json | undefined) => AgentOutput[] {
  const sum = { inputTokens: 0, outputTokens: 0 };
  return (result) => {
    const usage = asObject(result?.usage);
    const quota = asObject(asObject(asObject(result?._meta)?.quota)?.token_count);
    const inputTokens = asNumber(usage?.inputTokens) ?? asNumber(quota?.input_tokens);
    const outputTokens = asNumber(usage?.outputTokens) ?? asNumber(quota?.output_tokens);
    if (inputTokens === undefined && outputTokens === undefined) return [];
    sum.inputTokens += inputTokens ?? 0;
    sum.outputTokens += outputTokens ?? 0;
    return [{ kind: 'usage', ...sum }];
  };
}
