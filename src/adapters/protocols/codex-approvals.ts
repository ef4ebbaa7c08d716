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
  | { kind: 'question'; questions: Question[] }
);

/** Undefined for a request we do not know: the caller refuses it. */
export function codexInquiry(request: {
  method: string;
  params: Json;
  items: Pick<CodexItems, 'input'>;
  parent: { parent?: string };
}): { held: CodexHeld; inquiry: InquiryDraft } | undefined {
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
    case 'item/tool/requestUserInput': {
      const questions = asList(params.questions).flatMap(questionOf);
      if (questions.length === 0) return undefined;
      const exclusive = questions.some((question) => question.secret === true);
      return {
        held: { kind: 'question', questions, ...parent },
        inquiry: { kind: 'question', tool: 'request_user_input', questions, ...common, exclusive },
      };
    }
    default:
      return undefined;
  }
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
  return write({ id, result: { decision: allowed ? 'accept' : refusal } });
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
    const note = `user_note: ${settled.reason ?? 'No answer was given.'}`;
    return [question.id, { answers: labels.length > 0 ? labels : [note] }];
  });
  return Object.fromEntries(pairs);
}

function pick(from: Json, keys: readonly string[]): Json {
  return Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined || from[key] === null ? [] : [[key, from[key]]])),
  );
}
