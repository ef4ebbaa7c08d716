/**
 * The hub's HTTP, as schemas: what each route takes and answers. `contract/hub-routes.ts` has methods, paths and rights; the
 * OpenAPI document (`/api/openapi.json`) comes from both. Every body is checked by these, strictly.
 */
import { z } from 'zod';
import { AnswerReceipt, EntriesPage, Guided, Paused, Screen, Stopped } from './commands.js';
import { LostInquiry } from './inquiry.js';
import { Mode, QueuedMessage, SendReceipt, SessionRow, Trust } from './session.js';

const right = z.enum(['view', 'answer', 'type', 'admin']);
const message = z
  .string()
  .min(1)
  .max(1024 * 1024);
const none = z.strictObject({});
const done = z.object({ ok: z.literal(true) });
/** Made by who sends, the same when it is sent again: one message, one answer. */
const key = z.string().min(8).max(64);
const id = z.string().max(200);

export const Device = z.object({
  id: z.string(),
  name: z.string(),
  right,
  namespaces: z.array(z.string()).describe('which sessions it sees; `*` for all'),
  session: z.string().optional().describe('a guest: this session alone'),
  created_at: z.string(),
  expires_at: z.string().optional(),
  last_used_at: z.string().optional(),
  push: z.boolean().optional().describe('it has a subscription'),
  this: z.boolean().optional().describe('the one that asks'),
});

/** What the one who opens a pairing link reads before saying yes. */
export const Invitation = z.object({
  ...Device.pick({ right: true, namespaces: true, session: true }).shape,
  name: z.string().describe('what the device is called, unless it says another name'),
  named: z.literal(true).optional().describe('who invites gave the name: another one is not taken'),
  expires_at: z.string().optional().describe('until when it is let in, if it is now'),
  until: z.string().describe('how long the link is good'),
  hub: z.string().describe('the name of its machine'),
  folder: z.string().describe('where it keeps its sessions: what tells somebody that it is theirs'),
});

/** A piece of the thing itself, marked by our own reading of it; concatenated they are the whole, with nothing left out. */
export const ThingSpan = z.object({
  text: z.string(),
  is: z
    .enum(['command', 'word', 'operator', 'redirection', 'substitution', 'outside', 'hidden', 'plain'])
    .describe('hidden: a character nobody sees, drawn as ⟨U+202E⟩'),
});

export const ThingView = z.object({
  title: z.string().describe('what it wants, in words'),
  shape: z.enum(['shell', 'diff', 'text', 'json', 'plan', 'question', 'url']),
  spans: z.array(ThingSpan).optional().describe('shell, text, json, url'),
  files: z
    .array(
      z.object({
        path: z.string(),
        before: z.string(),
        after: z.string(),
        created: z.boolean().optional(),
        unseen: z.string().optional().describe('why what is there now is not shown'),
        part: z.boolean().optional().describe('a piece of the file: where it stands in it is not known'),
      }),
    )
    .optional()
    .describe('diff: each file before and after'),
  markdown: z.string().optional().describe('plan'),
  lines: z.number().int().describe('of the whole thing'),
});

/** An open inquiry as a page shows it. */
export const Card = z.object({
  inquiry: LostInquiry,
  digest: z.string().describe('of what is shown: an answer names it, and is refused if the inquiry is another by now'),
  view: ThingView,
  why: z
    .object({ rule: z.string(), line: z.string().optional() })
    .optional()
    .describe('the rule, and a line that would allow it'),
  offer: z.array(z.string()).optional().describe('what "allow for this session" would allow'),
  history: z.string().optional().describe('what was decided on the like before'),
  risky: z.boolean().optional().describe('never with buttons outside the page'),
  cut: z.boolean().optional().describe('too long to be shown whole: it can be denied here, not allowed'),
});

const shareFolder = z.boolean().optional().describe('also where another loop works in the same folder');

