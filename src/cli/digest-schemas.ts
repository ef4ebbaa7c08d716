/** The JSON Schemas' zod side of `decisions` and `digest`; `decisions/remembered.ts` and `sessions/digest*.ts` make them. */
import { z } from 'zod';
import { By, Cite, Question } from '../contract/schemas.js';

const count = z.number().int();

const Remembered = z.object({
  id: z.string(),
  at: z.string(),
  project: z.string(),
  session: z.string(),
  inquiry: z.string(),
  tool: z.string().optional(),
  question: Question.pick({ id: true, text: true, header: true, options: true, multi: true, free_text: true }).extend({
    key: z.string().describe('of the whole question: the same for the same one'),
  }),
  values: z.array(z.string()).describe('option ids, a text of one’s own last'),
  cut: z.boolean().optional().describe('too long to be kept whole: it answers nothing again'),
  by: By,
  model: z.string().optional(),
  confidence: z.number().optional(),
  cites: z.array(Cite).optional(),
  reason: z.string().optional(),
  scope: z.enum(['once', 'session', 'project']).describe('where it counts again'),
  mark: z.string(),
  unverified: z.string().optional().describe('why it decides nothing; then everything here is what the line says'),
  revoked: z.object({ at: z.string(), reason: z.string().optional() }).optional(),
  correction: z.object({ at: z.string(), values: z.array(z.string()), reason: z.string().optional() }).optional(),
  used: z.object({ times: count, last: z.string(), sessions: z.array(z.string()) }).optional(),
});

const Told = z.object({
  inquiry: z.string(),
  session: z.string(),
  at: z.string(),
  question: z.string(),
  answer: z.string(),
  by: z.string(),
  model: z.string().optional(),
  confidence: z.number().optional(),
  reason: z.string().optional(),
  cites: z.array(Cite).optional(),
  decision: z.string().optional().describe('the earlier decision it is'),
});

const Digest = z.object({
  since: z.string(),
  until: z.string(),
  because: z.string(),
  counts: z.object({
    sessions: count.describe('that ran within the time'),
    ended: count,
    running: count,
    inquiries: count.describe('opened'),
    answered: z.record(z.string(), count).describe('by who answered: viewer, consultant, memory, rule, …'),
    denied_unasked: count.describe('for want of a person'),
    open: count.describe('now'),
    consultations: z.record(z.string(), count).describe('by how they ended'),
    suggestions: z.object({ made: count, taken: count, not_taken: count }),
    overruled: count.describe('a person answered what a consultant was asked'),
    corrections: count.describe('of decisions; revoked ones too'),
    agents_usd: z.number(),
    consultations_usd: z.number(),
  }),
  consultant: z.array(Told),
  overruled: z.array(Told),
  memory: z.array(Told),
  notifier: z.array(Told).describe('given from outside, by a webhook or a command of notify'),
  settled: z.array(Told).describe('questions that rules and defaults answered'),
  denied: z.array(z.object({ what: z.string(), count, allow: z.string().optional() })),
  open: z.array(
    z.object({
      inquiry: z.string(),
      session: z.string(),
      since: z.string(),
      what: z.string(),
      stage: z.string().optional(),
    }),
  ),
  notes: z.array(z.object({ session: z.string(), at: z.string(), text: z.string() })),
  sessions: z.array(
    z.object({
      session: z.string(),
      name: z.string(),
      agent: z.string(),
      cwd: z.string(),
      state: z.enum(['running', 'ended']),
      parent: z.string().optional().describe('the session whose agent started it'),
      outcome: z.string().optional(),
      exit_code: count.optional(),
      reason: z.string().optional(),
      ended_at: z.string().optional().describe('within the time'),
      agents_usd: z.number(),
    }),
  ),
  corrections: z.array(
    z.object({
      decision: z.string(),
      session: z.string(),
      at: z.string(),
      question: z.string(),
      from: z.string(),
      to: z.string().optional().describe('absent: it was revoked'),
      reason: z.string().optional(),
    }),
  ),
  offer: z
    .string()
    .optional()
    .describe('what would let the consultant answer (--set), where its suggestions are taken'),
  unread: z.array(z.object({ session: z.string(), reason: z.string() })),
});

export const MEMORY_SCHEMAS = {
  decisions: z.array(Remembered),
  /** `decisions show` and `revoke`. */
  decision: Remembered,
  'decision-correct': z.object({
    decision: Remembered,
    told: z.array(
      z.object({
        session: z.string(),
        how: z.enum(['guidance', 'message', 'none']),
        iteration: count.optional(),
        reason: z.string().optional(),
      }),
    ),
  }),
  'decision-rule': z.object({ key: z.string(), values: z.array(z.string()), set: z.string() }),
  digest: Digest,
};
