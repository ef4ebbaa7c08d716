/**
 * What an agent says, in one vocabulary for all agents. Decoders (adapters) produce it, the host journals it, the loop
 * reads it. `before`: a call that came after it, and was told of earlier. `text` is only ever the assistant's own words: tool output and echoes of our prompt never come as `text`.
 */
export type AgentOutput =
  /** Assistant text, to be concatenated as it is; a decoder ends each block of text with a newline. */
  | { kind: 'text'; text: string; parent?: string; before?: string }
  /** A piece of what will come as `text`, while it is written. */
  | { kind: 'partial'; text: string }
  | { kind: 'thinking'; text: string; parent?: string; before?: string }
  /** What the person gave the agent, read back from the agent's own record: typed, sent, or the first prompt. */
  | { kind: 'prompt'; text: string; before?: string }
  /** A call the model made; `began`: it is known to run already. */
  | { kind: 'tool'; call: string; tool: string; input: unknown; parent?: string; began?: true; before?: string }
  /**
   * What came of a call. `ran`: false only where the agent's own record proves that nothing ran, true where it proves that
   * something did; a failure may be either. `tool` and `input`: what ran, with what, where the agent says so at the end.
   */
  | {
      kind: 'tool-result';
      call: string;
      ok: boolean;
      text: string;
      parent?: string;
      ran?: boolean;
      /** It runs on in the background, under this name. */
      running?: string;
      tool?: string;
      input?: unknown;
    }
  /** The agent named its own conversation: what `--resume` needs later. */
  | { kind: 'conversation'; id: string; model?: string }
  | { kind: 'usage'; inputTokens: number; outputTokens: number; costUsd?: number }
  /** The agent retries a failed request by itself. */
  | { kind: 'retry'; attempt: number; of?: number; inMs?: number; error: string }
  /** The agent's plan or provider refuses more work until some time. */
  | { kind: 'limit'; message: string; until?: number }
  /** Something went wrong; `fatal` when the turn is over because of it. */
  | { kind: 'error'; message: string; fatal: boolean }
  | { kind: 'state'; state: 'working' | 'idle' | 'asking-permission' | 'asking-question' }
  /** The agent's own record of how its turn ended; success is never the exit code alone. */
  | {
      kind: 'done';
      ok: boolean;
      text?: string;
      reason?: string;
      costUsd?: number;
      turns?: number;
      failure?: AgentFailure;
    }
  /** Not understood; kept, counted, never lost. `raw` is bounded. */
  | { kind: 'unknown'; raw: string };

/** What the agent's own record says about a failed turn, for who tells kinds of failures apart: never the model's words. */
export interface AgentFailure {
  /** Of the answer it got from its provider. */
  status?: number;
  /** Its own name for the error. */
  code?: string;
  message?: string;
}

/** Bytes in, output out; stateful, no I/O, never throws on any input, bounded memory whatever comes. */
export interface Decoder {
  feed(chunk: Uint8Array): AgentOutput[];
  /** What was still held back, at the end of the stream. */
  end(): AgentOutput[];
}
