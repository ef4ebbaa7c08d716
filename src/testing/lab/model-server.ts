/**
 * The lab's model: an HTTP server on 127.0.0.1 that speaks four APIs and plays one scenario. It remembers what it was
 * asked, so that a test can look; it never speaks to anybody else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropic } from './anthropic.js';
import { chat } from './chat.js';
import { gemini } from './gemini.js';
import { responses } from './responses.js';
import type { LabScenario } from './scenario.js';
import { type ModelReply, Script } from './script.js';
import { bodyOf, failedReply, type ModelRequest, Out, type RequestBody, type Wire } from './wire.js';

const WIRES: Record<string, Wire> = { anthropic, responses, gemini, chat };

/** Larger requests are refused: a conversation of the lab is small. */
const BODY_BYTES = 64 * 1024 * 1024;

export interface LabRequest extends ModelRequest {
  api: string;
  /** Which turn of the scenario it got; -1: the end, undefined: a side request. */
  turn?: number;
  body: RequestBody;
}

export class ModelServer {
  readonly #server: Server;
  readonly #script: Script;
  readonly #subagent: Script;
  readonly requests: LabRequest[] = [];
  /** Requests nobody knows: `METHOD /path`. */
  readonly strangers: string[] = [];

  private constructor(given: { scenario: LabScenario; cwd: string }) {
    this.#script = new Script(given);
    const turns = given.scenario.subagent ?? [];
    this.#subagent = new Script({ ...given, scenario: { turns, end: 'The sub-agent is done.' } });
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => {
        if (!response.headersSent) response.writeHead(500);
        response.end(error.message);
      });
    });
  }

  /** `cwd` is where the agent works: relative paths of the scenario are meant there. */
  static async start(given: { scenario: LabScenario; cwd: string }): Promise<ModelServer> {
    const server = new ModelServer(given);
    await new Promise<void>((settle, fail) => {
      server.#server.once('error', fail).listen(0, '127.0.0.1', settle);
    });
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests of the conversation itself. */
  get main(): LabRequest[] {
    return this.requests.filter((request) => request.kind === 'main');
  }

  /** Turns not yet played. */
  get left(): number {
    return this.#script.left;
  }

  /** Contract: may be called twice; open answers are cut. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((settle) => {
      this.#server.close(() => settle());
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET';
    const path = new URL(request.url ?? '/', 'http://lab').pathname;
    const found = Object.entries(WIRES).find(([, wire]) => wire.matches(method, path));
    const text = await bodyText(request);
    if (!found) return this.#small(method, path, response);
    const [api, wire] = found;
    const body = bodyOf(JSON.parse(text));
    const asked = consulted(wire.read(body, { path, headers: request.headers }));
    const script = { main: this.#script, subagent: this.#subagent }[asked.kind as string];
    const fixed = (): ModelReply => ({ said: [{ kind: 'text', text: wire.side(asked.kind) }], turn: -1 });
    const reply = script?.next(asked) ?? fixed();
    this.requests.push({ ...asked, api, body, ...(script ? { turn: reply.turn } : {}) });
    if (reply.delay) await sleep(reply.delay);
    if (response.destroyed) return;
    if (reply.error !== undefined) {
      const failure = wire.failure(failedReply(reply));
      response.writeHead(failure.status, { 'content-type': 'application/json', ...failure.headers });
      response.end(JSON.stringify(failure.body));
      return;
    }
    await wire.answer(new Out(response, reply), reply, asked);
  }

  /** Probes and counters that the agents make on the way. */
  #small(method: string, path: string, response: ServerResponse): void {
    const known = method === 'HEAD' ? {} : smallAnswer(path);
    if (!known) this.strangers.push(`${method} ${path}`);
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      method === 'HEAD'
        ? undefined
        : JSON.stringify(known ?? { error: { message: `the lab does not know ${method} ${path}` } }),
    );
  }
}

/** An agent that is consulted has no tools, as a side request has none: it is known by the prompt Reins gives it. */
const consulted = (asked: ModelRequest): ModelRequest =>
  /^You are consulted\. An agent works on/m.test(asked.prompt) ? { ...asked, kind: 'main' } : asked;

function smallAnswer(path: string): object | undefined {
  if (path.endsWith('/count_tokens')) return { input_tokens: 100 };
  if (path.endsWith(':countTokens')) return { totalTokens: 100 };
  if (path.endsWith('/models')) return { object: 'list', data: [], models: [] };
  return undefined;
}

async function bodyText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES) throw new Error('the request is too large for the lab');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
