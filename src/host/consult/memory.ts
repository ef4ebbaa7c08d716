/**
 * What a session's answers come to in the project's memory, and what that memory answers. The same question again is answered
 * once from it; asked once more in the same session, a person is wanted: whoever goes round in circles is not helped by
 * hearing the same again, and is not to cost a consultation each time.
 */
import { type Answer, type Inquiry, nameOf, type Question } from '../../contract/index.js';
import { answerWords, type Decisions, keyOf, type Remembered, valuesFor } from '../../decisions/index.js';
import { ofTypes } from '../../journal/journal.js';
import type { Consulted } from '../desk-ports.js';
import type { AnswersPorts } from './answers.js';
import { decisionsAt } from './project.js';

export interface MemoryPorts extends AnswersPorts {
  /** The project's, unless a test brings its own. */
  decisions?: Decisions;
}

interface Answered {
  inquiry: Inquiry;
  answer: Answer;
  ts: string;
}

export interface Memory {
  /** As `Answers.recall`. Contract: never throws. */
  recall(inquiry: Inquiry): Consulted | undefined;
  /** Contract: never throws, and has written it down when it returns. */
  answered(one: Answered): void;
}

/** Who decided something worth remembering; rules, defaults and deadlines decide nothing new. */
const DECIDERS: ReadonlySet<string> = new Set(['viewer', 'consultant', 'notifier', 'parent']);

const LONGEST_TOLD = 300;

/** As `adapters/tuis/prompts.ts` calls what a plain program asks. */
const TERMINAL = 'terminal';

export function createMemory(ports: MemoryPorts): Memory {
  return new SessionMemory(ports);
}

class SessionMemory implements Memory {
  readonly #ports: MemoryPorts;
  readonly #decisions: Decisions;
  /** What memory has answered in this session and nobody has decided anew since. */
  readonly #used = new Set<string>();
  /** Said once. */
  readonly #told = new Set<string>();

  constructor(ports: MemoryPorts) {
    this.#ports = ports;
    this.#decisions = ports.decisions ?? decisionsAt(ports.spec.cwd, ports.env);
    const opened = new Map<string, Inquiry>();
    for (const entry of ofTypes(ports.before, ['inquiry.opened', 'inquiry.answered'])) {
      if (entry.type === 'inquiry.opened') opened.set(entry.data.inquiry.id, entry.data.inquiry);
      else this.#note(opened.get(entry.data.answer.inquiry), entry.data.answer);
    }
  }

  recall(inquiry: Inquiry): Consulted | undefined {
    try {
      return this.#recall(inquiry);
    } catch (error) {
      this.#tell('Earlier decisions cannot be read', error);
      return undefined;
    }
  }