export const NewSession = z.strictObject({
  cwd: z.string().max(4096),
  prompt: z
    .string()
    .max(1024 * 1024)
    .optional(),
  agent: z.string().max(100).optional(),
  mode: Mode.exclude(['exec']).optional(),
  trust: Trust.optional(),
  name: z.string().max(200).optional(),
  max_iterations: z.number().int().min(1).optional(),
  max_cost_usd: z.number().positive().optional(),
  max_runtime_seconds: z.number().int().positive().optional(),
  follow: z.boolean().optional().describe('the person read what the folder brings along, and said yes'),
  share_folder: shareFolder,
  key,
});

export const Planned = z.object({
  text: z.string().describe('what `reins run --dry-run` prints'),
  needs: z.array(z.string()).optional().describe('what the folder brings along and nobody has said yes to'),
  notes: z.array(z.string()).optional().describe('what a start would tell besides'),
});

const FoundAgent = z.object({
  id: z.string(),
  found: z.boolean(),
  version: z.string().optional(),
  install: z.string().optional().describe('the line that installs it'),
  note: z.string().optional(),
});

const FolderCheck = z.object({
  path: z.string(),
  ok: z.boolean(),
  why: z.string().optional(),
  recent: z.boolean().optional(),
});

/** Who answers, step by step, where no rule has decided: what the user's own settings say for every tool. */
const Ladder = z.object({
  when: z.enum(['attached', 'reachable', 'detached']),
  kind: z.enum(['run', 'deliver', 'question']),
  steps: z.array(z.object({ mode: z.enum(['ask', 'auto', 'deny', 'defaults', 'defer']), secs: z.number().optional() })),
  via: z.string().describe('the key that says so, or `built in`'),
  source: z.string().describe('where it is written'),
});

export const MachinePolicy = z.object({
  ladders: z.array(Ladder),
  on_no_answer: z.enum(['deny', 'defaults', 'defer']).describe('what another agent without an answer comes to'),
  trust: z.object({ value: Trust, source: z.string() }),
  rules: z.number().int().describe('how many decide before'),
});

const hour = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

export const PushState = z.object({
  key: z.string().describe('the hub’s public key'),
  subscribed: z.boolean(),
  kinds: z.array(z.enum(['inquiry', 'ended', 'limit', 'died'])),
  quiet: z
    .strictObject({ from: hour, to: hour, zone: z.string().max(64).optional() })
    .optional()
    .describe('hours without messages, in this time zone'),
});

interface RouteSchema {
  args: z.ZodObject;
  result: z.ZodType;
  says: string;
}

