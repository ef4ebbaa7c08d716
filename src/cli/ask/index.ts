/**
 * Asking the person at /dev/tty: inquiries drawn, keys read, answers handed on.
 * @module
 */
import type { Inquiry } from '../../contract/index.js';
import { Asker, type AskerOptions, type PromptStanding } from './asker.js';

export type { AskerOptions, PromptStanding } from './asker.js';

export interface InquiryAsker {
  /** Whether it will be asked here. The same inquiry may be told twice. */
  opened(inquiry: Inquiry): boolean;
  /** It stands elsewhere now, or something was suggested for it. */
  moved(id: string, standing: PromptStanding): void;
  /** Answered elsewhere, or withdrawn. */
  closed(id: string): void;
  /** Runs something that writes to the same terminal, so that a shown inquiry stays whole and below it. */
  beside(write: () => void): void;
  close(): void;
}

export function createAsker(options: AskerOptions): InquiryAsker {
  return new Asker(options);
}
