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

/** What an answer rests on: a piece of the pack that the consultant was given. */
export const Cite = z.object({
  source: z.string().describe('the id of a piece of the pack, such as S2'),
  name: z.string().describe('what that piece is: a file, a message, an earlier decision'),
  quote: z.string().optional().describe('words of it, found there'),
  changed: z.boolean().optional().describe('the asking agent wrote or changed it in this session: it proves little'),
});

/** Where an open inquiry is. */
const Stage = z.enum(['asking', 'consulting', 'deferred']);

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

export const Progress = z.object({
  stage: Stage,
  until: z.string().optional().describe('when the next one takes over, if nobody answers before'),
  next: z.enum(['ask', 'consult', 'defer', 'deny', 'allow', 'default']).optional().describe('what comes then'),
  because: z.string().optional().describe('why the one before gave no answer'),
  who: z.string().optional().describe('the agent that is consulted now, or would be next'),
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
  z.object({ kind: z.literal('consultant'), adapter: z.string(), model: z.string().optional() }),
  z.object({ kind: z.literal('memory'), decision: z.string() }).describe('an earlier decision on the same question'),
  z.object({ kind: z.literal('notifier'), name: z.string() }).describe('a command or webhook that may answer'),
  z.object({ kind: z.literal('parent'), session: z.string() }).describe('the session that started this one'),
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

const grounds = {
  reason: z.string().optional().describe('told to the agent with a deny, or with an answer given for the user'),
  confidence: z.number().optional().describe('0 to 1, in the consultant’s own words'),
  cites: z.array(Cite).optional().describe('what a consultant’s answer rests on, checked'),
};

/** An answer somebody has ready; only a person can take it. */
export const Suggestion = z.object({
  verdict: Verdict,
  by: By,
  ...grounds,
  mark: z.string().optional().describe('names exactly this suggestion, for who takes it'),
});

export const Answer = z.object({
  inquiry: inquiryIdField,
  verdict: Verdict,
  by: By,
  ...grounds,
  scope: z.enum(['once', 'session']).optional(),
  proposed: Suggestion.optional().describe('the suggestion that was taken'),
  overrules: By.optional().describe('whose answer this replaced before the agent was told'),
  earlier: inquiryIdField
    .optional()
    .describe('given to this inquiry, which was lost with its host: the agent asked the same again'),
});

/** An open inquiry with where it stands; without a stage it is still being decided who answers. */
export const WaitingInquiry = Inquiry.extend({
  ...Progress.partial().shape,
  suggestion: Suggestion.optional().describe('an answer that only waits to be taken'),
  answer: Answer.optional().describe('given for the user, and not yet told to the agent: another answer replaces it'),
});

/** One whose host is gone: an answer is kept, and given when the session goes on and the agent asks the same again. */
export const LostInquiry = WaitingInquiry.extend({
  lost: z.literal(true).optional().describe('its host is gone: the session was killed, or the machine restarted'),
  continue: z.string().optional().describe('lost: the command line that goes on with its session'),
});
