/**
 * What happened in one session within a time, from its journal alone: goes through the entries once and holds what is open
 * and what is told. Lists are bounded, the newest stay; the numbers count everything.
 */
import { type Answer, type Cite, type Entry, type EntryType, type Inquiry, nameOf } from '../contract/index.js';

export interface DigestAnswer {
  inquiry: string;
  session: string;
  at: string;
  question: string;
  /** What was chosen, as it is called. */
  answer: string;
  by: string;
  model?: string;
  confidence?: number;
  reason?: string;
  cites?: Cite[];
  /** The earlier decision it is. */
  decision?: string;
}

export interface DigestOpen {
  inquiry: string;
  session: string;
  since: string;
  what: string;
  stage?: string;
}

export interface DigestDenied {
  what: string;
  count: number;
  allow?: string;
}

/** Numbers of one session, or of all. */
export interface DigestCounts {
  inquiries: number;
  /** Who answered, by kind. */
  answered: Record<string, number>;
  denied_unasked: number;
  /** How consultations ended. */
  consultations: Record<string, number>;
  suggestions: { made: number; taken: number; not_taken: number };
  /** A person answered what a consultant was asked. */
  overruled: number;
  agents_usd: number;
  consultations_usd: number;
}

export interface SessionDigest extends DigestCounts {
  /** Of questions alone: a permission is never another agent's to answer. */
  suggestedAnswers: { taken: number; not_taken: number };
  consultant: DigestAnswer[];
  overruledBy: DigestAnswer[];
  memory: DigestAnswer[];
  /** Given from outside, by a webhook or a command. */
  notifier: DigestAnswer[];
  /** Questions that rules and defaults answered. */
  settled: DigestAnswer[];
  denied: DigestDenied[];
  open: DigestOpen[];
  /** The story of a question that was asked in circles, and the like. */
  notes: { session: string; at: string; text: string }[];
  ended?: { at: string; outcome: string; exit_code: number; reason: string };
}

export const DIGEST_TYPES = [
  'session.started',
  'session.ended',
  'agent.started',
  'agent.ended',
  'turn.ended',
  'state.changed',
  'inquiry.opened',
  'inquiry.moved',
  'inquiry.answered',
  'inquiry.closed',
  'consultation.started',
  'consultation.ended',
  'notice',
] as const satisfies readonly EntryType[];

const MOST = 200;
const LONGEST = 1000;
const TOLD_NOTICES = new Set(['asked-again', 'consult.off', 'consult.limit']);

const short = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);

interface Pending {
  inquiry: Inquiry;
  answered: boolean;
  stage?: string;
  suggested: boolean;
  consulted: boolean;
}

