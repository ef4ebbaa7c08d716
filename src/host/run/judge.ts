/**
 * How a launch went. Success comes from the agent's own record or its exit code; a timer can fail it, never complete it.
 * Pure.
 */
import type { Adapter, Door } from '../../adapters/index.js';
import { type Failure, failureOf, successOf } from '../../adapters/loaded.js';
import type { AgentOutput } from '../../contract/index.js';
import type { Exit } from '../../terminal/index.js';

/** Why it was ended before it ended by itself. */
export interface CutShort {
  exit: 'timed-out' | 'stopped' | 'failed';
  reason: string;
}

export interface JudgedRun {
  exit: 'ok' | CutShort['exit'];
  reason?: string;
  /** Known not to be the work's own: its login, its settings, or an outage. */
  failure?: Failure;
}

export function judge(of: {
  adapter: Pick<Adapter, 'label' | 'plain' | 'failures'>;
  door: Door;
  exit: Exit;
  outputs: readonly AgentOutput[];
  /** What it printed beside its records. */
  lastWords: string;
  ending: CutShort | undefined;
  /** Its turn was over, and we ended it for that. */
  sentAway: boolean;
  /** It said or did something; it only tried again to reach its model when it ended. */
  spoke: boolean;
  retrying: string | undefined;
}): JudgedRun {
  const { adapter, exit, outputs } = of;
  const done = outputs.findLast((output) => output.kind === 'done');
  // A terminal program that we sent away: its record counts, as at the control door.
  const door = of.sentAway && done ? 'control' : of.door;
  const success = successOf(adapter, { door, exit: exit.code, signal: exit.signal, outputs });
  // It said it was done before our stop reached it: the stop ended a process, not the work.
  const finished = of.ending?.exit === 'stopped' && done?.ok === true;
  if (finished) return { exit: 'ok' };
  if (of.ending?.exit === 'timed-out' && of.retrying !== undefined)
    return { exit: 'failed', reason: `${of.ending.reason}: ${of.retrying}`, failure: 'outage' };
  if (of.ending) return of.ending;
  if (success.ok) return { exit: 'ok' };
  const words = of.lastWords.trim();
  // What it printed on the side helps where it left no record; beside a record it is only noise.
  const tail = words && !done ? ` – ${words.split('\n').slice(-3).join(' / ').slice(0, 500)}` : '';
  const failure = failureOf(adapter.failures, {
    record: done?.failure,
    ended: done !== undefined,
    exit: exit.code,
    stderr: of.lastWords,
    spoke: of.spoke,
  });
  return {
    exit: 'failed',
    ...(success.reason ? { reason: `${success.reason}${tail}` } : {}),
    ...(failure === undefined ? {} : { failure }),
  };
}
