/**
 * Whether an iteration succeeded: never the exit code alone. Gemini exits 0 on nearly everything, Claude says
 * `subtype: "success"` about a failed turn, Codex dies of SIGTERM without a last record.
 */
import type { AgentOutput } from '../contract/index.js';
import type { Adapter, Door } from './adapter.js';

export interface Ending {
  door: Door;
  /** As reported; null when a signal ended it. */
  exit: number | null;
  signal: string | null;
  /** What the decoder or protocol said, in order; the `done`, `error` and `limit` ones are enough. */
  outputs: readonly AgentOutput[];
}

export interface Success {
  ok: boolean;
  /** Why not, in words for the journal. */
  reason?: string;
}

/**
 * The rule per agent and door. Stream: a record of success and a clean exit. Control: the record alone, because we end
 * the process ourselves after it. Agents that print plain text, and terminal programs: a clean exit.
 */
export function successOf(adapter: Pick<Adapter, 'label' | 'plain'>, { door, exit, signal, outputs }: Ending): Success {
  const last = outputs.findLast((output) => output.kind === 'done');
  if (last && !last.ok) return { ok: false, reason: last.reason ?? `${adapter.label} reported a failure` };
  if (last && door === 'control') return { ok: true };
  if (signal !== null) return { ok: false, reason: `${adapter.label} was ended by ${signal}${because(outputs)}` };
  if (exit !== 0) return { ok: false, reason: `${adapter.label} exited with code ${exit}${because(outputs)}` };
  if (last || adapter.plain || door === 'tui') return { ok: true };
  return { ok: false, reason: `${adapter.label} ended without saying how its turn went${because(outputs)}` };
}

function because(outputs: readonly AgentOutput[]): string {
  const error = outputs.findLast((output) => output.kind === 'limit' || output.kind === 'error');
  return error ? `: ${error.message}` : '';
}
