/**
 * The Gemini API as gemini-cli 0.61 calls it: `…:streamGenerateContent?alt=sse` for the conversation, `…:generateContent`
 * with a JSON schema for its router and other side questions, `…:countTokens`.
 */
import type { Spoken } from './script.js';
import { bodyOf, listOf, pieces, type RequestBody, type RequestKind, stringOf, type Wire } from './wire.js';

type ContentPart = Record<string, unknown>;

export const gemini: Wire = {
  matches: (method, path) => method === 'POST' && /:(generateContent|streamGenerateContent)$/.test(path),

  read(body, { path }) {
    const tools = listOf(body.tools)
      .flatMap((tool) => listOf(tool.functionDeclarations))
      .map((tool) => stringOf(tool.name));
    const contents = listOf(body.contents);
    const users = contents.filter((content) => content.role === 'user');
    const words = users.flatMap((user) => listOf(user.parts)).map((part) => stringOf(part.text).trim());
    const prompt = words.findLast((text) => text !== '' && !text.startsWith('<session_context>')) ?? '';
    const returned = listOf(users.at(-1)?.parts)
      .map((part) => part.functionResponse)
      .filter(Boolean)
      .map(bodyOf);
    const result = returned.map((one) => resultOf(bodyOf(one.response))).join('\n');
    return { kind: kindOf(body, tools, prompt), tools, prompt, result, stream: path.includes('stream') };
  },

  async answer(out, reply, asked) {
    const parts = reply.said.flatMap((one) => partsOf(one, asked.tools));
    if (!asked.stream) return out.json(response(parts, 'STOP'));
    for (const part of parts) await out.event(response([part], undefined));
    if (await out.cut()) return;
    await out.event(response([], 'STOP'));
    out.end();
  },

  side: (kind: RequestKind) =>
    kind === 'router'
      ? '{"reasoning":"The lab has one model.","complexity_reasoning":"none","complexity_score":10,"model_choice":"flash"}'
      : '{"reasoning":"The lab goes on.","next_speaker":"user","title":"Lab session"}',

  failure({ error, message }) {
    const names: Record<number, string> = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      403: 'PERMISSION_DENIED',
      429: 'RESOURCE_EXHAUSTED',
      503: 'UNAVAILABLE',
    };
    // Gemini knows no 529; its word for overload is 503.
    const status = error === 'usage-limit' ? 429 : error === 529 ? 503 : error;
    const quota = { quotaMetric: 'generate_content_requests', quotaId: 'GenerateRequestsPerDayPerProjectPerModel' };
    const details =
      error === 'usage-limit' ? [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [quota] }] : [];
    return {
      status,
      headers: {},
      body: {
        error: { code: status, message, status: names[status] ?? 'INTERNAL', details },
      },
    };
  },
};

function kindOf(body: RequestBody, tools: string[], prompt: string): RequestKind {
  const config = bodyOf(body.generationConfig);
  const system = listOf(bodyOf(body.systemInstruction).parts)
    .map((part) => stringOf(part.text))
    .join('\n');
  if (/task rout(ing|er)|complexity_score|model_choice/i.test(system)) return 'router';
  if (/state_snapshot|summarizes? .*chat history/i.test(system + prompt.slice(0, 500))) return 'compact';
  if (config.responseMimeType === 'application/json' || config.responseJsonSchema !== undefined) return 'side';
  return tools.length === 0 ? 'side' : 'main';
}

function partsOf(said: Spoken, tools: string[]): ContentPart[] {
  if (said.kind === 'text') return pieces(said.text).map((text) => ({ text }));
  if (said.kind === 'thinking') return [{ text: said.text, thought: true }];
  const call = (name: string, args: object): ContentPart[] => [{ functionCall: { name, args } }];
  if (said.kind === 'bash')
    return call('run_shell_command', { command: said.command, description: 'Run a command of the scenario' });
  if (said.kind === 'write') return call('write_file', { file_path: said.path, content: said.content });
  if (said.kind === 'tool') {
    // `*_mark`: the tool with this ending, of a server whose name is not known beforehand.
    const ending = said.name.startsWith('*') ? said.name.slice(1) : undefined;
    const named = ending === undefined ? undefined : tools.find((tool) => tool.endsWith(ending));
    return call(named ?? said.name, said.input);
  }
  const questions = said.questions.map(({ question, header, options, multi }) => {
    const type = options.length > 0 ? 'choice' : 'text';
    return { question, header, type, ...(options.length > 0 ? { options, multiSelect: multi } : {}) };
  });
  return call('ask_user', { questions });
}

function response(parts: ContentPart[], finishReason: string | undefined): object {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(finishReason ? { finishReason } : {}) };
  const usage = finishReason
    ? { usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 25, totalTokenCount: 225 } }
    : {};
  return { candidates: [candidate], ...usage, modelVersion: 'lab', responseId: 'lab' };
}

const resultOf = (response: RequestBody): string =>
  stringOf(response.output) || stringOf(response.error) || JSON.stringify(response);
