/**
 * The JSON Schemas Reins publishes: of reins.yml, of journal entries, and of what `--json` prints. Objects are open:
 * fields may be added, and readers ignore what they do not know.
 */
import { z } from 'zod';
import { configJsonSchema } from '../config/index.js';
import { ReinsError } from '../contract/index.js';
import {
  AnswerReceipt,
  AnyEntry,
  ConsultRehearsal,
  InquiryKind,
  LostInquiry,
  Notification,
  ScreenShot,
  SendReceipt,
  SessionRow,
  TreeChanges,
} from '../contract/schemas.js';
import { MEMORY_SCHEMAS } from './digest-schemas.js';
import { RECEIPTS } from './receipt-schemas.js';

const Side = z.object({
  verdict: z.enum(['allow', 'deny', 'ask', 'consult', 'defer']).describe('of a ladder: its first rung'),
  rule: z.string(),
  source: z.string(),
  file: z.string().optional(),
  line: z.number().int().optional(),
  text: z.string(),
  fix: z.string().optional().describe('what would allow it'),
});

export const PolicyExplained = z.object({
  tool: z.string(),
  kind: InquiryKind,
  input: z.unknown().optional(),
  attached: Side,
  reachable: Side.optional().describe('where somebody who is away can be fetched'),
  detached: Side,
  notes: z.array(z.string()),
});

const Trial = z.object({ ok: z.boolean(), reason: z.string().optional() });

const DoorView = z.object({
  door: z.enum(['stream', 'control', 'tui']).optional(),
  refused: z.string().optional().describe('why there is no door'),
  deliver: z.boolean().describe('results can be held back before the agent sees them'),
});
const ByTrust = z.object({ guarded: DoorView, full: DoorView });

export const DoctorReport = z.object({
  usable: z.boolean(),
  reins: z.string(),
  node: Trial.extend({ version: z.string() }),
  agents: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      enabled: z.boolean(),
      path: z.string().optional(),
      version: z.string().optional(),
      note: z.string().optional().describe('why this version is to be relied on less'),
      missing: z.string().optional().describe('why it cannot be used'),
      install: z.string(),
      doors: z.object({ autonomous: ByTrust, interactive: ByTrust }),
    }),
  ),
  pty: Trial,
  tty: z.object({ present: z.boolean(), reason: z.string() }),
  state: Trial.extend({ dir: z.string() }),
  hub: z.object({
    running: z.boolean(),
    devices: z.number().int().describe('that are let in'),
    address: z.string().optional(),
    url: z.string().optional().describe('as seen from outside'),
    pid: z.number().int().optional(),
    version: z.string().optional(),
    reason: z.string().optional().describe('why it is not well'),
  }),
  consultant: z.object({
    used: z.boolean().describe('the config lets another agent answer or suggest'),
    agent: z.string().optional().describe('who is asked, or would be'),
    model: z.string().optional(),
    ok: z.boolean(),
    reason: z.string().optional().describe('why it cannot be asked'),
  }),
  notify: z.array(z.object({ name: z.string(), answers: z.boolean(), reason: z.string().optional() })),
  stale_hosts: z.array(z.object({ session: z.string(), pid: z.number().int(), mode: z.string().optional() })),
  config: Trial.extend({ files: z.array(z.string()), untrusted: z.array(z.string()) }),
  nested: z.string().nullable().describe('the session this shell belongs to'),
});

/** `logs --summary --json`; `src/sessions/summary.ts` makes it. */
export const LoopSummary = z.object({
  session: z.string(),
  name: z.string().optional(),
  state: z.enum(['running', 'ended']),
  outcome: z.string().optional(),
  exit_code: z.number().int().optional(),
  reason: z.string().optional(),
  started_at: z.string().optional(),
  ended_at: z.string().optional(),
  parent: z.string().optional().describe('the session whose agent started it'),
  children: z.array(z.string()).optional().describe('sessions that its agent has started'),
  legs: z.number().int().describe('how often it was started: 1, and one more per --continue'),
  iterations: z.number().int(),
  failed: z.number().int().describe('iterations that failed or timed out'),
  cost_usd: z.number().optional(),
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  hats: z.array(z.object({ hat: z.string(), turns: z.number().int() })),
  gates: z.array(z.object({ gate: z.string(), passed: z.number().int(), failed: z.number().int() })),
  waits: z.array(z.object({ kind: z.string(), count: z.number().int(), seconds: z.number() })),
  denied: z.array(z.object({ what: z.string(), count: z.number().int(), allow: z.string().optional() })),
  changes: TreeChanges.optional(),
});

const SCHEMAS = {
  ls: z.array(SessionRow),
  inbox: z.array(LostInquiry),
  screen: ScreenShot,
  send: SendReceipt,
  answer: AnswerReceipt,
  consult: ConsultRehearsal,
  events: AnyEntry,
  notification: Notification,
  summary: LoopSummary,
  policy: PolicyExplained,
  doctor: DoctorReport,
  trust: z.array(z.object({ agent: z.string(), folder: z.string() })),
  ...MEMORY_SCHEMAS,
  ...RECEIPTS,
};

/** `undefined`: of reins.yml. Throws USAGE for a name nobody knows. */
export function publishedSchema(of: string | undefined): unknown {
  if (of === undefined) return configJsonSchema();
  if (!Object.hasOwn(SCHEMAS, of)) {
    throw new ReinsError('USAGE', {
      problem: `--of ${of} is not known`,
      fix: `use ${Object.keys(SCHEMAS).join(', ')}`,
    });
  }
  // As input: objects stay open, so that a field added later breaks no reader that checks.
  return { title: of, ...z.toJSONSchema(SCHEMAS[of as keyof typeof SCHEMAS], { io: 'input' }) };
}
