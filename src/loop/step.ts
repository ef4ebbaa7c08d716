/**
 * One call of `reduce` at work: collects entries and effects and keeps the state in step with them. The only mutable
 * thing in the loop, and it does not outlive the call.
 */
import type { LoopEntry } from './entries.js';
import { evolve } from './evolve.js';
import type { Effect } from './facts.js';
import type { Finish, LoopState } from './state.js';

export interface Step {
  state: LoopState;
  readonly at: number;
  readonly entries: LoopEntry[];
  readonly effects: Effect[];
}

type EntryDraft = LoopEntry extends infer E ? (E extends LoopEntry ? Omit<E, 'at'> : never) : never;

export function put(step: Step, draft: EntryDraft): void {
  const entry = { ...draft, at: step.at } as LoopEntry;
  step.entries.push(entry);
  step.state = evolve(step.state, entry);
}

export function finish(step: Step, end: Finish): void {
  put(step, { type: 'session.ended', data: { outcome: end.outcome, exit_code: end.exitCode, reason: end.reason } });
  step.effects.push({ do: 'finish', ...end });
}

/** Asks for the agent's end; the session ends as `goal` says once it is gone. */
export function stopAgent(step: Step, goal: Finish, how: 'stop' | 'kill'): void {
  const { outcome, exitCode, reason, advice } = goal;
  const facts = { outcome, exit_code: exitCode, reason, ...(advice === undefined ? {} : { advice }) };
  const text = `stopping the agent: ${reason}`;
  put(step, { type: 'loop.stopping', data: { level: 'warn', text, ...facts } });
  step.effects.push({ do: 'stop', how, reason });
}
