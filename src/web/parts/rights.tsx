/** What each right means, in words. */
import type { Right } from '../../contract/page.js';

export const rightWords: Record<Right, string> = {
  view: 'look, and nothing else',
  answer: 'look and answer questions',
  type: 'look, answer, write to agents and use their terminals',
  admin: 'do everything: also start and stop sessions, and let devices in',
};
