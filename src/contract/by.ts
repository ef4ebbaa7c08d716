import type { z } from 'zod';
import type * as inquiry from './schemas/inquiry.js';

/** Who answered, in words for a person. */
export function nameOf(by: z.infer<typeof inquiry.By>): string {
  switch (by.kind) {
    case 'viewer':
      return by.name ?? by.viewer;
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
