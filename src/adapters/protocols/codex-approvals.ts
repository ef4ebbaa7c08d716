/**
 * Codex's requests to us as inquiries, and our answers in Codex's words. `decline` leaves the turn running, `cancel` ends
 * it. Surprising: an edited command cannot be carried, and a question has no "no": its refusal travels as a note.
 */
import type { Question } from '../../contract/index.js';
import type { InquiryDraft, ProtocolStep, Settled } from '../adapter.js';
import { optionsOf, wordsFor } from './ask-user-question.js';
import type { CodexItems } from './codex-items.js';
import { asList, asObject, asText, type Json, write } from './jsonl.js';
import { unwrapShell } from './shell-command.js';

export type CodexHeld = { parent?: string } & (
  | { kind: 'decision' }
  | { kind: 'permissions'; wanted: unknown }
  | { kind: 'elicitation' }
  | { kind: 'question'; questions: Question[] }
);

/** Undefined for a request we do not know: the caller refuses it. */
export function codexInquiry(request: {
  method: string;
  params: Json;
  items: Pick<CodexItems, 'input' | 'underWay'>;
  parent: { parent?: string };
  /** Codex's terminal program shows it as well. */
  shared?: boolean;
}): { held: CodexHeld; inquiry: InquiryDraft; withinMs?: number } | undefined {
  const { method, params, items, parent } = request;
  const call = asText(params.itemId);
  const reason = asText(params.reason);
  const common = {
    exclusive: false,
    ...(call === undefined ? {} : { call }),
    ...(reason === undefined ? {} : { reason }),
    ...parent,
  };
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return { held: { kind: 'decision', ...parent }, inquiry: { kind: 'run', ...commandOf(params), ...common } };
    case 'item/fileChange/requestApproval': {
      const input = { ...asObject(items.input(call ?? '')), ...pick(params, ['reason', 'grantRoot']) };
      return { held: { kind: 'decision', ...parent }, inquiry: { kind: 'run', tool: 'apply_patch', input, ...common } };
    }
    case 'item/permissions/requestApproval': {
      const input = pick(params, ['permissions', 'cwd', 'reason']);
      const held = { kind: 'permissions', wanted: params.permissions, ...parent } as const;
      return { held, inquiry: { kind: 'run', tool: 'permissions', input, ...common } };
    }
    case 'mcpServer/elicitation/request': {
      const about = asObject(params._meta);
      // What a server itself wants to know is not ours to say.
      if (about?.codex_approval_kind !== 'mcp_tool_call') return undefined;
      const server = asText(params.serverName) ?? '';
      const said = asText(params.message);
      const inquiry = { kind: 'run' as const, ...common, ...mcpCall(items.underWay(server), about.tool_params) };
      return {
        held: { kind: 'elicitation', ...parent },
        inquiry: { ...inquiry, ...(said === undefined ? {} : { reason: said }) },
      };
    }
    case 'item/tool/requestUserInput': {
      const questions = asList(params.questions).flatMap(questionOf);
      if (questions.length === 0) return undefined;
      const exclusive = questions.some((question) => question.secret === true);
      return {
        held: { kind: 'question', questions, ...parent },
        inquiry: { kind: 'question', tool: 'request_user_input', questions, ...common, exclusive },
        ...dropped(params, request.shared === true),
      };
    }
    default:
      return undefined;
  }
}

/** Outside of plan mode (where a question blocks) the terminal program goes on without an answer: "auto-resolves in 1m". */
const DROPPED_AFTER_MS = 120_000;

function dropped(params: Json, shared: boolean): { withinMs?: number } {
  const { autoResolutionMs: said } = params;
  if (typeof said === 'number' && said > 0) return { withinMs: said };
  return shared && params.isBlocking === false ? { withinMs: DROPPED_AFTER_MS } : {};
}

export function codexAnswer(id: unknown, held: CodexHeld, settled: Settled): ProtocolStep {
  const { verdict } = settled;
  if (held.kind === 'question') return write({ id, result: { answers: answersTo(held.questions, settled) } });
  // A changed input has no place in the answer; running the original instead would not be what was allowed.
  const allowed = verdict.kind === 'allow' && verdict.input === undefined && settled.interrupt !== true;
  if (held.kind === 'permissions') {
    return write({ id, result: { permissions: allowed ? held.wanted : {}, scope: 'turn' } });
  }
  const refusal = settled.interrupt === true ? 'cancel' : 'decline';
  // Without `_meta.persist`: for this call alone.
  if (held.kind === 'elicitation') {
    return write({ id, result: { action: allowed ? 'accept' : refusal, content: allowed ? {} : null, _meta: null } });
  }
  return write({ id, result: { decision: allowed ? 'accept' : refusal } });
}

/** The request has the arguments and no name. A call that cannot be told from another is a person's to judge. */
function mcpCall(
  underWay: { call: string; tool: string; input: unknown }[],
  wanted: unknown,
): Pick<InquiryDraft, 'tool' | 'input' | 'call' | 'exclusive'> {
  const same = JSON.stringify(wanted ?? {});
  const fits = underWay.filter(({ input }) => JSON.stringify(input ?? {}) === same);
  const [found] = fits;
  if (!found || new Set(fits.map(({ tool }) => tool)).size > 1) {
    return { tool: 'unknown', input: wanted ?? {}, exclusive: true };
  }
  // Two equal calls are the same question; only one alone can be named.
  return { tool: found.tool, input: found.input, exclusive: false, ...(fits.length === 1 ? { call: found.call } : {}) };
}

function commandOf(params: Json): { tool: string; input: unknown } {
  const command = asText(params.command);
  if (command === undefined) {
    // Network access and other kinds to come: shown as they are, under the kind's own name.
    const { threadId: _thread, turnId: _turn, itemId: _item, availableDecisions: _decisions, ...input } = params;
    return { tool: asText(params.kind) ?? 'permission', input };
  }
  return { tool: 'shell', input: { command: unwrapShell(command), ...pick(params, ['cwd', 'reason']) } };
}

function questionOf(entry: unknown): Question[] {
  const from = asObject(entry);
  const id = asText(from?.id);
  const text = asText(from?.question);
  if (!from || id === undefined || text === undefined) return [];
  const header = asText(from.header);
  const options = optionsOf(from.options);
  return [
    {
      id,
      text,
      options,
      multi: false,
      free_text: from.isOther === true || options.length === 0,
      ...(header === undefined ? {} : { header }),
      ...(from.isSecret === true ? { secret: true } : {}),
    },
  ];
}

/** Codex's own menu writes remarks as `user_note: …` beside the chosen label; a refusal is such a remark. */
function answersTo(questions: Question[], settled: Settled): Json {
  const pairs = questions.map((question): [string, Json] => {
    const labels = wordsFor(question, settled);
    const note = labels.length > 0 ? settled.voice : (settled.reason ?? 'No answer was given.');
    return [question.id, { answers: [...labels, ...(note === undefined ? [] : [`user_note: ${note}`])] }];
  });
  return Object.fromEntries(pairs);
}

function pick(from: Json, keys: readonly string[]): Json {
  return Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined || from[key] === null ? [] : [[key, from[key]]])),
  );
}
