/**
 * The one way in, as schemas: what each command of a host takes and what it answers. `contract/commands.ts` has the types
 * and the rights; the table in `docs/protocol.md` and the tools of `reins mcp` come from here. A host reads arguments by
 * hand, without zod, and a test compares it with this.
 */
import { z } from 'zod';
import { MODEL_NAME } from '../ids.js';
import { AnyEntry, type Entry, ProcessEnd } from './entry.js';
import { Verdict, WaitingInquiry } from './inquiry.js';
import { QueuedMessage, ScreenShot, SendReceipt, SessionRow } from './session.js';

const message = z.string().max(1024 * 1024);
const messageKey = z.string().min(1).max(200);
const waitingMessages = z.array(QueuedMessage);
const none = z.object({});
const nothing = z.null();
const side = z.number().int().min(1).max(1000);
const [, , Values] = Verdict.options;

/** `screen`, also with its colours. */
export const Screen = ScreenShot.extend({
  ansi: z.string().optional().describe('the same with escape sequences, where asked for'),
});

export const AnswerReceipt = z.object({
  inquiry: z.string(),
  verdict: z.enum(['allow', 'deny', 'values']),
  ...Values.omit({ kind: true }).partial().shape,
  kept: z.boolean().optional().describe('its session was lost with its host: it is given when the agent asks again'),
  continue: z.string().optional().describe('kept: the command line that goes on with the session'),
});

export const Stopped = z.object({
  processes: z.array(ProcessEnd),
  left: z.number().int().describe('processes that could not be ended'),
});

export const Paused = z.object({ pids: z.array(z.number().int()) });
export const Guided = z.object({
  id: z.string(),
  iteration: z.number().int().describe('the iteration whose prompt it goes into'),
  kept: z.boolean().optional().describe('the loop has ended: it is there when it goes on'),
});
/** What a consultant would be given now: `consult --dry-run --json`. */
export const ConsultRehearsal = z.object({
  inquiry: z.string(),
  consultant: z.object({ adapter: z.string(), model: z.string().optional() }),
  away: z.array(z.string()).describe('why nobody would be asked; empty: somebody would'),
  digest: z.string().describe('of the prompt, as in `consultation.started`'),
  bytes: z.number().int(),
  sources: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['goal', 'message', 'changes', 'file', 'context', 'decision']),
      name: z.string(),
      bytes: z.number().int(),
      changed: z.boolean().optional().describe('the asking agent wrote or changed it in this session'),
      unverified: z.boolean().optional(),
    }),
  ),
  left_out: z.array(z.string()).describe('what is not in it, or not whole'),
  price: z.object({
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    usd: z.number().optional(),
    basis: z.string().describe('what the guess rests on'),
  }),
  prompt: z.string(),
});
export const Emitted = z.object({ accepted: z.boolean(), reason: z.string().optional() });
const sequence = z.number().int().min(0);

/** A part of a journal, from a host or from the file of a session that has ended. */
export const EntriesPage = z.object({
  entries: z.array(AnyEntry as unknown as z.ZodType<Entry>),
  more: z.boolean().describe('there is more in the direction that was asked for'),
});

const Size = z.object({ cols: side, rows: side });

interface CommandSchema {
  args: z.ZodObject;
  result: z.ZodType;
  /** What it does and answers, for the docs. */
  says: string;
}

