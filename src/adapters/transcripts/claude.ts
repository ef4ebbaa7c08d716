/**
 * Claude Code's transcript (checked with 2.1.197 and 2.1.325): one row per content block, sub-agents in files of their own whose rows
 * name their agent. Surprising: at the first write a child may stand before its parent, so a row waits until its parent
 * was there; forks and resumed sessions repeat rows, which is why a row counts by its uuid and only once.
 */
import type { AgentOutput } from '../../contract/index.js';
import { ranOf } from '../decoders/claude-ran.js';
import { block, list, num, type Row, row, rows, str } from '../decoders/ndjson.js';
import { type RecordReader, remembered, type TranscriptReader, transcriptReader } from './tail.js';

/** Rows that say nothing about the conversation. */
const SILENT = new Set([
  ...['attachment', 'ai-title', 'mode', 'permission-mode', 'file-history-snapshot', 'queue-operation', 'last-prompt'],
  ...['summary', 'custom-title', 'agent-name', 'agent-color', 'agent-setting', 'pr-link', 'tag', 'progress', 'system'],
  // Since 2.1.325; the requests hold all that was ever said, over and over.
  ...['api-request', 'api-request-shape', 'api-request-blob', 'atis-latch', 'tools-used', 'cost-state'],
]);

/** Rows that wait for their parent; beyond this a parent is not coming any more. */
const MOST_WAITING = 500;

export function claudeTranscript({ since = 0 }: { since?: number } = {}): TranscriptReader {
  return transcriptReader(claudeRecords(since));
}

/** `since`: rows older than this were said before this launch (a fork brings them along). */
function claudeRecords(since: number): RecordReader {
  const seen = remembered();
  const usage = usageCounter();
  const waiting: Row[] = [];

  const tell = (from: Row): AgentOutput[] => {
    const said = str(from.timestamp);
    if (said !== undefined && Date.parse(said) < since) return [];
    if (from.type === 'assistant') return [...assistant(from), ...usage(from)];
    return from.type === 'user' ? user(from) : [];
  };
  /** Those whose parent has come, and theirs in turn. */
  const released = (): AgentOutput[] => {
    const outputs: AgentOutput[] = [];
    for (;;) {
      const next = waiting.findIndex((one) => seen.has(str(one.parentUuid) ?? ''));
      if (next < 0) return outputs;
      const [one] = waiting.splice(next, 1);
      seen.add(str(one!.uuid) ?? '');
      outputs.push(...tell(one!));
    }
  };
  const flush = (): AgentOutput[] => {
    const outputs: AgentOutput[] = [];
    while (waiting.length > 0) {
      const one = waiting.shift()!;
      seen.add(str(one.uuid) ?? '');
      outputs.push(...tell(one), ...released());
    }
    return outputs;
  };

  return {
    read(from) {
      const type = str(from.type) ?? '';
      if (type !== 'user' && type !== 'assistant' && !SILENT.has(type)) return undefined;
      const uuid = str(from.uuid);
      if (uuid === undefined) return type === 'user' || type === 'assistant' ? undefined : [];
      if (seen.has(uuid) || waiting.some((one) => one.uuid === uuid)) return [];
      const parent = str(from.parentUuid);
      if (parent !== undefined && !seen.has(parent)) {
        waiting.push(from);
        return waiting.length > MOST_WAITING ? flush() : [];
      }
      seen.add(uuid);
      return [...tell(from), ...released()];
    },
    flush,
  };
}

const parentOf = (from: Row): { parent?: string } => {
  const agent = from.isSidechain === true ? str(from.agentId) : undefined;
  return agent === undefined ? {} : { parent: agent };
};

function assistant(from: Row): AgentOutput[] {
  const message = row(from.message);
  const blocks = rows(message?.content);
  if (from.isApiErrorMessage === true) {
    const text = blocks.map((item) => str(item.text) ?? '').join('');
    return text === '' ? [] : [{ kind: 'error', message: text, fatal: false }];
  }
  // Claude's own filler ("No response requested."), not the model's words.
  if (message?.model === '<synthetic>') return [];
  const parent = parentOf(from);
  return blocks.flatMap((item): AgentOutput[] => {
    if (item.type === 'text') return str(item.text) ? [{ kind: 'text', text: block(str(item.text)!), ...parent }] : [];
    if (item.type === 'thinking')
      return str(item.thinking) ? [{ kind: 'thinking', text: block(str(item.thinking)!), ...parent }] : [];
    const call = str(item.id);
    if (!/tool_use$/.test(str(item.type) ?? '') || call === undefined) return [];
    return [{ kind: 'tool', call, tool: str(item.name) ?? '', input: item.input, ...parent }];
  });
}

function user(from: Row): AgentOutput[] {
  const parent = parentOf(from);
  const content = row(from.message)?.content;
  const results = rows(content)
    .filter((item) => item.type === 'tool_result')
    .map((item): AgentOutput => {
      const call = str(item.tool_use_id) ?? '';
      const [ok, text] = [item.is_error !== true, resultText(item.content)];
      return { kind: 'tool-result', call, ok, text, ...ranOf(ok, text), ...parent };
    });
  if (results.length > 0) return results;
  // A sub-agent's prompt is the input of the call that started it.
  if (from.isSidechain === true || from.isMeta === true || from.isCompactSummary === true) return [];
  // Since 2.1.325 a row says who it is from; a helper's report, for one, is put there in the person's name.
  const origin = str(row(from.origin)?.kind);
  if (origin !== undefined && origin !== 'human') return [];
  const text =
    str(content) ??
    rows(content)
      .map((item) => str(item.text) ?? (item.type === 'image' ? '[image]' : ''))
      .join('\n');
  const prompt = typed(text);
  return prompt === undefined ? [] : [{ kind: 'prompt', text: prompt }];
}

const resultText = (content: unknown): string =>
  str(content) ??
  list(content)
    .map((part) => str(row(part)?.text) ?? `[${str(row(part)?.type) ?? 'content'}]`)
    .join('\n');

/** What a person typed, as they typed it; undefined for what Claude itself put there in their name. */
function typed(text: string): string | undefined {
  const command = /^(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>(\/?[^<]*)<\/command-name>/.exec(
    text,
  );
  if (command) {
    const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1]?.trim() ?? '';
    const name = command[1]!.startsWith('/') ? command[1]! : `/${command[1]}`;
    return args === '' ? name : `${name} ${args}`;
  }
  const shell = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text);
  if (shell) return `!${shell[1]}`;
  if (/^<(?:local-command-|bash-stdout|bash-stderr|task-notification|system-reminder)/.test(text)) return undefined;
  if (/^\[Request interrupted by user(?: for tool use)?\]$/.test(text) || text.trim() === '') return undefined;
  return text;
}

/** Rows of one message repeat its usage; what the launch used is the sum over messages. */
function usageCounter(): (from: Row) => AgentOutput[] {
  const counted = remembered();
  const total = { inputTokens: 0, outputTokens: 0 };
  return (from) => {
    const message = row(from.message);
    const usage = row(message?.usage);
    const id = str(message?.id);
    if (!usage || id === undefined || from.isApiErrorMessage === true || !counted.add(id)) return [];
    const sum = (...keys: string[]) => keys.reduce((all, key) => all + (num(usage[key]) ?? 0), 0);
    total.inputTokens += sum('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens');
    total.outputTokens += sum('output_tokens');
    return [{ kind: 'usage', ...total }];
  };
}
