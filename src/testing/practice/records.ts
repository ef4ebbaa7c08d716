/**
 * The NDJSON records of the stream and control doors, in the shapes of claude 2.1.197's stream-json, so that one decoder
 * serves both. Owns only shapes; when they are printed is the doors' business.
 */
import { randomUUID } from 'node:crypto';
import type { PracticeCall, TurnEnd } from './face.js';
import { MODEL, type PracticeSession, VERSION } from './session.js';
import type { ToolResult } from './tools.js';

const TOOLS = ['AskUserQuestion', 'Bash', 'Edit', 'ExitPlanMode', 'Read', 'Write'];
const NO_USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };

export class Records {
  readonly #session: PracticeSession;
  readonly #started = Date.now();
  #message = messageId();

  constructor(session: PracticeSession) {
    this.#session = session;
  }

  init(): object {
    const { cwd, skipPermissions } = this.#session;
    const mode = skipPermissions ? 'bypassPermissions' : 'default';
    return this.#with({
      ...{
        type: 'system',
        subtype: 'init',
        cwd,
        session_id: this.#session.id,
        tools: TOOLS,
        mcp_servers: [],
        model: MODEL,
      },
      ...{
        permissionMode: mode,
        slash_commands: [],
        apiKeySource: 'none',
        claude_code_version: VERSION,
        output_style: 'default',
      },
      ...{ agents: [], practice: 'a scripted practice agent: no model, no network' },
    });
  }

  block(block: object): object {
    const content = [block];
    const around = { id: this.#message, type: 'message', role: 'assistant', model: MODEL };
    const message = { ...around, content, stop_reason: null, stop_sequence: null, usage: NO_USAGE };
    return this.#with({ type: 'assistant', message, parent_tool_use_id: null });
  }

  delta(delta: object): object {
    const event = { type: 'content_block_delta', index: 0, delta };
    return this.#with({ type: 'stream_event', event, parent_tool_use_id: null });
  }

  toolUse(call: PracticeCall): object {
    return this.block({ type: 'tool_use', id: call.id, name: call.tool, input: call.input });
  }

  toolResult(call: PracticeCall, result: ToolResult): object {
    this.#message = messageId();
    const content = [{ tool_use_id: call.id, type: 'tool_result', content: result.text, is_error: !result.ok }];
    const message = { role: 'user', content };
    return this.#with({ type: 'user', message, parent_tool_use_id: null, tool_use_result: result.data });
  }

  retry(attempt: { attempt: number; of: number; delayMs: number; status: number }): object {
    const { attempt: n, of, delayMs, status } = attempt;
    const error = { error_status: status, error: 'overloaded_error' };
    return this.#with({
      type: 'system',
      subtype: 'api_retry',
      attempt: n,
      max_retries: of,
      retry_delay_ms: delayMs,
      ...error,
    });
  }

  interrupted(): object {
    const content = [{ type: 'text', text: '[Request interrupted by user]' }];
    return this.#with({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
  }

  /** What a turn ends with; an error brings the records that the real one prints before its result. */
  end(end: TurnEnd): object[] {
    const base = {
      type: 'result',
      duration_ms: Date.now() - this.#started,
      duration_api_ms: 0,
      stop_reason: 'end_turn',
    };
    const cost = (usd: number, usage: object) => ({
      total_cost_usd: usd,
      usage: { ...NO_USAGE, ...usage },
      modelUsage: {},
    });
    if (end.kind === 'interrupted') {
      const result = {
        ...base,
        subtype: 'error_during_execution',
        is_error: true,
        num_turns: 1,
        permission_denials: [],
      };
      return [this.interrupted(), this.#with({ ...result, ...cost(0, {}), stop_reason: null })];
    }
    if (end.kind === 'error') {
      const { text, status, error, resetsAt } = end;
      const limit = { status: 'rejected', resetsAt, rateLimitType: 'five_hour' };
      const said = { ...this.block({ type: 'text', text }), error, isApiErrorMessage: true };
      const result = {
        ...base,
        subtype: 'success',
        is_error: true,
        api_error_status: status,
        num_turns: 1,
        result: text,
      };
      return [
        ...(resetsAt === undefined ? [] : [this.#with({ type: 'rate_limit_event', rate_limit_info: limit })]),
        said,
        this.#with({ ...result, ...cost(0, {}), permission_denials: [] }),
      ];
    }
    const denied = end.denials.map((call) => ({ tool_name: call.tool, tool_use_id: call.id, tool_input: call.input }));
    const result = {
      ...base,
      subtype: 'success',
      is_error: false,
      api_error_status: null,
      num_turns: end.turns,
      result: end.text,
    };
    return [this.#with({ ...result, ...cost(end.costUsd, end.usage), permission_denials: denied })];
  }

  #with(record: object): object {
    return { ...record, session_id: this.#session.id, uuid: randomUUID() };
  }
}

function messageId(): string {
  return `msg_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
