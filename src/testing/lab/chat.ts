/**
 * The OpenAI Chat Completions API as opencode and qwen-code call it: `POST …/chat/completions`, streaming or not. Their
 * words for the tools that run a command or write a file differ, so both are looked up among the tools offered.
 */
import { randomUUID } from 'node:crypto';
import type { Spoken } from './script.js';
import { bodyOf, listOf, pieces, type RequestKind, stringOf, type Wire } from './wire.js';

interface FunctionCall {
  name: string;
  input: object;
}

export const chat: Wire = {
  matches: (method, path) => method === 'POST' && path.endsWith('/chat/completions'),

  read(body) {
    const tools = listOf(body.tools).map((tool) => stringOf(bodyOf(tool.function).name));
    const messages = listOf(body.messages);
    const users = messages.filter((message) => message.role === 'user').map((message) => textOf(message.content));
    const prompt = users.findLast((text) => text !== '' && !text.startsWith('<')) ?? '';
    const after = messages.findLastIndex((message) => message.role === 'assistant');
    const returned = messages.slice(after + 1).filter((message) => message.role === 'tool');
    const result = returned.map((message) => textOf(message.content)).join('\n');
    const kind: RequestKind = tools.length === 0 || body.response_format !== undefined ? 'side' : 'main';
    return { kind, tools, prompt, result, stream: body.stream === true };
  },

  async answer(out, reply, asked) {
    const text = reply.said.map((one) => (one.kind === 'text' ? one.text : '')).join('');
    const calls = reply.said.flatMap((one) => callOf(one, asked.tools));
    const about = { id: id('chatcmpl'), created: Math.floor(Date.now() / 1000), model: 'lab' };
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 200, completion_tokens: 25, total_tokens: 225 };
    const tool_calls = calls.map(({ name, input }) => ({
      id: id('call'),
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    if (!asked.stream) {
      const message = { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls } : {}) };
      return out.json({ ...about, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage });
    }
    const chunk = (delta: object, reason: string | null = null) =>
      out.event({
        ...about,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
        ...(reason === null ? {} : { usage }),
      });
    await chunk({ role: 'assistant', content: '' });
    for (const content of pieces(text)) await chunk({ content });
    for (const [index, one] of tool_calls.entries()) await chunk({ tool_calls: [{ index, ...one }] });
    if (await out.cut()) return;
    await chunk({}, finish_reason);
    out.end();
  },

  side: () => '{"title":"Lab session"}',

  failure({ error, message }) {
    const status = error === 'usage-limit' ? 429 : error;
    const type = status < 500 ? 'invalid_request_error' : 'server_error';
    return { status, headers: {}, body: { error: { message, type, code: null } } };
  },
};

function callOf(said: Spoken, tools: string[]): FunctionCall[] {
  const named = (names: string[]) => names.find((name) => tools.includes(name)) ?? names[0]!;
  if (said.kind === 'bash') {
    const description = 'Run a command of the scenario';
    // Qwen takes no call that leaves it open whether it stays in the background.
    const name = named(['bash', 'run_shell_command']);
    const more = name === 'run_shell_command' ? { is_background: false } : {};
    return [{ name, input: { command: said.command, description, ...more } }];
  }
  if (said.kind === 'write') {
    const name = named(['write', 'write_file']);
    const path = name === 'write' ? { filePath: said.path } : { file_path: said.path };
    return [{ name, input: { ...path, content: said.content } }];
  }
  return said.kind === 'tool' ? [{ name: said.name, input: said.input }] : [];
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => stringOf(part.text))
        .join('\n');
const id = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
