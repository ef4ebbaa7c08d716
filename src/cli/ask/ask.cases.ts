/** Inquiries and key presses for the tests of this folder. */
import type { Inquiry, InquiryId, Question, SessionId } from '../../contract/index.js';
import type { Around, DialogStep } from './dialog.js';
import { type DialogView, plain } from './draw.js';
import { type Key, KeyDecoder } from './keys.js';

export const around = (columns = 100, rows = 24): Around => ({
  size: { columns, rows },
  title: plain('claude asks · k7f2m9qd.3'),
});

export function inquiryOf(more: Partial<Inquiry> = {}, count = 3): Inquiry {
  return {
    id: `k7f2m9qd.${count}` as InquiryId,
    session: 'k7f2m9qd' as SessionId,
    kind: 'run',
    tool: 'Bash',
    input: { command: 'npm test -- --watch', description: 'run the tests' },
    exclusive: false,
    editable: true,
    opened_at: '2030-01-01T00:00:00.000Z',
    ...more,
  };
}

export const asked = (...questions: Partial<Question>[]): Inquiry =>
  inquiryOf({
    kind: 'question',
    tool: 'AskUserQuestion',
    input: undefined,
    questions: questions.map((question, at) => ({
      id: `q${at + 1}`,
      text: 'Which database?',
      options: ['PostgreSQL', 'SQLite', 'None'].map((label, place) => ({ id: String(place + 1), label })),
      multi: false,
      free_text: false,
      ...question,
    })),
  });

/** Each string is one read of the terminal; `Esc` stands for the key alone. */
export function keysOf(reads: string[]): Key[] {
  const decoder = new KeyDecoder();
  return reads.flatMap((read) => (read === 'Esc' ? [{ name: 'escape' as const }] : decoder.feed(Buffer.from(read))));
}

/** Presses until something is done. */
export function play<State>(
  start: State,
  reads: string[],
  press: (state: State, key: Key, around: Around) => DialogStep<State>,
): DialogStep<State> {
  let step: DialogStep<State> = { state: start };
  for (const key of keysOf(reads)) {
    step = press(step.state, key, around());
    if (step.does) return step;
  }
  return step;
}

export const textRows = (view: DialogView): string[] => view.rows.map((row) => row.map(({ text }) => text).join(''));
