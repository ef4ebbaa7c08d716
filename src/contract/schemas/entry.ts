/**
 * The lines of the journal, which are also the lines of `--format json`. Additive only: readers ignore types and fields
 * they do not know. One example line:
 * {"v":1,"seq":3,"ts":"2026-01-02T03:04:05.678Z","session":"k7f2m9qd","type":"agent.text","data":{"text":"Hello\n"}}
 */
import { z } from 'zod';
import { Answer, By, Cite, Inquiry, Principal, Progress, Suggestion, sessionIdField, Verdict } from './inquiry.js';
import { AgentState, Mode, Outcome, SendReceipt, SessionState, Trust } from './session.js';

const Counts = z.object({
  iterations: z.number(),
  inquiries: z.number(),
  denied: z.number().describe('for want of a person'),
  cost_usd: z.number().optional(),
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
});

export const ProcessEnd = z.object({
  pid: z.number().int(),
  command: z.string(),
  how: z.enum(['exited', 'terminated', 'killed', 'survived']),
  signal: z.string().optional(),
});

/**
 * Why a call that ran counts as ungated: nobody was asked; it was denied and ran all the same; it ran while it was still
 * asked; its question vanished and no key was pressed; another input ran than the one that was allowed.
 */
const Ungated = z.enum(['unasked', 'denied', 'unanswered', 'vanished', 'changed']);

const Presence = z.object({ present: z.boolean(), reason: z.string() });

/** One thing a session goes on with differently: `max_iterations 100 → 200`, or only what it is (`a new prompt`). */
export const Change = z.object({
  what: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
});

/** What became of the working tree since the loop began, as `git diff --stat` would count it. */
export const TreeChanges = z.object({
  files: z.number().int(),
  added: z.number().int().describe('lines'),
  removed: z.number().int(),
  commits: z.number().int(),
  most: z.array(z.object({ path: z.string(), added: z.number().int(), removed: z.number().int() })),
});

/** What the loop says of itself to a person; what a program wants stands beside it. */
const told = { level: z.enum(['info', 'warn']), text: z.string() };
const instant = z.number().describe('milliseconds since the epoch');

/** What both ends of a consultation say. */
const consultation = {
  consultation: z.string(),
  inquiry: z.string(),
  adapter: z.string(),
  model: z.string().optional().describe('the one that was named; absent: the agent’s own choice'),
  for: z.enum(['answer', 'suggestion']),
};

/** One schema per entry type; the key is the type. */
/** The agent's own record lags behind its hooks. */
const Before = z.string().optional().describe('a call that the agent made after it, though it is on record earlier');

