/**
 * The decisions of one project: `decisions/<project>.jsonl` in the state directory is the truth, written first; the copy in
 * the project follows where it can. Everything is read when it is asked for: others write too.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newNonce, type Question } from '../contract/index.js';
import { appendCopy, copyLines } from './copy.js';
import { appendTurning, linesIn } from './files.js';
import { fold } from './fold.js';
import { keyIn, marked, readKey } from './mark.js';
import type { Project } from './project.js';
import type { DecisionLine, Remembered, ToRemember } from './remembered.js';
import { keyOf, likeness } from './same.js';

/** As much as is kept of each text, in characters. */
const LONGEST = { text: 4000, label: 300, value: 4000, reason: 2000, quote: 300 };
const MOST_OPTIONS = 50;
const MOST_CITES = 20;

/** Nearer than this, an earlier decision is worth showing. */
const ALIKE = 0.45;
const MOST_ALIKE = 5;

export interface Decisions {
  /** Oldest first; revoked and unverified ones too, each marked so. */
  list(): Remembered[];
  find(id: string): Remembered | undefined;
  /**
   * The newest for this very question that is verified and meant to count again; none if that one was revoked: what it had
   * replaced does not come back.
   */
  same(question: Question, session: string): Remembered | undefined;
  /** What is worth showing beside it, the nearest first, also unverified ones; it answers nothing. */
  like(question: Question): Remembered[];
  /** Throws what the disk says. `copy`: why there is none in the project. */
  remember(decision: ToRemember): { id: string; copy?: string };
  used(id: string, by: { session: string; inquiry: string; at: number }): void;
  revoke(id: string, given: { at: number; reason?: string }): void;
  correct(id: string, given: { at: number; values: string[]; reason?: string }): void;
  /** Everything, as if nothing had been decided: for a project that was for show and is gone. */
  forget(): void;
}

const folderIn = (stateDir: string): string => join(stateDir, 'decisions');
const fileOf = (stateDir: string, project: string): string => join(folderIn(stateDir), `${project}.jsonl`);

/** Names of all projects with decisions. */
export function projectsKnown(stateDir: string): string[] {
  try {
    const names = readdirSync(folderIn(stateDir)).filter((name) => /\.jsonl(\.1)?$/.test(name));
    return [...new Set(names.map((name) => name.replace(/\.jsonl(\.1)?$/, '')))].sort();
  } catch {
    return []; // nothing was decided yet
  }
}

/** `root` is where the copy is; without it there is none to read or write. */
export function openDecisions(of: { stateDir: string; project: string | Project }): Decisions {
  const { name: project, root } = typeof of.project === 'string' ? { name: of.project, root: undefined } : of.project;
  const dir = folderIn(of.stateDir);
  const file = fileOf(of.stateDir, project);
  const write = (value: DecisionLine): string | undefined => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const { line } = marked(value, { key: keyIn(dir), project });
    appendTurning(file, line);
    if (root === undefined) return undefined;
    try {
      appendCopy(root, line);
    } catch (error) {
      return (error as Error).message; // a project that cannot be written loses its copy and nothing else
    }
    return undefined;
  };
  const list = (): Remembered[] =>
    fold({
      truth: [...linesIn(`${file}.1`), ...linesIn(file)],
      copy: root === undefined ? [] : copyLines(root),
      key: knownKey(dir),
      project,
    });
  const head = (id: string, at: number) => ({ v: 1 as const, id, at: new Date(at).toISOString(), project });
  const why = (reason: string | undefined) => (reason ? { reason: reason.slice(0, LONGEST.reason) } : {});
  return {
    list,
    forget: () => {
      for (const old of [file, `${file}.1`]) rmSync(old, { force: true });
    },
    find: (id) =>
      list().findLast((one) => one.id === id && one.unverified === undefined) ?? list().find((one) => one.id === id),
    same(question, session) {
      const key = keyOf(question);
      const newest = list().findLast((one) => one.question.key === key && counts(one, session));
      return newest?.revoked ? undefined : newest;
    },
    like(question) {
      const near = list()
        .filter(({ revoked }) => revoked === undefined)
        .map((decision) => ({ decision, score: likeness(question, decision.question) }))
        .filter(({ score }) => score >= ALIKE);
      // Newest first among equals; what is only said to have been decided comes last.
      const order = (one: (typeof near)[number]) => (one.decision.unverified === undefined ? 1 : 0) + one.score / 2;
      return near
        .reverse()
        .sort((a, b) => order(b) - order(a))
        .slice(0, MOST_ALIKE)
        .map(({ decision }) => decision);
    },
    remember({ at, ...decision }) {
      const id = `d-${newNonce()}`;
      const copy = write({ ...head(id, at), type: 'decided', ...shortened(decision) });
      return { id, ...(copy === undefined ? {} : { copy }) };
    },
    used: (id, { session, inquiry, at }) => void write({ ...head(id, at), type: 'used', session, inquiry }),
    revoke: (id, { at, reason }) => void write({ ...head(id, at), type: 'revoked', ...why(reason) }),
    correct: (id, { at, values, reason }) => void write({ ...head(id, at), type: 'corrected', values, ...why(reason) }),
  };
}

/** A key that cannot be read verifies nothing. */
function knownKey(dir: string): Buffer | undefined {
  try {
    return readKey(join(dir, 'key'));
  } catch {
    return undefined;
  }
}

function counts({ unverified, scope, session: decidedIn }: Remembered, session: string): boolean {
  return unverified === undefined && (scope === 'project' || (scope === 'session' && decidedIn === session));
}

function shortened(
  decision: Omit<ToRemember, 'at'>,
): Omit<Extract<DecisionLine, { type: 'decided' }>, 'v' | 'id' | 'at' | 'project' | 'type'> {
  const { question, values, reason, cites, ...rest } = decision;
  const { id, text, header, options, multi, free_text } = question;
  const isLong = (one: { id: string; label: string }) =>
    one.id.length > LONGEST.label || one.label.length > LONGEST.label;
  const isCut =
    values.some((value) => value.length > LONGEST.value) || options.length > MOST_OPTIONS || options.some(isLong);
  return {
    ...rest,
    question: {
      id: id.slice(0, LONGEST.label),
      text: text.slice(0, LONGEST.text),
      ...(header === undefined ? {} : { header: header.slice(0, LONGEST.label) }),
      options: options.slice(0, MOST_OPTIONS).map((option) => ({
        id: option.id.slice(0, LONGEST.label),
        label: option.label.slice(0, LONGEST.label),
        ...(option.description === undefined ? {} : { description: option.description.slice(0, LONGEST.label) }),
      })),
      multi,
      free_text,
      key: keyOf(question),
    },
    values: values.slice(0, MOST_OPTIONS).map((value) => value.slice(0, LONGEST.value)),
    ...(isCut ? { cut: true as const } : {}),
    ...(reason === undefined ? {} : { reason: reason.slice(0, LONGEST.reason) }),
    ...(cites === undefined
      ? {}
      : {
          cites: cites.slice(0, MOST_CITES).map((cite) => ({
            ...cite,
            name: cite.name.slice(0, LONGEST.label),
            ...(cite.quote === undefined ? {} : { quote: cite.quote.slice(0, LONGEST.quote) }),
          })),
        }),
  };
}