  #recall(inquiry: Inquiry): Consulted | undefined {
    const questions = inquiry.questions ?? [];
    if (!isPublic(inquiry) || questions.length === 0) return undefined;
    const known = questions.map((question) => ({ question, decision: this.#standing(question) }));
    const decisions = known.flatMap(({ decision }) => decision ?? []);
    if (decisions.length < questions.length) return undefined;
    const { consult } = this.#ports.spec.config;
    const found = known.map(
      ({ question, decision }) => [question.id, valuesFor(decision!, question, consult.free_text)] as const,
    );
    if (found.some(([, values]) => values === undefined)) return undefined;
    if (this.#used.has(keysOf(inquiry))) return { none: this.#story(inquiry, decisions) };
    // Of several, or of a person's correction, what the consultant went by says nothing about the answer.
    const [first] = decisions as [Remembered];
    const { confidence, cites }: Partial<Remembered> = decisions.length > 1 || first.correction ? {} : first;
    return {
      verdict: { kind: 'values', values: Object.fromEntries(found) as Record<string, string[]> },
      by: { kind: 'memory', decision: decisions.map(({ id }) => id).join(' ') },
      reason: `the same was asked before and answered ${decisions.map(origin).join('; ')}`,
      ...(confidence === undefined ? {} : { confidence }),
      ...(cites === undefined ? {} : { cites }),
    };
  }

  /** What a consultant was less sure of than is wanted now does not count again. */
  #standing(question: Question): Remembered | undefined {
    const decision = this.#decisions.same(question, this.#ports.spec.id);
    const { consult } = this.#ports.spec.config;
    const isUnsure =
      decision?.by.kind === 'consultant' && !decision.correction && (decision.confidence ?? 0) < consult.min_confidence;
    return isUnsure ? undefined : decision;
  }

  #story(inquiry: Inquiry, decisions: Remembered[]): string {
    const what = short(inquiry.questions?.map(({ text }) => text).join(' · ') ?? '');
    const story = `“${what}” is asked again: it was answered ${decisions.map(origin).join('; ')}, and once more from memory in this session; now a person is wanted`;
    if (!this.#told.has(inquiry.id)) {
      this.#told.add(inquiry.id);
      this.#ports.journal.append('notice', {
        level: 'warn',
        code: 'asked-again',
        text: `${story}.`,
        facts: { inquiry: inquiry.id, decisions: decisions.map(({ id }) => id) },
      });
    }
    return story;
  }

  answered({ inquiry, answer, ts }: Answered): void {
    this.#note(inquiry, answer);
    try {
      if (answer.overrules) this.#takeBack(inquiry, ts);
      if (answer.by.kind === 'memory') this.#markUsed(inquiry, answer.by.decision, ts);
      else this.#remember(inquiry, answer, ts);
    } catch (error) {
      this.#tell('What was decided cannot be remembered', error);
    }
  }

  #note(inquiry: Inquiry | undefined, { by }: Answer): void {
    if (inquiry?.kind !== 'question') return;
    if (by.kind === 'memory') this.#used.add(keysOf(inquiry));
    else if (DECIDERS.has(by.kind)) this.#used.delete(keysOf(inquiry));
  }

  #markUsed(inquiry: Inquiry, ids: string, ts: string): void {
    const by = { session: this.#ports.spec.id, inquiry: inquiry.id, at: Date.parse(ts) };
    for (const id of ids.split(' ')) this.#decisions.used(id, by);
  }

  /** What the agent was never told is no decision, whatever the person said instead: a refusal, or something for this once. */
  #takeBack(inquiry: Inquiry, ts: string): void {
    const mine = this.#decisions
      .list()
      .filter((one) => one.inquiry === inquiry.id && one.unverified === undefined && !one.revoked);
    for (const { id } of mine)
      this.#decisions.revoke(id, { at: Date.parse(ts), reason: 'overruled before the agent was told' });
  }

  #remember(inquiry: Inquiry, answer: Answer, ts: string): void {
    const { verdict, by, proposed } = answer;
    if (verdict.kind !== 'values' || !DECIDERS.has(by.kind)) return;
    const { confidence, cites, reason } = { ...proposed, ...answer };
    for (const question of inquiry.questions ?? []) {
      const given = Object.hasOwn(verdict.values, question.id) ? verdict.values[question.id]! : [];
      const values = kept(inquiry, question, given);
      if (question.secret || values.length === 0) continue;
      const scope = scopeOf({ inquiry, question, answer, values });
      const { copy } = this.#decisions.remember({
        at: Date.parse(ts),
        session: this.#ports.spec.id,
        inquiry: inquiry.id,
        question,
        values,
        by,
        scope,
        ...(inquiry.tool === undefined ? {} : { tool: inquiry.tool }),
        ...(by.kind === 'consultant' && by.model !== undefined ? { model: by.model } : {}),
        ...(confidence === undefined ? {} : { confidence }),
        ...(cites === undefined ? {} : { cites }),
        ...(reason === undefined ? {} : { reason }),
      });
      if (copy !== undefined)
        this.#tell('The copy in .reins/decisions.jsonl cannot be written', new Error(copy), 'info');
    }
  }

  #tell(what: string, error: unknown, level: 'info' | 'warn' = 'warn'): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#ports.journal.append('notice', { level, code: 'decisions', text: `${what}: ${(error as Error).message}` });
  }
}

const isPublic = ({ kind, exclusive, questions }: Inquiry): boolean =>
  kind === 'question' && !exclusive && !questions?.some(({ secret }) => secret);

/** What only a person may answer may also be what only that person may know: own words are not kept. */
const kept = ({ exclusive }: Inquiry, { options }: Question, values: string[]): string[] =>
  exclusive && !values.every((value) => options.some(({ id }) => id === value)) ? [] : values;

/** Words that say nothing without what they were said to; the first of an answer. */
const ASSENTS = new Set(
  'y yes yeah yep n no nope ok okay sure go proceed continue resume stop cancel abort skip approve approved accept accepted agree confirm reject decline refuse allow deny ja nein oui non sí si sim não nao tak nie да нет 是 否 はい いいえ'.split(
    ' ',
  ),
);

const isAssent = (word: string): boolean => ASSENTS.has(/[\p{L}\p{N}]+/u.exec(word.toLowerCase())?.[0] ?? '');

/**
 * How far an answer reaches that does not say so itself. Nothing that one was entitled to only there counts elsewhere: what
 * a parent's agent said to its child, what only a person may say, what was said to a program at a terminal, which may be
 * another's in the same words. A bare yes belongs to what had been said before it.
 */
function scopeOf(of: {
  inquiry: Inquiry;
  question: Question;
  answer: Answer;
  values: string[];
}): 'once' | 'session' | 'project' {
  const { inquiry, question, answer, values } = of;
  // A text that only spells an option is not that option: it counts this once.
  const isText = answer.verdict.kind === 'values' && answer.verdict.free?.includes(question.id);
  if (isText || answer.by.kind === 'parent' || inquiry.exclusive || inquiry.tool === TERMINAL) return 'once';
  return answer.scope ?? (answerWords(question, values).some(isAssent) ? 'session' : 'project');
}

const keysOf = ({ questions = [] }: Inquiry): string => questions.map(keyOf).join(' ');

const short = (text: string): string => (text.length <= LONGEST_TOLD ? text : `${text.slice(0, LONGEST_TOLD)}…`);

/** `PostgreSQL by the consultant codex on 2026-01-02 (d-x)`. */
function origin({ id, question, values, correction, by, at }: Remembered): string {
  const answer = short(answerWords(question, correction?.values ?? values).join(', '));
  const who = correction ? 'a person’s correction' : nameOf(by);
  return `“${answer}” by ${who} on ${(correction?.at ?? at).slice(0, 10)} (${id})`;
}
