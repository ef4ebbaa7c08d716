/** What other programs read about a session: `ls --json`, `screen --json`, `send --json`, and how a session ends. */
import { z } from 'zod';
import { sessionIdField } from './inquiry.js';

export const Mode = z.enum(['autonomous', 'interactive', 'conversation', 'exec']);
export const Trust = z.enum(['guarded', 'full']);
export const SessionState = z.enum(['starting', 'working', 'idle', 'asking', 'paused', 'ended']);
export const Outcome = z.enum(['completed', 'failed', 'stopped', 'timed-out', 'limit', 'denied', 'parked', 'ungated']);

/** Finer than the state `ls` shows: what the best signal says the agent is doing right now. */
export const AgentState = z.enum([
  'starting',
  'ready',
  'working',
  'asking-permission',
  'asking-question',
  'idle',
  'retrying',
  'limited',
  'unreachable',
  'ended',
]);

export const SessionRow = z.object({
  id: sessionIdField,
  name: z.string(),
  agent: z.string(),
  agent_version: z.string().optional().describe('what `--version` said when it was started'),
  agent_note: z
    .string()
    .optional()
    .describe('why its version is to be relied on less: not tried, or known to lack something'),
  mode: Mode,
  trust: Trust,
  state: SessionState,
  cwd: z.string(),
  worktree: z.string().optional().describe('the name of the worktree it was given (`reins worktree ls`)'),
  parent: z.string().optional().describe('the session inside which it was started'),
  namespace: z.string().optional().describe('which paired devices may know of it; absent: `default`'),
  pid: z.number().int().nullable().describe('of the host; null when ended'),
  started_at: z.string(),
  ended_at: z.string().optional(),
  inquiries: z.number().int().describe('open now'),
  viewers: z.number().int(),
  iteration: z.number().int().optional(),
  hat: z.string().optional().describe('of a loop with hats: which one is worn; absent: none, or it is over'),
  cost_usd: z.number().optional(),
  outcome: Outcome.optional(),
  exit_code: z.number().int().optional(),
  detail: z.string().optional().describe('retrying, limited until, why it ended'),
  said: z
    .object({ text: z.string(), at: z.string(), count: z.number().int() })
    .optional()
    .describe('while it lives: the last line its agent said, when, and how often it has spoken'),
  since: z.string().optional().describe('when it came to this state'),
  other: z
    .string()
    .optional()
    .describe('its host speaks another version: in words, with what to do; such a one can only be stopped from there'),
  until: z.string().optional().describe('when it goes on by itself: a usage limit, a pause after a failure'),
  limited: z.literal(true).optional().describe('its agent is at a usage limit'),
  reins: z.string().optional().describe('the version of Reins that its host runs, or ran'),
  left: z.number().int().optional().describe('processes that still run although the host died; `reins stop` ends them'),
});

export const ScreenShot = z.object({
  cols: z.number().int(),
  rows: z.number().int(),
  cursor: z.object({ x: z.number().int(), y: z.number().int(), visible: z.boolean() }),
  alternate: z.boolean(),
  title: z.string(),
  lines: z.array(z.string()),
});

export const SendReceipt = z.object({
  verdict: z.enum(['submitted', 'queued', 'refused', 'no-evidence']),
  reason: z.string().optional(),
  evidence: z.string().optional().describe('what proved it: hook, transcript, protocol, screen'),
});

/** A message that waits until the agent can take it. */
export const QueuedMessage = z.object({
  key: z.string(),
  text: z.string(),
  queued_at: z.string(),
  by: z.string().optional(),
  sending: z.boolean().optional().describe('it is being given to the agent: too late to change it'),
});
