/**
 * What is sent: who asks what, in words and as data. Secrets are blacked out by the names and values that are known for them
 * and by how they look; a secret question is named and never quoted; everything is bounded.
 */
import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Answer, Entry, Inquiry, Mode, Notification, Progress, SessionId } from '../contract/index.js';
import { nameOf } from '../contract/index.js';
import type { Redact } from '../log/index.js';
import { clean } from './given.js';

export interface ToldSession {
  id: SessionId;
  name: string;
  agent: string;
  mode: Mode;
  cwd: string;
}

export type Unsent = Omit<Notification, 'v' | 'id' | 'at' | 'answer'>;

export interface Teller {
  session: ToldSession;
  details: 'full' | 'names';
  redact: Redact;
}

const LONGEST_TITLE = 120;
const LONGEST_LINE = 300;
/** Characters of an input as JSON; a longer one is cut to a preview. */
const LONGEST_INPUT = 8_000;
const LONGEST_PREVIEW = 2_000;
/** Characters of all questions of one inquiry as JSON. */
const LONGEST_QUESTIONS = 16_000;
const MOST_QUESTIONS = 10;
const MOST_OPTIONS = 20;

export const isSecret = (inquiry: Inquiry): boolean => inquiry.questions?.some((question) => question.secret) === true;

export function waitingNote(teller: Teller, inquiry: Inquiry, progress: Partial<Progress>): Unsent {
  const { session } = teller;
  const what = isSecret(inquiry) ? 'a secret is asked for' : wordsOf(teller, inquiry);
  return {
    type: 'inquiry.waiting',
    title: line(`${session.name}: ${session.agent} asks`, LONGEST_TITLE),
    text: line(progress.stage === 'deferred' ? `${what} (it waits until somebody answers)` : what, LONGEST_LINE),
    session: shownSession(session),
    inquiry: { ...shownInquiry(teller, inquiry), ...shownProgress(teller, progress) },
  };
}

/** `answer` is as the journal has it: what was typed into a secret question is not in there. */
export function settledNote(teller: Teller, inquiry: Inquiry, answer: Answer | undefined): Unsent {
  const { session } = teller;
  const by = answer && line(nameOf(answer.by), LONGEST_TITLE);
  return {
    type: 'inquiry.settled',
    title: line(`${session.name}: no longer asked`, LONGEST_TITLE),
    text: line(answer ? `${verdictOf(answer)} by ${by}` : 'it was withdrawn', LONGEST_LINE),
    session: shownSession(session),
    inquiry: shownInquiry({ ...teller, details: 'names' }, inquiry),
    settled: answer ? { how: 'answered', verdict: answer.verdict.kind, by: by! } : { how: 'withdrawn' },
  };
}

export function endedNote(teller: Teller, data: Entry<'session.ended'>['data'], died: boolean): Unsent {
  const { outcome, exit_code, reason } = data;
  const { session } = teller;
  const said = line(String(teller.redact(reason)), LONGEST_LINE);
  return {
    type: died ? 'session.died' : 'session.ended',
    title: line(`${session.name}: ${died ? 'its host died' : outcome}`, LONGEST_TITLE),
    text: died
      ? line(`nothing works on it any more; go on with: reins run --continue ${session.id}`, LONGEST_LINE)
      : said,
    session: shownSession(session),
    ended: { outcome, exit_code, reason: said },
  };
}

export function limitNote(teller: Teller, limit: { message: string; until?: string }): Unsent {
  const { session, redact } = teller;
  const message = line(String(redact(limit.message)), LONGEST_LINE);
  return {
    type: 'session.limited',
    title: line(`${session.name}: ${session.agent} is at its usage limit`, LONGEST_TITLE),
    text: line(limit.until ? `it goes on at ${limit.until}` : message, LONGEST_LINE),
    session: shownSession(session),
    limit: { message, ...(limit.until ? { until: limit.until } : {}) },
  };
}

export const testNote = (): Unsent => ({
  type: 'test',
  title: 'Reins can tell you',
  text: `a test by \`reins notify test\` on ${hostname()}; nothing waits`,
});

