/**
 * What a person who is away is told: on the standard input of `notify.command` and as the body of a webhook. It holds no
 * secrets, is bounded, and says for itself what it is about (`title`, `text`), so that a script needs to read nothing else.
 */
import { z } from 'zod';
import { InquiryKind, Progress, sessionIdField } from './inquiry.js';
import { Mode, Outcome } from './session.js';

const ShownOption = z.object({ id: z.string(), label: z.string(), description: z.string().optional() });

const ShownQuestion = z.object({
  id: z.string(),
  text: z.string().optional().describe('absent for a secret, and where only names are sent'),
  options: z.array(ShownOption).optional(),
  multi: z.boolean().optional(),
  free_text: z.boolean().optional(),
  secret: z.boolean().optional().describe('named, never quoted; it is answered at the machine'),
});

export const Notification = z.object({
  v: z.literal(1),
  id: z.string().describe('of this notification: a retry has the same'),
  type: z.enum(['inquiry.waiting', 'inquiry.settled', 'session.ended', 'session.limited', 'session.died', 'test']),
  at: z.string(),
  title: z.string().describe('a few words'),
  text: z.string().describe('one line'),
  session: z
    .object({
      id: sessionIdField,
      name: z.string(),
      agent: z.string(),
      mode: Mode,
      folder: z.string().optional().describe('the last part of its path'),
      machine: z.string(),
    })
    .optional()
    .describe('absent in a test'),
  inquiry: z
    .object({
      id: z.string(),
      kind: InquiryKind,
      tool: z.string().optional(),
      input: z.unknown().optional().describe('bounded, secrets blacked out'),
      questions: z.array(ShownQuestion).optional(),
      reason: z.string().optional(),
      exclusive: z.boolean(),
      opened_at: z.string(),
      deadline_at: z.string().optional(),
      ...Progress.partial().shape,
    })
    .optional()
    .describe('inquiry.*: what waits, or waited'),
  settled: z
    .object({ how: z.enum(['answered', 'withdrawn']), verdict: z.string().optional(), by: z.string().optional() })
    .optional()
    .describe('inquiry.settled: a phone may take its card back'),
  ended: z.object({ outcome: Outcome, exit_code: z.number().int(), reason: z.string() }).optional(),
  limit: z.object({ until: z.string().optional(), message: z.string() }).optional(),
  answer: z
    .object({
      ticket: z.string().optional().describe('webhooks: to be given back with the answer, good for this inquiry once'),
      within_secs: z.number().describe('how long an answer is waited for here'),
      command: z.string().describe('how to answer at the machine'),
    })
    .optional()
    .describe('present where an answer may come back this way'),
});
