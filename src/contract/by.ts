import type { z } from 'zod';
import type * as inquiry from './schemas/inquiry.js';

/** Who answered, in words for a person. */
export function nameOf(by: z.infer<typeof inquiry.By>): string {
  switch (by.kind) {
    case 'viewer':
      return by.who?.kind === 'device' ? by.who.name : (by.name ?? by.viewer);
    case 'rule':
    case 'grant':
    case 'policy':
    case 'trust':
      return `${by.rule.text} (${by.rule.source})`;
    case 'consultant':
      return `the consultant ${by.adapter}`;
    case 'memory':
      return `an earlier decision (${by.decision})`;
    case 'notifier':
      return by.name;
    case 'parent':
      return `the session ${by.session}`;
    case 'default':
      return 'the default';
    case 'deadline':
      return 'the deadline';
    case 'agent':
      return 'the agent’s own dialog';
  }
}

/**
 * For the agent: who answered in the user's place, and why. Undefined where a person did, or the user's own settings: those
 * are the user's word and stay as they are.
 */
export function answeredFor({ by, reason }: Pick<z.infer<typeof inquiry.Answer>, 'by' | 'reason'>): string | undefined {
  const who = inPlace(by);
  if (who === undefined) return undefined;
  // Agents put it into a sentence of their own, and end that.
  return `answered for the user by ${who}${reason ? `, because: ${reason.replace(/(?<=[^.\s])\.\s*$/, '')}` : ''}`;
}

function inPlace(by: z.infer<typeof inquiry.By>): string | undefined {
  if (by.kind === 'consultant') return by.model === undefined ? by.adapter : `${by.adapter} (${by.model})`;
  return by.kind === 'memory' || by.kind === 'parent' ? nameOf(by) : undefined;
}
