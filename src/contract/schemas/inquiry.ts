/**
 * An inquiry is data, not presentation: what is asked, of which kind, until when. Who answers is policy's business, how
 * it looks is the viewer's. The shape is what `reins inbox --json` prints.
 */
import { z } from 'zod';
import type { InquiryId, SessionId, ViewerId } from '../ids.js';

/** Ids are plain strings outside; the brands are ours alone. */
export const sessionIdField = z.string() as unknown as z.ZodType<SessionId, SessionId>;
const inquiryIdField = z.string() as unknown as z.ZodType<InquiryId, InquiryId>;
const viewerIdField = z.string() as unknown as z.ZodType<ViewerId, ViewerId>;

export const InquiryKind = z.enum(['run', 'deliver', 'question']);

export const Option = z.object({ id: z.string(), label: z.string(), description: z.string().optional() });

export const Question = z.object({
  id: z.string(),
  text: z.string(),
  header: z.string().optional(),
  options: z.array(Option),
  multi: z.boolean(),
  free_text: z.boolean(),
  default: z.array(z.string()).optional().describe('option ids, or one free text'),
  secret: z.boolean().optional().describe('typed unseen, never stored, never shown to a model'),
});

export const Inquiry = z.object({
  id: inquiryIdField,
  session: sessionIdField,
  kind: InquiryKind,
  tool: z.string().optional().describe('the tool, in the agent’s own word (Bash, Edit, shell, …)'),
  input: z.unknown().optional().describe('run: what the tool would be called with'),
  result: z.object({ text: z.string(), truncated: z.boolean() }).optional().describe('deliver: a bounded preview'),
  questions: z.array(Question).optional(),
  exclusive: z.boolean().describe('only a person may answer'),
  editable: z.boolean().optional().describe('run: the agent accepts a changed input'),
  reason: z.string().optional().describe('why the agent says it needs this'),
  call: z.string().optional().describe('the agent’s id of the tool call'),
  parent: z.string().optional().describe('the sub-agent that asks, if one does'),
  opened_at: z.string(),
  deadline_at: z.string().optional(),
});

/** Which line of which file decided. `file` is absent for what is built in or came from a flag. */
export const RuleRef = z.object({
  text: z.string(),
  source: z.string().describe('file:line, or built-in, flag, environment, default'),
});

/** Who is at the other end of a link. */
export const Principal = z.object({
  kind: z.enum(['user', 'device', 'program']).describe('at this machine, paired with it, or a program with a key'),
  name: z.string(),
});

export const By = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('viewer'),
    viewer: viewerIdField,
    name: z.string().optional(),
    who: Principal.optional().describe('which person or device'),
  }),
  z.object({ kind: z.literal('rule'), rule: RuleRef }),
  z.object({ kind: z.literal('grant'), rule: RuleRef }),
  z.object({ kind: z.literal('trust'), rule: RuleRef }),
  z.object({ kind: z.literal('policy'), rule: RuleRef }),
  z.object({ kind: z.literal('default') }),
  z.object({ kind: z.literal('consultant'), adapter: z.string() }),
  z.object({ kind: z.literal('deadline') }),
  z.object({ kind: z.literal('agent').describe('settled in the agent’s own dialog') }),
]);

export const Verdict = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow'), input: z.unknown().optional().describe('the edited input, whole') }),
  z.object({ kind: z.literal('deny') }),
  z.object({
    kind: z.literal('values'),
    values: z.record(z.string(), z.array(z.string())).describe('by question: option ids, a text of one’s own last'),
    free: z.array(z.string()).optional().describe('questions whose last value is a text, although it spells an option'),
  }),
]);

export const Answer = z.object({
  inquiry: inquiryIdField,
  verdict: Verdict,
  by: By,
  reason: z.string().optional().describe('told to the agent with a deny'),
  scope: z.enum(['once', 'session']).optional(),
});