/** Answers of a whole page: an error is `{error: {code, message, hint}}` with the status of its code. */
export const HubSchemas = {
  pair: {
    args: z.strictObject({ secret: z.string().max(200), name: z.string().max(100).optional() }),
    result: z.object({ device: Device, hub: z.string() }),
    says: 'lets this browser in, once, by the secret of a pairing link; sets its key as a cookie',
  },
  'pair-look': {
    args: z.strictObject({ secret: z.string().max(200) }),
    result: Invitation,
    says: 'what a pairing link gives, and whose hub this is; uses nothing up',
  },
  me: {
    args: none,
    result: z.object({ device: Device, hub: z.object({ version: z.string(), name: z.string() }) }),
    says: 'the device that asks',
  },
  ticket: { args: none, result: z.object({ ticket: z.string() }), says: 'one use of `/ws`, within 30 seconds' },
  sessions: {
    args: z.strictObject({
      ended: z.boolean().optional(),
      before: z
        .string()
        .max(40)
        .optional()
        .describe('only those that ended before this instant: older ones, page by page'),
      limit: z.number().int().min(1).max(200).optional(),
    }),
    result: z.array(SessionRow),
    says: 'rows of `ls --json`',
  },
  session: { args: none, result: SessionRow, says: 'one row' },
  start: { args: NewSession, result: z.object({ id: z.string() }), says: 'starts a session' },
  plan: { args: NewSession.omit({ key: true }), result: Planned, says: 'what `start` would run; starts nothing' },
  entries: {
    args: z.strictObject({
      since: z.number().int().min(0).optional(),
      before: z.number().int().min(0).optional(),
      limit: z.number().int().min(1).max(1000).optional(),
    }),
    result: EntriesPage,
    says: 'a part of the journal',
  },
  screen: {
    args: z.strictObject({ scrollback: z.number().int().min(0).max(100_000).optional(), ansi: z.boolean().optional() }),
    result: Screen,
    says: 'what its terminal shows',
  },
  inbox: { args: none, result: z.array(Card), says: 'what waits for an answer, oldest deadline first' },
  card: { args: none, result: Card, says: 'one of them' },
  answer: {
    args: z.strictObject({
      digest: z.string().max(100),
      words: z.array(z.string()).optional(),
      texts: z.array(z.string()).optional(),
      input: z.unknown().optional(),
      reason: z.string().max(100_000).optional(),
      scope: z.enum(['once', 'session']).optional(),
      suggested: z.string().optional(),
      interrupt: z.boolean().optional().describe('deny, and stop the turn'),
    }),
    result: AnswerReceipt,
    says: 'settles it; refused if it is no longer what was shown',
  },
  message: {
    args: z.strictObject({ text: message, key }),
    result: SendReceipt,
    says: 'a message, queued while the agent works',
  },
  queue: {
    args: z.strictObject({
      do: z.enum(['edit', 'move', 'cancel']),
      key,
      text: message.optional(),
      before: z.string().nullable().optional().describe('move: the message it goes before; null: last'),
    }),
    result: z.array(QueuedMessage),
    says: 'changes what waits to be sent',
  },
  keys: {
    args: z.strictObject({ keys: z.string().max(1000) }),
    result: SendReceipt,
    says: 'presses keys like `Esc C-c`',
  },
  interrupt: { args: none, result: done, says: 'stops the turn; the agent lives' },
  pause: { args: none, result: Paused, says: 'the whole tree stands still' },
  resume: { args: none, result: Paused, says: 'it goes on' },
  stop: { args: none, result: Stopped, says: 'the stop ladder; lists what was ended' },
  kill: { args: none, result: Stopped, says: 'ends the whole tree at once' },
  guide: { args: z.strictObject({ text: message, key }), result: Guided, says: 'guidance for the next iteration' },
  continue: {
    args: z.strictObject({ prompt: message.optional(), share_folder: shareFolder, key }),
    result: z.object({ id: z.string() }),
    says: 'goes on with one that ended',
  },
  model: {
    args: z.strictObject({ model: z.string().max(100) }),
    result: SendReceipt,
    says: 'switches the model, where the agent can',
  },
  agents: { args: none, result: z.array(FoundAgent), says: 'the agents of this machine' },
  folders: {
    args: z.strictObject({ path: z.string().max(4096).optional() }),
    result: z.array(FolderCheck),
    says: 'recent folders, or whether one is there',
  },
  policy: {
    args: none,
    result: MachinePolicy,
    says: 'who answers, by the user’s own settings; a session’s folder may say otherwise',
  },
  devices: { args: none, result: z.array(Device), says: 'who was let in' },
  invite: {
    args: z.strictObject({
      right,
      name: z.string().max(100).optional(),
      session: id.optional(),
      minutes: z
        .number()
        .int()
        .min(1)
        .max(366 * 24 * 60)
        .optional(),
    }),
    result: z.object({ link: z.string(), expires_at: z.string() }),
    says: 'a pairing link for another device, never with more than one’s own right',
  },
  rename: {
    args: z.strictObject({ name: z.string().min(1).max(100) }),
    result: Device,
    says: 'another name for a device',
  },
  revoke: { args: none, result: done, says: 'lets a device out at once' },
  push: { args: none, result: PushState, says: 'notifications of this device' },
  subscribe: {
    args: z.strictObject({
      endpoint: z.string().max(2000).optional(),
      keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }).optional(),
      kinds: PushState.shape.kinds.optional(),
      quiet: PushState.shape.quiet.nullable().optional(),
    }),
    result: PushState,
    says: 'subscribes this device, or changes what it wants to hear of',
  },
  unsubscribe: { args: none, result: PushState, says: 'no notifications for this device' },
  'push-test': {
    args: none,
    result: z.object({ status: z.number().int(), at: z.string(), note: z.string().optional() }),
    says: 'one message to this device, with the receipt of its service',
  },
} as const satisfies Record<string, RouteSchema>;