export const EntryData = {
  'session.started': z.object({
    name: z.string(),
    agent: z.string(),
    mode: Mode,
    trust: Trust,
    cwd: z.string(),
    parent: z.string().optional().describe('the session inside which it was started'),
    namespace: z.string().optional(),
    argv: z.array(z.string()).optional(),
    reins: z.string(),
    host_pid: z.number().int(),
    presence: Presence.optional(),
    continues: z.boolean().optional(),
    changed: z.array(Change).optional().describe('continued with new words or an edited config: what differs'),
  }),
  'iteration.started': z.object({
    iteration: z.number().int(),
    max: z.number().int().optional(),
    hat: z.string().optional(),
    coordinator: z.boolean().optional().describe('it wears no hat: it hands the work to one'),
    agent: z.string(),
    prompt_file: z.string().optional(),
    attempt: z.number().int().optional().describe('above 1: the iteration was interrupted and runs again'),
    events: z.array(z.number().int()).optional().describe('which accepted events it got, counted from 1'),
  }),
  'hat.worn': z.object({ hat: z.string(), because: z.string() }),
  'agent.started': z.object({
    agent: z.string(),
    version: z.string().optional(),
    door: z.enum(['stream', 'control', 'tui', 'plain']),
    io: z.enum(['pty', 'pipe']),
    pid: z.number().int(),
    argv: z.array(z.string()),
    cwd: z.string(),
    agent_session: z.string().optional(),
  }),
  'prompt.given': z.object({
    text: z.string().describe('as the agent recorded it, whoever typed or sent it'),
    truncated: z.boolean().optional(),
    key: z.string().optional().describe('of the queued message that this is'),
    before: Before,
  }),
  'turn.ended': z.object({
    ok: z.boolean().describe('as the agent says'),
    interrupted: z.boolean().optional(),
    reason: z.string().optional(),
    cost_usd: z.number().optional().describe('of the conversation so far'),
  }),
  'agent.text': z.object({
    text: z.string().describe('to be concatenated as it is'),
    parent: z.string().optional().describe('the sub-agent whose words these are'),
    before: Before,
  }),
  'agent.thinking': z.object({ text: z.string(), before: Before }),
  'tool.called': z.object({
    call: z.string(),
    tool: z.string(),
    input: z.unknown(),
    parent: z.string().optional(),
    before: Before,
  }),
  'tool.returned': z.object({
    call: z.string(),
    ok: z.boolean(),
    text: z.string(),
    truncated: z.boolean().optional(),
    running: z.string().optional().describe('it runs on in the background, under this name of the agent’s'),
    parent: z.string().optional(),
  }),
  'state.changed': z.object({
    state: SessionState,
    agent_state: AgentState.optional(),
    because: z.string().optional().describe('the signal: protocol, hook, status file, title, screen, exit'),
    detail: z.string().optional(),
    until: z.string().optional(),
    inquiries: z.array(z.string()).optional().describe('asking: which inquiries wait for an answer now'),
    cost_usd: z.number().optional().describe('of the running iteration so far'),
    input_tokens: z.number().optional(),
    output_tokens: z.number().optional(),
  }),
  /** Of the session so far, over all launches; the last one counts. */
  'usage.told': z.object({
    cost_usd: z.number().optional(),
    input_tokens: z.number().optional(),
    output_tokens: z.number().optional(),
  }),
  'inquiry.opened': z.object({ inquiry: Inquiry }),
  'inquiry.moved': Progress.extend({
    inquiry: z.string(),
    suggestion: Suggestion.optional().describe('an answer that only waits to be taken'),
  }),
  'consultation.started': z.object({
    ...consultation,
    pack: z.object({ digest: z.string(), bytes: z.number().int(), sources: z.number().int() }),
    until: instant,
  }),
  'consultation.ended': z.object({
    ...consultation,
    how: z.enum(['answered', 'suggested', 'none', 'late', 'cancelled', 'failed']),
    reason: z.string().optional().describe('why there was no answer, or the consultant’s own reason for it'),
    verdict: Verdict.optional(),
    confidence: z.number().optional(),
    cites: z.array(Cite).optional(),
    seconds: z.number(),
    cost_usd: z.number().optional(),
    input_tokens: z.number().optional(),
    output_tokens: z.number().optional(),
  }),
  'inquiry.answered': z.object({
    answer: Answer,
    input: z.unknown().optional(),
    kept: z.boolean().optional().describe('its session was lost: it counts when the agent asks the same again'),
  }),
  'inquiry.closed': z.object({
    inquiry: z.string(),
    how: z.enum(['delivered', 'cancelled', 'expired']),
    reason: z.string().optional(),
    by: By.optional().describe('answered in the agent’s own dialog: whose key press it was'),
  }),
  ungated: z.object({
    call: z.string().optional().describe('the agent’s id of the tool call'),
    tool: z.string(),
    input: z.unknown(),
    parent: z.string().optional(),
    why: Ungated,
    inquiry: z.string().optional().describe('the one that was about this call'),
    agent: z.string(),
    version: z.string().optional(),
    door: z.string().optional(),
    cause: z.string().describe('what most likely let it run'),
  }),
  'event.published': z.object({
    topic: z.string(),
    payload: z.string(),
    by: z.enum(['text', 'emit', 'loop']),
    iteration: z.number().int(),
    accepted: z.boolean(),
    reason: z.string().optional(),
    unrouted: z
      .boolean()
      .optional()
      .describe('no hat is triggered by it: whoever comes next is told, or the coordinator'),
    claims: z.boolean().optional().describe('whether it was the completion promise; absent in older journals'),
  }),
  'gate.ran': z.object({
    gate: z.string(),
    ok: z.boolean(),
    exit_code: z.number().int().nullable(),
    seconds: z.number(),
    tail: z.string().optional(),
    output_file: z
      .string()
      .optional()
      .describe('its output, where the tail is not all of it; in the session’s directory'),
  }),
  'guidance.given': z.object({ id: z.string(), text: z.string(), delivered_in: z.number().int().optional() }),
  'input.sent': z.object({
    by: z.enum(['human', 'rule', 'consultant', 'api', 'prompt']),
    viewer: z.string().optional(),
    bytes: z.number().int().describe('what was typed at a terminal: rounded up to 64, it may be a password'),
    why: z.string().optional(),
    text: z.string().optional().describe('absent while the agent has echo off'),
    key: z.string().optional().describe('idempotency key of a send'),
    verdict: z.string().optional(),
  }),
  /** On record before it is acknowledged. Again with the same key: its text was changed. */
  'message.queued': z.object({
    key: z.string(),
    text: z.string(),
    viewer: z.string().optional(),
    by: z.string().optional().describe('who sent it, in words'),
    edited: z.boolean().optional(),
  }),
  'message.moved': z.object({ key: z.string(), before: z.string().nullable().describe('null: last') }),
  /** From here on it may have reached the agent. */
  'message.sending': z.object({ key: z.string() }),
  /** It did not, and waits on. */
  'message.kept': z.object({ key: z.string(), reason: z.string() }),
  'message.sent': z.object({ key: z.string(), ...SendReceipt.shape }),
  'message.dropped': z.object({
    key: z.string(),
    how: z
      .enum(['cancelled', 'ended', 'refused', 'unknown'])
      .describe('unknown: nobody can say whether the agent got it'),
    reason: z.string().optional(),
    by: z.string().optional(),
  }),
  'viewer.attached': z.object({
    viewer: z.string(),
    kind: z.string(),
    name: z.string().optional(),
    role: z.string(),
    who: Principal.optional(),
    may: z.string().optional().describe('its right: view, answer, type or admin'),
  }),
  'viewer.left': z.object({ viewer: z.string(), how: z.enum(['detached', 'lost', 'dropped']) }),
  'driver.changed': z.object({ driver: z.string().nullable(), because: z.string() }),
  'process.stopped': z.object({ why: z.string(), processes: z.array(ProcessEnd), left: z.number().int() }),
  'loop.waiting': z.object({
    ...told,
    until: instant,
    why: z.string(),
    kind: z.enum(['limit', 'outage', 'backoff', 'cooldown']),
  }),
  'loop.parked': z.object(told),
  'loop.resumed': z.object(told),
  'loop.stopping': z.object({
    ...told,
    outcome: Outcome,
    exit_code: z.number().int(),
    reason: z.string(),
    advice: z.string().optional(),
  }),
  'loop.judging': z.object({ ...told, how: z.string(), claimed: z.boolean(), tree: z.string().optional() }),
  'loop.limited': z.object({ ...told, message: z.string(), until: instant.optional() }),
  /** The model or the network cannot be reached: since when, and the how-manieth try this was. */
  'loop.outage': z.object({
    ...told,
    message: z.string(),
    since: instant,
    tries: z.number().int(),
    cuts: z.number().int().optional(),
  }),
  'loop.recovered': z.object({ ...told, seconds: z.number(), tries: z.number().int() }),
  'loop.dropped': z.object({ ...told, events: z.array(z.number().int()) }),
  'loop.denied': z.object(told),
  'loop.stalled': z.object(told),
  'loop.garbled': z.object(told),
  notice: z.object({
    level: z.enum(['info', 'warn', 'error']),
    text: z.string(),
    code: z.string().optional(),
    facts: z.record(z.string(), z.unknown()).optional(),
  }),
  'agent.ended': z.object({
    exit_code: z.number().int().nullable(),
    signal: z.string().optional(),
    ok: z.boolean(),
    reason: z.string().optional(),
    cost_usd: z.number().optional(),
    input_tokens: z.number().optional(),
    output_tokens: z.number().optional(),
    agent_session: z.string().optional(),
  }),
  'iteration.ended': z.object({
    iteration: z.number().int(),
    outcome: Outcome,
    reason: z.string().optional(),
    completion: z.object({ claimed: z.boolean(), accepted: z.boolean(), reason: z.string() }).optional(),
    seconds: z.number(),
    cost_usd: z.number().optional(),
    tree: z.string().optional().describe('what the working tree looked like, as a hash'),
  }),
  'session.ended': z.object({
    outcome: Outcome,
    exit_code: z.number().int(),
    reason: z.string(),
    advice: z.string().optional().describe('what to do next'),
    counts: Counts,
    changes: TreeChanges.optional().describe('a loop in a git repository: what changed since it began'),
  }),
} as const;

export type EntryType = keyof typeof EntryData;

export const EntryHead = z.object({
  v: z.literal(1),
  seq: z.number().int().positive(),
  ts: z.string(),
  session: sessionIdField,
});

export type Entry<T extends EntryType = EntryType> = {
  [K in T]: z.infer<typeof EntryHead> & { type: K; data: z.infer<(typeof EntryData)[K]> };
}[T];

/** Any entry, for JSON Schema and for readers that want to be strict. */
export const AnyEntry = z.union(
  Object.entries(EntryData).map(([type, data]) => EntryHead.extend({ type: z.literal(type), data })),
);
