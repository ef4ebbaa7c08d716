/** What the tests of this room ask and show. */
import type { Inquiry, InquiryId, Question, SessionId } from '../contract/index.js';
import type { Pack, PackFacts } from './facts.js';
import { makePack } from './pack.js';

export const DATABASE: Question = {
  id: 'database',
  text: 'Which database shall I use?',
  options: [
    { id: 'pg', label: 'PostgreSQL', description: 'a server' },
    { id: 'lite', label: 'SQLite' },
  ],
  multi: false,
  free_text: true,
};
export const FEATURES: Question = {
  id: 'features',
  text: 'Which features?',
  options: [
    { id: 'a', label: 'A' },
    { id: 'b', label: 'B' },
    { id: 'c', label: 'C' },
  ],
  multi: true,
  free_text: false,
};
export const NAME: Question = { id: 'name', text: 'What name?', options: [], multi: false, free_text: true };

export const asking = (...questions: Question[]): Inquiry => ({
  id: 'k7f2m9qd.1' as InquiryId,
  session: 'k7f2m9qd' as SessionId,
  kind: 'question',
  tool: 'AskUserQuestion',
  questions,
  exclusive: false,
  opened_at: '2026-01-02T03:04:05.678Z',
});

export const permission = (input: unknown): Inquiry => ({
  ...asking(),
  ...{ kind: 'run', tool: 'Bash', input, questions: undefined },
});

export const GOAL = 'Build the shop. We run PostgreSQL everywhere.';

export const facts = (over: Partial<PackFacts> = {}): PackFacts => ({
  ...{ inquiry: asking(DATABASE), goal: GOAL, messages: [], files: [], decisions: [], freeText: false, for: 'answer' },
  ...over,
});

export const packOf = (over: Partial<PackFacts> = {}): Pack => makePack(facts(over));

/** A good answer, but for what is given. */
export const saying = (over: Record<string, unknown> = {}): string =>
  JSON.stringify({
    answers: { database: ['pg'] },
    confidence: 0.9,
    reason: 'It is what they run.',
    cites: [{ source: 'S1', quote: 'We run PostgreSQL everywhere' }],
    ...over,
  });
