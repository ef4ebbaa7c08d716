/**
 * The OpenAI Responses API as codex 0.166 calls it: `POST …/responses`, streaming. Which tool runs a command depends on
 * the model codex believes in, so it is looked up among the tools offered.
 */
import { randomUUID } from 'node:crypto';
import type { Spoken } from './script.js';
import { bodyOf, listOf, pieces, type RequestBody, type RequestKind, stringOf, type Wire } from './wire.js';

type OutputItem = { type: string; id: string } & Record<string, unknown>;

export const responses: Wire = {
  matches: (method, path) => method === 'POST' && path.endsWith('/responses'),

  read(body) {
    const tools = listOf(body.tools).map((tool) => stringOf(tool.name) || stringOf(tool.type));
    const input = listOf(body.input);
    const users = input.filter((item) => item.role === 'user').map((item) => textOf(item.content));
    const prompt = users.findLast((text) => text !== '' && !text.startsWith('<')) ?? '';
    const after = input.findLastIndex(
      (item) => item.role === 'assistant' || item.type === 'function_call' || item.type === 'custom_tool_call',
    );
    const returned = input.slice(after + 1).filter((item) => stringOf(item.type).endsWith('_output'));
    const result = returned.map((item) => outputOf(item.output)).join('\n');
    return { kind: kindOf(body, tools, users.at(-1) ?? ''), tools, prompt, result, stream: body.stream !== false };
  },

  async answer(out, reply, asked) {
    const response = {
      id: id('resp'),
      object: 'response',
      model: 'lab',
      status: 'in_progress',
      output: [] as OutputItem[],
    };
    const event = (type: string, data: object) => out.event({ type, ...data }, type);
    const items = reply.said.map((one) => item(one, asked.tools));
    await event('response.created', { response });
    for (const [output_index, one] of items.entries()) await say(one, output_index, event);
    if (await out.cut()) return;
    const usage = {
      input_tokens: 200,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 25,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 225,
    };
    await event('response.completed', { response: { ...response, status: 'completed', output: items, usage } });
    out.end();
  },

  side: (kind: RequestKind) => (kind === 'title' ? '{"title":"Lab session"}' : 'The lab has forgotten what was said.'),

  failure({ error, message, resetsIn }) {
    const status = error === 'usage-limit' ? 429 : error;
    const resets_at = Math.floor(Date.now() / 1000) + resetsIn;
    const limit = {
      type: 'usage_limit_reached',
      code: 'usage_limit_reached',
      plan_type: 'plus',
      resets_at,
      resets_in_seconds: resetsIn,
    };
    const about =
      error === 'usage-limit' ? limit : { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null };
    return { status, headers: {}, body: { error: { message, ...about } } };
  },
};

function kindOf(body: RequestBody, tools: string[], last: string): RequestKind {
  const instructions = stringOf(body.instructions);
  if (bodyOf(body.text).format !== undefined && /title/i.test(instructions + last)) return 'title';
  if (/CONTEXT CHECKPOINT COMPACTION|handoff summary/i.test(last)) return 'compact';
  return tools.length === 0 ? 'side' : 'main';
}

function item(said: Spoken, tools: string[]): OutputItem {
  if (said.kind === 'text')
    return {
      type: 'message',
      id: id('msg'),
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: said.text, annotations: [] }],
    };
  if (said.kind === 'thinking')
    return {
      type: 'reasoning',
      id: id('rs'),
      summary: [{ type: 'summary_text', text: said.text }],
      content: null,
      encrypted_content: null,
    };
  if (said.kind === 'tool') return namedCall(said.name, said.input, tools);
  if (said.kind === 'bash') return shell(said.command, tools);
  if (said.kind === 'write') return writing(said, tools);
  const questions = said.questions.map(({ question, header, options }, index) => ({
    id: `q${index + 1}`,
    header,
    question,
    options,
  }));
  return call('request_user_input', { questions });
}

/** Tools of an MCP server are offered as a namespace: `mcp__server` with `tool` in it. */
function namedCall(name: string, input: object, tools: string[]): OutputItem {
  // Hosted: the model's own side runs it, and says what it did.
  if (name === 'web_search')
    return { type: 'web_search_call', id: id('ws'), status: 'completed', action: { type: 'search', ...input } };
  const namespace = tools.find((tool) => name.startsWith(`${tool}__`));
  return namespace === undefined ? call(name, input) : { ...call(name.slice(namespace.length + 2), input), namespace };
}

function shell(command: string, tools: string[]): OutputItem {
  if (tools.includes('exec_command')) return call('exec_command', { cmd: command });
  if (tools.includes('shell_command')) return call('shell_command', { command });
  return call('shell', { command: ['bash', '-lc', command] });
}

function writing({ path, content }: { path: string; content: string }, tools: string[]): OutputItem {
  if (!tools.includes('apply_patch')) {
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    return shell(`printf '%s' ${quoted(content)} > ${quoted(path)}`, tools);
  }
  const added = content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `+${line}`)
    .join('\n');
  const patch = `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n`;
  return {
    type: 'custom_tool_call',
    id: id('ctc'),
    call_id: id('call'),
    name: 'apply_patch',
    input: patch,
    status: 'completed',
  };
}

const call = (name: string, input: object): OutputItem => ({
  type: 'function_call',
  id: id('fc'),
  call_id: id('call'),
  name,
  arguments: JSON.stringify(input),
  status: 'completed',
});

async function say(
  one: OutputItem,
  output_index: number,
  event: (type: string, data: object) => Promise<void>,
): Promise<void> {
  const place = { output_index, item_id: one.id };
  await event('response.output_item.added', { output_index, item: begun(one) });
  if (one.type === 'message') {
    const text = stringOf(listOf(one.content)[0]?.text);
    for (const delta of pieces(text)) await event('response.output_text.delta', { ...place, content_index: 0, delta });
  }
  if (one.type === 'reasoning') {
    const text = stringOf(listOf(one.summary)[0]?.text);
    for (const delta of pieces(text))
      await event('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta });
  }
  await event('response.output_item.done', { output_index, item: one });
}

/** An item before its content came. */
function begun(one: OutputItem): object {
  if (one.type === 'message') return { ...one, content: [], status: 'in_progress' };
  if (one.type === 'reasoning') return { ...one, summary: [] };
  return { ...one, arguments: '', status: 'in_progress' };
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => stringOf(part.text))
        .join('\n');
const outputOf = (output: unknown): string =>
  typeof output === 'string' ? output : textOf(output) || JSON.stringify(output ?? '');
const id = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