export const CommandSchemas = {
  summary: { args: none, result: SessionRow, says: 'a row of `ls --json`' },
  entries: {
    args: z.object({
      since: sequence.optional().describe('alone: what follows this entry'),
      before: sequence.optional().describe('the newest before this entry; without either, the newest'),
      limit: z.number().int().min(1).max(1000).optional().describe('200 unless told'),
    }),
    result: EntriesPage,
    says: '`{entries, more}`: a part of the journal, in its order, about half a megabyte at most',
  },
  inbox: { args: none, result: z.array(WaitingInquiry), says: 'the open inquiries, each with its stage' },
  offer: {
    args: z.object({ inquiry: z.string() }),
    result: z.object({ rules: z.array(z.string()) }),
    says: '`{rules}`: what "allow for this session" would allow',
  },
  answer: {
    args: z.object({
      inquiry: z.string(),
      words: z.array(z.string()).optional().describe('`allow`, `deny`, or what is chosen, see below'),
      texts: z.array(z.string()).optional().describe('texts of one’s own, as they stand'),
      input: z.unknown().optional().describe('allow, with this input instead'),
      reason: z.string().optional().describe('told to the agent with a deny'),
      scope: z.enum(['once', 'session']).optional(),
      suggested: z.string().optional().describe('takes the suggestion with this mark, and no other'),
      digest: z.string().optional().describe('of what was shown; refused if the open inquiry is another'),
    }),
    result: AnswerReceipt,
    says: '`{inquiry, verdict, values?, free?}`',
  },
  pack: {
    args: z.object({ inquiry: z.string() }),
    result: ConsultRehearsal,
    says: 'what a consultant would be given for it: `consult --dry-run --json`',
  },
  submit: {
    args: z.object({
      text: message,
      key: z.string().optional().describe('the same key twice is one message'),
      seen: z.boolean().optional().describe('true: only into an input box that is seen, else refused'),
    }),
    result: SendReceipt,
    says: '`{verdict, reason?, evidence?}`',
  },
  message: {
    args: z.object({
      text: message,
      key: messageKey.describe('the same key twice is one message, also after a restart'),
    }),
    result: SendReceipt,
    says: '`{verdict, reason?, evidence?}`; `queued`: it is given to the agent when its turn is over',
  },
  queue: { args: none, result: waitingMessages, says: 'the messages that wait, in their order' },
  'queue-edit': { args: z.object({ key: messageKey, text: message }), result: waitingMessages, says: 'the same' },
  'queue-move': {
    args: z.object({ key: messageKey, before: messageKey.nullable().describe('the one it goes before; null: last') }),
    result: waitingMessages,
    says: 'the same',
  },
  'queue-cancel': { args: z.object({ key: messageKey }), result: waitingMessages, says: 'the same' },
  model: {
    args: z.object({ model: z.string().regex(MODEL_NAME) }),
    result: SendReceipt,
    says: 'the same; switches the model, where the agent can',
  },
  keys: {
    args: z.object({ keys: z.string().describe('like `Esc C-c Enter`') }),
    result: SendReceipt,
    says: 'the same',
  },
  screen: {
    args: z.object({
      scrollback: z.number().int().min(0).max(100_000).optional().describe('lines above the screen'),
      ansi: z.boolean().optional().describe('with escape sequences too'),
    }),
    result: Screen,
    says: 'a row of `screen --json`, and `ansi?`',
  },
  redraw: { args: none, result: nothing, says: 'nothing; this viewer gets the screen whole' },
  resize: { args: Size, result: Size, says: 'the size; the driver’s right while there is one' },
  take: { args: none, result: nothing, says: 'nothing; this viewer drives now' },
  interrupt: { args: none, result: nothing, says: 'nothing' },
  pause: { args: none, result: Paused, says: '`{pids}`' },
  resume: { args: none, result: Paused, says: '`{pids}`' },
  stop: {
    args: z.object({
      how: z.enum(['stop', 'kill']).optional(),
      why: z.string().optional(),
      signal: z.string().optional().describe('the one that asked for it: it decides the exit code'),
    }),
    result: Stopped,
    says: '`{processes: [{pid, command, how, signal?}], left}`',
  },
  'input-room': {
    args: none,
    result: nothing,
    says: 'nothing, once the command has taken enough of the input sent before',
  },
  'end-input': { args: none, result: nothing, says: 'nothing; end of file for the agent' },
  emit: {
    args: z.object({ topic: z.string(), payload: z.string().optional(), key: z.string().optional() }),
    result: Emitted,
    says: '`{accepted, reason?}`',
  },
  guide: {
    args: z.object({ text: message, key: z.string().optional().describe('the same key twice is one') }),
    result: Guided,
    says: '`{id, iteration}`',
  },
} as const satisfies Record<string, CommandSchema>;
