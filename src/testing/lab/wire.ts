/** What a file per API must know, and the few lines they share: server-sent events, pacing, a broken connection. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Heard, ModelReply } from './script.js';

/** What a request is for. `main` and `subagent` are played from the scenario, the rest gets a fixed answer. */
export type RequestKind = 'main' | 'subagent' | 'title' | 'router' | 'compact' | 'side';

export interface ModelRequest extends Heard {
  kind: RequestKind;
  /** The names of the tools the model may call. */
  tools: string[];
  stream: boolean;
}

export interface FailedReply {
  error: number | 'usage-limit';
  message: string;
  /** Of a usage limit, in seconds. */
  resetsIn: number;
}

export interface Wire {
  /** Is this request ours? */
  matches(method: string, path: string): boolean;
  read(body: RequestBody, about: { path: string; headers: IncomingHttpHeaders }): ModelRequest;
  answer(out: Out, reply: ModelReply, asked: ModelRequest): Promise<void>;
  /** The fixed answer to a side request. */
  side(kind: RequestKind): string;
  /** Status, headers and body of a failure in this API's words. */
  failure(failed: FailedReply): { status: number; headers: Record<string, string>; body: object };
}

export type RequestBody = Record<string, unknown>;
export const bodyOf = (value: unknown): RequestBody =>
  value && typeof value === 'object' && !Array.isArray(value) ? (value as RequestBody) : {};
export const listOf = (value: unknown): RequestBody[] => (Array.isArray(value) ? value.map(bodyOf) : []);
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Text comes in pieces of this many characters. */
const PIECE_CHARS = 20;

export const pieces = (text: string): string[] => text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'gu')) ?? [];

const AN_HOUR = 3600;

/** Where the scenario has no words: a usage limit says in the text when it ends, because claude hands on nothing else. */
export function failedReply({ error = 500, message, resets_in = AN_HOUR }: ModelReply): FailedReply {
  const minutes = `${Math.floor(resets_in / 60)}m${resets_in % 60}s`;
  const limit = `You have reached your usage limit. It resets after ${minutes}.`;
  return {
    error,
    message: message ?? (error === 'usage-limit' ? limit : `The lab answers ${error}`),
    resetsIn: resets_in,
  };
}

/** One response, written piece by piece at the pace of its turn. */
export class Out {
  readonly #response: ServerResponse;
  readonly #reply: ModelReply;
  #begun = false;

  constructor(response: ServerResponse, reply: ModelReply) {
    this.#response = response;
    this.#reply = reply;
  }

  async event(data: object, name?: string): Promise<void> {
    if (!this.#begun)
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    this.#begun = true;
    if (this.#response.destroyed) return;
    this.#response.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
    if (this.#reply.pace) await sleep(this.#reply.pace);
  }

  /** True if the scenario wants the connection to break here: nothing may follow. */
  async cut(): Promise<boolean> {
    if (!this.#reply.cut) return false;
    // What was written must be on its way before the socket goes.
    await new Promise((settle) => setImmediate(settle));
    this.#response.destroy();
    return true;
  }

  end(): void {
    this.#response.end();
  }

  json(body: object): void {
    this.#response.writeHead(200, { 'content-type': 'application/json' });
    this.#response.end(JSON.stringify(body));
  }
}
