/**
 * A session in words: the chapters of its recording (what a person who opens it later wants to jump to, derived from the
 * journal alone), the entries it starts and ends with, and its row in `ls`.
 */
import type { Entry, EntryPayload, Inquiry, SessionRow } from '../contract/index.js';
import type { Finish, Work } from './modes/work.js';
import type { SessionSpec } from './spec.js';

const LONGEST_WORD = 60;

/** Undefined for entries that are no chapter. */
export function chapterOf(entry: Entry): string | undefined {
  switch (entry.type) {
    case 'inquiry.opened': {
      const { id, kind, tool, questions } = entry.data.inquiry;
      return `${id} asks: ${short(questions?.[0]?.text ?? tool ?? kind)}`;
    }
    case 'inquiry.answered':
      return `${entry.data.answer.inquiry} answered: ${entry.data.answer.verdict.kind}`;
    case 'iteration.started': {
      const { iteration, hat } = entry.data;
      return `iteration ${iteration}${hat ? ` (${short(hat)})` : ''}`;
    }
    default:
      return undefined;
  }
}

/** One line: a chapter is a title. */
const short = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_WORD);

export function startOf(spec: SessionSpec, { continues }: { continues: boolean }): EntryPayload<'session.started'> {
  return {
    name: spec.name,
    agent: spec.agent?.adapter ?? spec.exec?.argv[0] ?? '?',
    mode: spec.mode,
    trust: spec.trust,
    cwd: spec.cwd,
    ...(spec.parent === undefined ? {} : { parent: spec.parent }),
    ...(spec.namespace === undefined ? {} : { namespace: spec.namespace }),
    ...(spec.exec ? { argv: spec.exec.argv } : {}),
    reins: spec.reins,
    host_pid: process.pid,
    presence: spec.seat.presence,
    ...(continues ? { continues } : {}),
    ...(spec.changed ? { changed: spec.changed.changes } : {}),
  };
}

/** What `ls` shows of it from its start to its end. */
export function rowOf(spec: SessionSpec): Omit<SessionRow, 'state' | 'pid' | 'inquiries' | 'viewers'> {
  return {
    id: spec.id,
    name: spec.name,
    reins: spec.reins,
    agent: spec.agent?.adapter ?? spec.exec?.argv[0] ?? '?',
    ...(spec.agent?.version === undefined ? {} : { agent_version: spec.agent.version }),
    ...(spec.agent?.note === undefined ? {} : { agent_note: spec.agent.note }),
    mode: spec.mode,
    trust: spec.trust,
    cwd: spec.cwd,
    ...(spec.worktree === undefined ? {} : { worktree: spec.worktree.name }),
    ...(spec.parent === undefined ? {} : { parent: spec.parent }),
    ...(spec.namespace === undefined ? {} : { namespace: spec.namespace }),
    started_at: spec.created_at,
  };
}

type EndFacts = ReturnType<Work['facts']> & { inquiries: number };

/** How it ended, why, what to do next, and what it came to. */
export function endOf(finish: Finish, facts: EndFacts): EntryPayload<'session.ended'> {
  const { iteration, costUsd, inputTokens, outputTokens, denied, inquiries } = facts;
  return {
    outcome: finish.outcome,
    exit_code: finish.exitCode,
    reason: finish.reason,
    ...(finish.advice === undefined ? {} : { advice: finish.advice }),
    counts: {
      iterations: iteration ?? 0,
      inquiries,
      denied,
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
      ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
      ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    },
    ...(finish.changes === undefined ? {} : { changes: finish.changes }),
  };
}

/** Denied because nobody was there to ask, and what would allow it. */
export function denialOf(inquiry: Inquiry, fix: string | undefined): EntryPayload<'notice'> {
  const what = inquiry.tool ?? inquiry.kind;
  const how = fix ? ` To allow it: ${fix}` : '';
  const text = `${what} was denied: nobody is here to ask.${how}`;
  return { level: 'warn', code: 'denied', text, facts: { what, ...(fix ? { fix } : {}) } };
}