function shownSession({ id, name, agent, mode, cwd }: ToldSession): NonNullable<Notification['session']> {
  return {
    id,
    name: line(name, LONGEST_TITLE),
    agent: line(agent, LONGEST_TITLE),
    mode,
    folder: line(basename(cwd), LONGEST_TITLE),
    machine: hostname(),
  };
}

function shownInquiry(teller: Teller, inquiry: Inquiry): NonNullable<Notification['inquiry']> {
  const { id, kind, tool, exclusive, opened_at, deadline_at, reason, input, questions } = inquiry;
  const isFull = teller.details === 'full';
  // A question's input says the question again, a secret one's too.
  const shown = isFull && kind !== 'question' && input !== undefined ? shownInput(teller.redact, input) : undefined;
  return {
    id,
    kind,
    ...(tool === undefined ? {} : { tool: line(String(teller.redact(tool)), LONGEST_TITLE) }),
    ...(shown === undefined ? {} : { input: shown }),
    ...(questions ? { questions: shownQuestions(teller, questions) } : {}),
    ...(isFull && reason && !isSecret(inquiry) ? { reason: line(String(teller.redact(reason)), LONGEST_LINE) } : {}),
    exclusive,
    opened_at,
    ...(deadline_at === undefined ? {} : { deadline_at }),
  };
}

/** Why the stage before gave no answer is told in words, and they may be an agent's. */
function shownProgress({ details, redact }: Teller, { because, ...progress }: Partial<Progress>): Partial<Progress> {
  const why = details === 'full' && because !== undefined ? line(String(redact(because)), LONGEST_LINE) : undefined;
  return { ...progress, ...(why === undefined ? {} : { because: why }) };
}

function shownInput(redact: Redact, input: unknown): unknown {
  const clear = redact(input);
  const text = JSON.stringify(clear) ?? '';
  return text.length <= LONGEST_INPUT ? clear : { preview: text.slice(0, LONGEST_PREVIEW), cut: true };
}

type Questions = NonNullable<Inquiry['questions']>;
type ShownQuestions = NonNullable<NonNullable<Notification['inquiry']>['questions']>;

function shownQuestions({ details, redact }: Teller, questions: Questions): ShownQuestions {
  const text = (value: string) => String(redact(value));
  const names = questions
    .slice(0, MOST_QUESTIONS)
    .map(({ id, secret }) => ({ id: text(id), ...(secret ? { secret } : {}) }));
  if (details === 'names') return names;
  const full = questions.slice(0, MOST_QUESTIONS).map((question): ShownQuestions[number] => {
    const id = text(question.id);
    if (question.secret) return { id, secret: true };
    const { multi, free_text } = question;
    const options = question.options.slice(0, MOST_OPTIONS).map((option) => ({
      id: text(option.id),
      label: text(option.label),
      ...(option.description ? { description: text(option.description) } : {}),
    }));
    return { id, text: text(question.text), options, multi, free_text };
  });
  return JSON.stringify(full).length <= LONGEST_QUESTIONS ? full : names;
}

function wordsOf({ details, redact }: Teller, inquiry: Inquiry): string {
  const { kind, tool, input, questions } = inquiry;
  if (kind === 'question') {
    const [first] = questions ?? [];
    return details === 'full' && first ? String(redact(first.text)) : 'a question';
  }
  const what = kind === 'deliver' ? `may it see the result of ${tool}?` : `may it use ${tool}?`;
  if (details === 'names' || kind === 'deliver' || input === undefined) return what;
  const map = input as Record<string, unknown> | null;
  const main = ['command', 'file_path', 'path', 'url']
    .map((key) => map?.[key])
    .find((value) => typeof value === 'string');
  return main === undefined ? what : `${tool}: ${String(redact(main))}`;
}

const verdictOf = ({ verdict }: Answer): string =>
  verdict.kind === 'allow' ? 'allowed' : verdict.kind === 'deny' ? 'denied' : 'answered';

function line(text: string, longest: number): string {
  const whole = clean(text.slice(0, longest * 4));
  return whole.length > longest ? `${whole.slice(0, longest - 1)}…` : whole;
}
