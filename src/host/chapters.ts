/** The chapters of a recording: what a person who opens it later wants to jump to. Derived from the journal alone. */
import type { Entry } from '../contract/index.js';

const LONGEST_WORD = 60;

/** Undefined for entries that are no chapter. */
export function chapterOf(entry: Entry): string | undefined {
  switch (entry.type) {
    case 'inquiry.opened': {
      const { id, kind, tool, questions } = entry.data.inquiry;
      return `${id} asks: ${short(questions?.[0]?.text ?? tool ?? kind)}`;
    }
    case 'inquiry.answered':
      return `${entry.data.answer.inquiry} answered: ${entry.data.answer.verdict.kind}`;
    case 'iteration.started': {
      const { iteration, hat } = entry.data;
      return `iteration ${iteration}${hat ? ` (${short(hat)})` : ''}`;
    }
    default:
      return undefined;
  }
}

/** One line: a chapter is a title. */
const short = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_WORD);
