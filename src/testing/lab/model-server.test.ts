import { afterEach, describe, expect, it } from 'vitest';
import { ModelServer } from './model-server.js';
import { parseScenario } from './scenario.js';

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  await server?.close();
});

async function start(scenario: string): Promise<ModelServer> {
  server = await ModelServer.start({ scenario: await parseScenario(scenario, 'test'), cwd: '/srv' });
  return server;
}

const TOOLS = {
  anthropic: [{ name: 'Bash' }],
  responses: [
    { type: 'function', name: 'exec_command' },
    { type: 'custom', name: 'apply_patch' },
  ],
  gemini: [{ functionDeclarations: [{ name: 'run_shell_command' }] }],
};
const PATHS = {
  anthropic: '/v1/messages?beta=true',
  responses: '/v1/responses',
  gemini: '/v1beta/models/x:streamGenerateContent?alt=sse',
};
type Api = keyof typeof PATHS;
const APIS = Object.keys(PATHS) as Api[];

const said: Record<Api, (prompt: string) => object> = {
  anthropic: (prompt) => ({ stream: true, tools: TOOLS.anthropic, messages: [{ role: 'user', content: prompt }] }),
  responses: (prompt) => ({
    stream: true,
    tools: TOOLS.responses,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }],
  }),
  gemini: (prompt) => ({ tools: TOOLS.gemini, contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
};

const post = (api: Api, body: object) =>
  fetch(`${server?.url}${PATHS[api]}`, { method: 'POST', body: JSON.stringify(body) });
async function events(api: Api, body: object): Promise<Record<string, unknown>[]> {
  const text = await (await post(api, body)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)));
}
/** All pieces of text in a stream, of any API. */
const words = (rows: Record<string, unknown>[]) =>
  [
    ...JSON.stringify(rows).matchAll(
      /"type":"text_delta","text":"([^"]*)"|"delta":"([^"]*)"|"parts":\[{"text":"([^"]*)"}/g,
    ),
  ]
    .map((m) => m[1] ?? m[2] ?? m[3])
    .join('');

describe.each(APIS)('%s', (api) => {
  it('gives the turns in order, skips those meant for another prompt, and has an end', async () => {
    const model = await start(
      'turns: [{when: never, text: no}, {text: "first, in more than twenty characters"}, {text: "you said {{prompt}}"}]\nend: over',
    );
    const all = [];
    for (const prompt of ['one', 'two', 'three']) all.push(words(await events(api, said[api](prompt))));
    expect(all).toEqual(['first, in more than twenty characters', 'you said two', 'over']);
    expect(model.main.map(({ turn }) => turn)).toEqual([1, 2, -1]);
    expect(model.left).toBe(1);
  });

  it('calls its own tools for bash, write and ask', async () => {
    await start(
      'turns: [{blocks: [{bash: ls}, {write: {path: a.txt, content: hi}}, {ask: [{question: Which?, options: [a, b], multi: true}]}]}]',
    );
    const text = JSON.stringify(await events(api, said[api]('go')));
    const names = {
      anthropic: ['Bash', 'Write', 'AskUserQuestion'],
      responses: ['exec_command', 'apply_patch', 'request_user_input'],
      gemini: ['run_shell_command', 'write_file', 'ask_user'],
    };
    for (const name of names[api]) expect(text).toContain(`"name":"${name}"`);
    expect(text).toContain('/srv/a.txt');
  });

  it.each([
    ['401', 401],
    ['529', api === 'gemini' ? 503 : 529],
    ['usage-limit', 429],
  ])('error %s is status %i, as often as it says', async (error, status) => {
    await start(`turns: [{error: ${error}, times: 2, message: no more}, {text: fine}]`);
    for (let n = 0; n < 2; n += 1) {
      const response = await post(api, said[api]('go'));
      expect(response.status).toBe(status);
      expect(await response.text()).toContain('no more');
    }
    expect(words(await events(api, said[api]('go')))).toBe('fine');
  });

  it('cuts the stream where the scenario says', async () => {
    await start('turns: [{text: half a sen, cut: true}]');
    await expect(events(api, said[api]('go'))).rejects.toThrow();
  });

  it('a request without tools is a side request and takes no turn', async () => {
    const model = await start('turns: [{text: main}]');
    await events(api, { ...said[api]('make a title'), tools: [] });
    expect(model.main).toEqual([]);
    expect(words(await events(api, said[api]('go')))).toBe('main');
  });
});

describe('the server', () => {
  it('listens on loopback only, answers probes, and notes strangers', async () => {
    const model = await start('turns: []');
    expect(new URL(model.url).hostname).toBe('127.0.0.1');
    expect((await fetch(model.url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${model.url}/v1/nonsense`)).status).toBe(404);
    expect(model.strangers).toEqual(['GET /v1/nonsense']);
  });

  it('a sub-agent of claude has turns of its own', async () => {
    const model = await start('turns: [{text: main}]\nsubagent: [{text: helper}]');
    const system = [{ type: 'text', text: 'x-anthropic-billing-header: cc_is_subagent=true' }];
    expect(words(await events('anthropic', { ...said.anthropic('help'), system }))).toBe('helper');
    expect(words(await events('anthropic', said.anthropic('go')))).toBe('main');
    expect(model.requests.map(({ kind }) => kind)).toEqual(['subagent', 'main']);
  });

  it('tool results come back as {{result}}', async () => {
    await start('turns: [{text: "got {{result}}"}]');
    const content = [{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: 'seen' }] }];
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'x' },
      { role: 'user', content },
    ];
    expect(words(await events('anthropic', { stream: true, tools: TOOLS.anthropic, messages }))).toBe('got seen');
  });
});

describe('a scenario file', () => {
  it('keeps the order of its keys', async () => {
    const { turns } = await parseScenario(
      'turns: [{text: a, bash: b, thinking: c}, {thinking: c, text: a, delay: 5}]',
      'x',
    );
    expect(turns.map(({ blocks }) => blocks.flatMap((block) => Object.keys(block)))).toEqual([
      ['text', 'bash', 'thinking'],
      ['thinking', 'text'],
    ]);
    expect(turns[1]?.delay).toBe(5);
  });

  it.each([
    ['turns: [{sing: la}]', 'sing'],
    ['turns: [{error: 200}]', 'turns[0].error'],
    ['turns: [{ask: []}]', 'turns[0].ask'],
    ['turns: [{times: 0, text: x}]', 'turns[0].times'],
    ['turn: []', 'turn'],
    ['', 'mine.yml'],
    ['turns: [}', 'mine.yml: '],
  ])('%j is refused, naming %s', async (text, place) => {
    await expect(parseScenario(text, 'mine.yml')).rejects.toThrow(place);
  });
});
