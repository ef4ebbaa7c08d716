/**
 * Gemini CLI's chat file (checked with 0.61): a header, messages, and patches (`{"$set":{…}}`). Surprising: a message is
 * written again with the same id when its tool calls are done, and the last one counts; so only what is new in it is told.
 */
import type { AgentOutput } from '../../contract/index.js';
import { block, num, type Row, row, rows, str } from '../decoders/ndjson.js';
import { type RecordReader, remembered, type TranscriptReader, transcriptReader } from './tail.js';

/** Messages whose last version may still come; a message is rewritten within its turn. */
const MOST_OPEN = 200;

const ENDED = new Set(['success', 'error', 'cancelled']);

export function geminiTranscript(): TranscriptReader {
  return transcriptReader(geminiRecords());
}

function geminiRecords(): RecordReader {
  /** What was told of each message's text and thoughts. */
  const told = new Map<string, { text: string; thoughts: number }>();
  const calls = remembered();
  const results = remembered();
  const counted = remembered();
  const total = { inputTokens: 0, outputTokens: 0 };

  const message = (from: Row): AgentOutput[] | undefined => {
    const id = str(from.id);
    if (id === undefined) return undefined;
    const before = told.get(id);
    if (from.type === 'user') {
      told.set(id, { text: '', thoughts: 0 });
      const text = spoken(from.content);
      return before || text === '' ? [] : [{ kind: 'prompt', text }];
    }
    if (from.type === 'info' || from.type === 'warning') return [];
    const text = typeof from.content === 'string' ? from.content : spoken(from.content);
    const thoughts = rows(from.thoughts);
    told.delete(id);
    told.set(id, { text, thoughts: thoughts.length });
    if (told.size > MOST_OPEN) told.delete(told.keys().next().value!);
    if (from.type === 'error') return before || text === '' ? [] : [{ kind: 'error', message: text, fatal: false }];
    if (from.type !== 'gemini') return undefined;
    return [
      ...thoughts.slice(before?.thoughts ?? 0).flatMap(thought),
      ...added(before?.text ?? '', text),
      ...rows(from.toolCalls).flatMap(toolCall),
      ...used(id, row(from.tokens)),
    ];
  };
  const toolCall = (from: Row): AgentOutput[] => {
    const call = str(from.id) ?? '';
    const called: AgentOutput[] = calls.add(call)
      ? [{ kind: 'tool', call, tool: str(from.name) ?? '', input: from.args }]
      : [];
    const status = str(from.status) ?? '';
    if (!ENDED.has(status) || !results.add(call)) return called;
    const ran = status === 'success' ? { ran: true } : status === 'cancelled' ? { ran: false } : {};
    return [...called, { kind: 'tool-result', call, ok: status === 'success', text: resultText(from), ...ran }];
  };
  const used = (id: string, tokens: Row | undefined): AgentOutput[] => {
    if (!tokens || !counted.add(id)) return [];
    total.inputTokens += num(tokens.input) ?? 0;
    total.outputTokens += num(tokens.output) ?? 0;
    return [{ kind: 'usage', ...total }];
  };

  return {
    read(from) {
      const set = row(from.$set);
      if (set) return rows(set.messages).flatMap((one) => message(one) ?? []);
      const id = str(from.sessionId);
      if (id !== undefined && from.type === undefined) return [{ kind: 'conversation', id }];
      return message(from);
    },
    flush: () => [],
  };
}

/** A text that grew gets its end; one that was replaced is told anew. */
function added(before: string, now: string): AgentOutput[] {
  const fresh = now.startsWith(before) ? now.slice(before.length) : now;
  return fresh === '' ? [] : [{ kind: 'text', text: block(fresh) }];
}

function thought(from: Row): AgentOutput[] {
  const text = [str(from.subject), str(from.description)].filter((part) => part).join(': ');
  return text === '' ? [] : [{ kind: 'thinking', text: block(text) }];
}

/** The person's own words: what the program adds about the folder, and what tools returned, is neither. */
function spoken(content: unknown): string {
  const parts = typeof content === 'string' ? [content] : rows(content).map((part) => str(part.text) ?? '');
  return parts
    .filter((text) => text !== '' && !text.startsWith('<session_context>'))
    .join('\n')
    .trim();
}

function resultText(from: Row): string {
  const response = row(row(rows(from.result)[0]?.functionResponse)?.response);
  const text = str(response?.output) ?? str(response?.error) ?? str(from.resultDisplay) ?? '';
  return text.replace(/^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/, '$1');
}

/** Whether a chat file that begins so is the conversation with this id. */
export function isGeminiChat(head: string, id: string): boolean {
  try {
    const { sessionId, kind } = JSON.parse(head) as { sessionId?: unknown; kind?: unknown };
    return sessionId === id && (kind === undefined || kind === 'main');
  } catch {
    return false; // The first line is still being written.
  }
}
