/**
 * What of a session's inquiries was lost with its host: opened, and on record neither answered nor closed, because nobody was
 * left to do so. An answer that a person gave afterwards is kept until the agent asks the same again, or does not.
 */
import type { Answer, Entry, Inquiry } from '../contract/index.js';
import { ofTypes } from './pages.js';

export interface KeptAnswer {
  inquiry: Inquiry;
  answer: Answer;
}

export interface LostInquiries {
  /** Nobody has answered these. */
  waiting: Inquiry[];
  kept: KeptAnswer[];
}

/** Of a session whose host is gone, or has just begun again. An answer to a living host was told to the agent, or may have been. */
export function lostIn(entries: Iterable<Entry>): LostInquiries {
  const waiting = new Map<string, Inquiry>();
  const kept = new Map<string, KeptAnswer>();
  for (const { type, data } of ofTypes(entries, ['inquiry.opened', 'inquiry.answered', 'inquiry.closed'])) {
    if (type === 'inquiry.opened') waiting.set(data.inquiry.id, data.inquiry);
    else if (type === 'inquiry.closed') {
      waiting.delete(data.inquiry);
      kept.delete(data.inquiry);
    } else {
      const { answer } = data;
      const inquiry = waiting.get(answer.inquiry);
      waiting.delete(answer.inquiry);
      if (inquiry && data.kept) kept.set(inquiry.id, { inquiry, answer });
      if (answer.earlier !== undefined) kept.delete(answer.earlier);
    }
  }
  return { waiting: [...waiting.values()], kept: [...kept.values()] };
}
