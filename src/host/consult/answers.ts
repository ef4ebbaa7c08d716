/**
 * Sees how the session's questions are answered, by its journal, and has that remembered. What remembering takes is loaded
 * with the first question, so that an answer is written down before the agent hears it; most sessions ask nothing.
 */
import { type Answer, type Clock, type Entry, type Inquiry, once } from '../../contract/index.js';
import type { Journal } from '../../journal/journal.js';
import type { Consulted } from '../desk-ports.js';
import type { SessionSpec } from '../spec.js';
import type { Memory } from './memory.js';

export interface AnswersPorts {
  spec: Pick<SessionSpec, 'id' | 'cwd' | 'config'>;
  env: Record<string, string | undefined>;
  journal: Journal;
  /** What the journal held before this host: what was asked then counts too. */
  before: Iterable<Entry>;
  clock: Clock;
}

export interface Answers {
  /** An answer from memory, or why there is to be none; undefined: memory has nothing to say. */
  recall(inquiry: Inquiry): Promise<Consulted | undefined>;
}

/** With the first question, or at rest (`at-rest.ts`). */
export const loadMemory = once(() => import('./memory.js'));

export function watchAnswers(ports: AnswersPorts): Answers {
  const asked = new Map<string, Inquiry>();
  /** Answered before there was a memory. */
  const early: { inquiry: Inquiry; answer: Answer; ts: string }[] = [];
  let memory: Memory | undefined;
  const get = once(async () => {
    memory = (await loadMemory()).createMemory(ports);
    for (const one of early.splice(0)) memory.answered(one);
    return memory;
  });
  ports.journal.subscribe((entry) => {
    if (entry.type === 'inquiry.opened' && entry.data.inquiry.kind === 'question') {
      asked.set(entry.data.inquiry.id, entry.data.inquiry);
      get().catch(() => undefined); // it fails again where somebody waits for it
    } else if (entry.type === 'inquiry.answered') {
      const inquiry = asked.get(entry.data.answer.inquiry);
      const one = inquiry && { inquiry, answer: entry.data.answer, ts: entry.ts };
      if (one && memory) memory.answered(one);
      else if (one) early.push(one);
    } else if (entry.type === 'inquiry.closed') asked.delete(entry.data.inquiry);
  });
  return { recall: async (inquiry) => (await get()).recall(inquiry) };
}
