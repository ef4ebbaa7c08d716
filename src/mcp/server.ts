/**
 * The protocol itself: JSON-RPC messages in, messages out, whatever carries them. Every request is answered once; what a
 * tool throws is its result, with the error's code. One that is not understood is an error and changes nothing.
 */
import { z } from 'zod';
import { asReinsError, ReinsError } from '../contract/index.js';
import type { Where } from '../sessions/index.js';
import { loginWhere } from '../sessions/run.js';
import { type Caller, DEEDS } from './deeds.js';
import { type CallerRights, demand, mayUse } from './rights.js';
import { isTool, TOOLS, type ToolArgs, type ToolName } from './tools.js';

/** Newest first; who asks for another gets the newest and may leave. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const INSTRUCTIONS =
  'Coding agents in sessions of this machine, supervised by Reins. Start one, wait for it, read its screen, send it messages. ' +
  'When it asks for permission, a person answers (`reins inbox`): tell your user, and wait.';

/** Each holds a link for up to an hour. */
const MOST_WAITS = 64;

const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602 };

export interface McpOptions {
  where: Where;
  rights: CallerRights;
}

export interface McpServer {
  /**
   * One message, as it was parsed. Undefined: nothing is owed. Never rejects. `left`: who asks may go away by itself, one
   * of many that count their messages alike; then nothing is cancelled by a number.
   */
  take(message: unknown, left?: AbortSignal): Promise<object | undefined>;
  /** Nobody waits any more. */
  close(): void;
}

interface RpcMessage {
  id?: string | number;
  method: string;
  params: Record<string, unknown>;
  left: AbortSignal | undefined;
}

const record = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

export const parseError = { jsonrpc: '2.0', id: null, error: { code: CODES.parse, message: 'this is no JSON' } };

export function createServer({ where, rights }: McpOptions): McpServer {
  const running = new Set<AbortController>();
  /** By the number of the message, where there is one caller. */
  const numbered = new Map<string | number, AbortController>();
  let waits = 0;
  let name = 'an MCP client';
  let login: Promise<Where> | undefined;
  const agents = () => {
    login ??= loginWhere(where);
    return login;
  };

  const answers: Record<string, (message: RpcMessage) => Promise<object> | object> = {
    initialize: ({ params }) => {
      const said = record(params.clientInfo)?.name;
      if (typeof said === 'string') name = said.replace(/[^\x20-\x7e]/g, '').slice(0, 60) || name;
      const asked = params.protocolVersion;
      return {
        protocolVersion: VERSIONS.find((version) => version === asked) ?? VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: 'reins', version: where.version },
        instructions: INSTRUCTIONS,
      };
    },
    ping: () => ({}),
    'tools/list': () => ({ tools: toolList(rights) }),
    'tools/call': async ({ id, params, left }) => {
      const isWait = params.name === 'session_wait';
      if (isWait && waits >= MOST_WAITS) throw new Error(`${MOST_WAITS} calls wait already`);
      const controller = new AbortController();
      const leave = () => controller.abort();
      left?.addEventListener('abort', leave, { once: true });
      if (left?.aborted) leave();
      running.add(controller);
      if (id !== undefined && !left) numbered.set(id, controller);
      if (isWait) waits += 1;
      try {
        return await call({ where: await agents(), rights, name, signal: controller.signal }, params);
      } finally {
        if (isWait) waits -= 1;
        running.delete(controller);
        if (id !== undefined && numbered.get(id) === controller) numbered.delete(id);
        left?.removeEventListener('abort', leave);
      }
    },
  };

  return {
    async take(given, left) {
      const raw = record(given);
      const id = typeof raw?.id === 'string' || typeof raw?.id === 'number' ? raw.id : undefined;
      const wrong = (code: number, message: string) => ({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });
      if (raw?.jsonrpc !== '2.0' || (raw.id !== undefined && id === undefined))
        return wrong(CODES.request, 'no JSON-RPC 2.0 request');
      if (typeof raw.method !== 'string') return undefined; // an answer to something we never asked
      const params = record(raw.params) ?? {};
      if (id === undefined) {
        if (raw.method === 'notifications/cancelled' && !left) numbered.get(params.requestId as string)?.abort();
        return undefined;
      }
      const answer = Object.hasOwn(answers, raw.method) ? answers[raw.method] : undefined;
      if (!answer) return wrong(CODES.method, `there is no ${raw.method.slice(0, 100)}`);
      try {
        return { jsonrpc: '2.0', id, result: await answer({ id, method: raw.method, params, left }) };
      } catch (error) {
        return wrong(CODES.params, (error as Error).message);
      }
    },
    close() {
      for (const controller of running) controller.abort();
    },
  };
}

/** Only what the caller may use: a tool that is always refused helps nobody. */
function toolList(rights: CallerRights): object[] {
  return Object.entries(TOOLS)
    .filter(([, { right }]) => mayUse(rights, right))
    .map(([name, { says, args }]) => ({
      name,
      description: says,
      inputSchema: z.toJSONSchema(args, { io: 'input' }),
    }));
}

async function call(caller: Caller, params: Record<string, unknown>): Promise<object> {
  const { name } = params;
  if (!isTool(name)) throw new Error(`there is no tool ${String(name).slice(0, 100)}`);
  const { args, right } = TOOLS[name];
  try {
    demand(caller.rights, right, name);
    const read = args.safeParse(params.arguments ?? {});
    if (!read.success) {
      const [first] = read.error.issues;
      const at = first?.path.join('.') || 'its arguments';
      throw new ReinsError('USAGE', {
        problem: `${name}: ${at}: ${first?.message}`,
        fix: 'see the schema of the tool',
      });
    }
    const value = await deed(name, caller, read.data as ToolArgs<typeof name>);
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  } catch (thrown) {
    const error = asReinsError(thrown);
    return { content: [{ type: 'text', text: `${error.code}: ${error.message}. ${error.hint}` }], isError: true };
  }
}

const deed = <K extends ToolName>(name: K, caller: Caller, args: ToolArgs<K>): Promise<object> =>
  (DEEDS[name] as (caller: Caller, args: ToolArgs<K>) => Promise<object>)(caller, args);