export class DigestFold {
  readonly #session: string;
  readonly #since: number;
  readonly #until: number;
  readonly #open = new Map<string, Pending>();
  readonly #denied = new Map<string, DigestDenied>();
  /** Of the launch that runs; one that ended has said its cost. */
  #runningUsd = 0;
  readonly #found: SessionDigest = {
    inquiries: 0,
    answered: {},
    denied_unasked: 0,
    consultations: {},
    suggestions: { made: 0, taken: 0, not_taken: 0 },
    suggestedAnswers: { taken: 0, not_taken: 0 },
    overruled: 0,
    agents_usd: 0,
    consultations_usd: 0,
    consultant: [],
    overruledBy: [],
    memory: [],
    notifier: [],
    settled: [],
    denied: [],
    open: [],
    notes: [],
  };

  /** From `since` (not with it) to `until`, in milliseconds since the epoch. */
  constructor(of: { session: string; since: number; until: number }) {
    this.#session = of.session;
    this.#since = of.since;
    this.#until = of.until;
  }

  entry(entry: Entry): void {
    const at = Date.parse(entry.ts);
    if (at > this.#until) return;
    this.#follow(entry, at > this.#since);
  }

  digest(): SessionDigest {
    const open = [...this.#open.values()].filter(({ answered }) => !answered);
    return {
      ...this.#found,
      agents_usd: this.#found.agents_usd + this.#runningUsd,
      denied: [...this.#denied.values()],
      open: open.map(({ inquiry, stage }) => ({
        inquiry: inquiry.id,
        session: this.#session,
        since: inquiry.opened_at,
        what: short(asked(inquiry)),
        ...(stage === undefined ? {} : { stage }),
      })),
    };
  }

  /** `counts`: it happened within the time; what came before is only known. */
  #follow(entry: Entry, counts: boolean): void {
    switch (entry.type) {
      case 'session.started':
        // What was open when a host died is not open in the next one.
        this.#open.clear();
        this.#runningUsd = 0;
        delete this.#found.ended;
        break;
      case 'session.ended': {
        this.#open.clear();
        const { outcome, exit_code, reason } = entry.data;
        if (counts) this.#found.ended = { at: entry.ts, outcome, exit_code, reason: short(reason) };
        break;
      }
      case 'agent.started':
        this.#runningUsd = 0;
        break;
      case 'turn.ended':
      case 'state.changed':
        if (counts) this.#runningUsd = entry.data.cost_usd ?? this.#runningUsd;
        break;
      case 'agent.ended':
        if (counts) this.#found.agents_usd += entry.data.cost_usd ?? this.#runningUsd;
        this.#runningUsd = 0;
        break;
      case 'notice':
        if (counts) this.#notice(entry);
        break;
      default:
        this.#inquiry(entry, counts);
    }
  }

  #inquiry(entry: Entry, counts: boolean): void {
    switch (entry.type) {
      case 'inquiry.opened': {
        const { inquiry } = entry.data;
        this.#open.set(inquiry.id, { inquiry, answered: false, suggested: false, consulted: false });
        if (counts) this.#found.inquiries += 1;
        break;
      }
      case 'inquiry.moved': {
        const open = this.#open.get(entry.data.inquiry);
        if (!open) break;
        open.stage = entry.data.stage;
        if (entry.data.suggestion && !open.suggested) {
          open.suggested = true;
          if (counts) this.#found.suggestions.made += 1;
        }
        break;
      }
      case 'consultation.started': {
        const open = this.#open.get(entry.data.inquiry);
        if (open && entry.data.for === 'answer') open.consulted = true;
        break;
      }
      case 'consultation.ended':
        if (!counts) break;
        add(this.#found.consultations, entry.data.how);
        this.#found.consultations_usd += entry.data.cost_usd ?? 0;
        break;
      case 'inquiry.answered':
        this.#answered(entry, counts);
        break;
      case 'inquiry.closed':
        this.#open.delete(entry.data.inquiry);
        break;
    }
  }

  #answered({ data: { answer }, ts }: Entry<'inquiry.answered'>, counts: boolean): void {
    const open = this.#open.get(answer.inquiry);
    if (open) open.answered = true;
    if (!counts) return;
    add(this.#found.answered, answer.by.kind);
    if (!open) return;
    if (open.suggested) {
      const how = answer.proposed ? 'taken' : 'not_taken';
      this.#found.suggestions[how] += 1;
      if (open.inquiry.kind === 'question') this.#found.suggestedAnswers[how] += 1;
    }
    const told = this.#told(open.inquiry, answer, ts);
    if (answer.by.kind === 'consultant') keep(this.#found.consultant, told);
    else if (answer.by.kind === 'memory') keep(this.#found.memory, told);
    else if (answer.by.kind === 'notifier') keep(this.#found.notifier, told);
    else if (answer.by.kind === 'viewer' && open.consulted) {
      this.#found.overruled += 1;
      keep(this.#found.overruledBy, told);
    } else if (open.inquiry.kind === 'question' && ['rule', 'policy', 'default', 'deadline'].includes(answer.by.kind))
      keep(this.#found.settled, told);
  }

  #told(inquiry: Inquiry, answer: Answer, at: string): DigestAnswer {
    const { by, confidence, reason, cites } = answer;
    return {
      inquiry: inquiry.id,
      session: this.#session,
      at,
      question: short(asked(inquiry)),
      answer: short(chosen(inquiry, answer)),
      by: nameOf(by),
      ...(by.kind === 'consultant' && by.model !== undefined ? { model: by.model } : {}),
      ...(by.kind === 'memory' ? { decision: by.decision } : {}),
      ...(confidence === undefined ? {} : { confidence }),
      ...(reason === undefined ? {} : { reason: short(reason) }),
      ...(cites === undefined ? {} : { cites: cites.slice(0, MOST) }),
    };
  }

  #notice({ data: { code, text, facts }, ts }: Entry<'notice'>): void {
    if (code !== undefined && TOLD_NOTICES.has(code))
      keep(this.#found.notes, { session: this.#session, at: ts, text: short(text) });
    if (code !== 'denied') return;
    this.#found.denied_unasked += 1;
    const what = short(String(facts?.what ?? text));
    const allow = typeof facts?.fix === 'string' ? { allow: facts.fix } : {};
    const key = `${what}\n${allow.allow ?? ''}`;
    const had = this.#denied.get(key);
    if (had) had.count += 1;
    else if (this.#denied.size < MOST) this.#denied.set(key, { what, count: 1, ...allow });
  }
}

function add(counts: Record<string, number>, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

function keep<T>(list: T[], one: T): void {
  list.push(one);
  if (list.length > MOST) list.shift();
}

/** What was asked, in a line. */
function asked({ kind, tool, questions = [] }: Inquiry): string {
  if (kind === 'question') return questions.map(({ text }) => text).join(' · ');
  return `${kind === 'run' ? 'use' : 'read the result of'} ${tool ?? 'a tool'}`;
}

function chosen({ questions = [] }: Inquiry, { verdict }: Answer): string {
  if (verdict.kind !== 'values') return verdict.kind;
  return questions
    .map(({ id, options, secret }) => {
      const values = Object.hasOwn(verdict.values, id) ? verdict.values[id]! : [];
      if (secret) return '(secret)';
      return values.map((value) => options.find((option) => option.id === value)?.label ?? value).join(', ');
    })
    .join(' · ');
}
