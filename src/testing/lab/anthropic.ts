/**
 * The Anthropic Messages API as claude 2.1.197 calls it: `POST /v1/messages?beta=true`, streaming. Its side requests
 * (title, compaction) are known by their missing tools, their output format, or their words.
 */
import { randomUUID } from 'node:crypto';
import type { Spoken } from './script.js';
import { bodyOf, listOf, pieces, type RequestBody, type RequestKind, stringOf, type Wire } from './wire.js';

export const anthropic: Wire = {
  matches: (method, path) => method === 'POST' && path === '/v1/messages',

  read(body) {
    const tools = listOf(body.tools).map((tool) => stringOf(tool.name));
    const users = listOf(body.messages).filter((message) => message.role === 'user');
    const last = blocks(users.at(-1)?.content);
    const result = last
      .filter((block) => block.type === 'tool_result')
      .map((block) => textOf(block.content))
      .join('\n');
    const prompt = users.map((user) => spoken(user.content)).findLast((text) => text !== '') ?? '';
    return { kind: kindOf(body, tools, prompt), tools, prompt, result, stream: body.stream === true };
  },

  async answer(out, reply, asked) {
    const content = reply.said.map((one) => block(one));
    const calls = content.some((one) => one.type === 'tool_use');
    const message = { id: id('msg'), type: 'message', role: 'assistant', model: 'lab', stop_sequence: null };
    const usage = { input_tokens: 200, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 25 };
    const stop_reason = calls ? 'tool_use' : 'end_turn';
    if (!asked.stream) return out.json({ ...message, content, stop_reason, usage });
    const event = (type: string, data: object) => out.event({ type, ...data }, type);
    await event('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    });
    for (const [index, one] of content.entries()) await say(one, index, event);
    if (await out.cut()) return;
    await event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 25 } });
    await event('message_stop', {});
    out.end();
  },

  side: (kind: RequestKind) =>
    kind === 'title' ? '{"title":"Lab session"}' : '<summary>The lab has forgotten what was said.</summary>',

  failure({ error, message, resetsIn }) {
    const types: Record<number, string> = {
      401: 'authentication_error',
      403: 'permission_error',
      429: 'rate_limit_error',
      529: 'overloaded_error',
    };
    const status = error === 'usage-limit' ? 429 : error;
    const reset = String(Math.floor(Date.now() / 1000) + resetsIn);
    const unified = 'anthropic-ratelimit-unified';
    const headers: Record<string, string> =
      error === 'usage-limit'
        ? {
            [`${unified}-status`]: 'rejected',
            [`${unified}-reset`]: reset,
            [`${unified}-representative-claim`]: 'five_hour',
          }
        : {};
    const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
    return { status, headers, body: { type: 'error', error: { type, message } } };
  },
};

function kindOf(body: RequestBody, tools: string[], prompt: string): RequestKind {
  const system = textOf(body.system);
  if (bodyOf(body.output_config).format !== undefined || (/title/i.test(system.slice(0, 2000)) && tools.length === 0))
    return 'title';
  if (/create a detailed summary of the conversation/i.test(prompt)) return 'compact';
  if (/cc_is_subagent=true/.test(system)) return 'subagent';
  return tools.length === 0 ? 'side' : 'main';
}

type ContentBlock = { type: string } & Record<string, unknown>;

function block(said: Spoken): ContentBlock {
  if (said.kind === 'text') return { type: 'text', text: said.text };
  if (said.kind === 'thinking') return { type: 'thinking', thinking: said.text, signature: 'bGFi' };
  const call = (name: string, input: object): ContentBlock => ({ type: 'tool_use', id: id('toolu'), name, input });
  if (said.kind === 'bash')
    return call('Bash', { command: said.command, description: 'Run a command of the scenario' });
  if (said.kind === 'write') return call('Write', { file_path: said.path, content: said.content });
  if (said.kind === 'tool') return call(said.name, said.input);
  const questions = said.questions.map(({ multi, ...question }) => ({ ...question, multiSelect: multi }));
  return call('AskUserQuestion', { questions });
}

async function say(
  one: ContentBlock,
  index: number,
  event: (type: string, data: object) => Promise<void>,
): Promise<void> {
  const start = (content_block: object) => event('content_block_start', { index, content_block });
  const delta = (data: object) => event('content_block_delta', { index, delta: data });
  if (one.type === 'text') {
    await start({ type: 'text', text: '' });
    for (const text of pieces(stringOf(one.text))) await delta({ type: 'text_delta', text });
  } else if (one.type === 'thinking') {
    await start({ type: 'thinking', thinking: '', signature: '' });
    for (const thinking of pieces(stringOf(one.thinking))) await delta({ type: 'thinking_delta', thinking });
    await delta({ type: 'signature_delta', signature: one.signature });
  } else {
    await start({ ...one, input: {} });
    await delta({ type: 'input_json_delta', partial_json: JSON.stringify(one.input) });
  }
  await event('content_block_stop', { index });
}

const blocks = (content: unknown): RequestBody[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
const textOf = (content: unknown): string =>
  blocks(content)
    .map((one) => stringOf(one.text))
    .join('\n');
/** Without what the program adds by itself. */
const spoken = (content: unknown): string =>
  blocks(content)
    .filter((one) => one.type === 'text')
    .map((one) => stringOf(one.text))
    .filter((text) => !text.startsWith('<system-reminder>'))
    .join('\n')
    .trim();
const id = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
