/** One decision: an answer to a question, with its origin. The word `Decision` itself is policy's. */
import type { By, Cite, Question } from '../contract/index.js';

/** As much of a question as is kept; `key` is of the whole of it. */
export interface DecidedQuestion extends Pick<Question, 'id' | 'text' | 'header' | 'options' | 'multi' | 'free_text'> {
  key: string;
}

/** What a person said later: it stands in the place of the answer. */
export interface Correction {
  at: string;
  values: string[];
  reason?: string;
}

export interface Remembered {
  id: string;
  at: string;
  project: string;
  session: string;
  inquiry: string;
  /** The tool it was asked with, for the line of config that would answer it. */
  tool?: string;
  question: DecidedQuestion;
  /** Option ids; a text of one's own last. */
  values: string[];
  /** An answer that was too long to be kept whole answers nothing again. */
  cut?: true;
  by: By;
  model?: string;
  confidence?: number;
  cites?: Cite[];
  reason?: string;
  /** Where it counts again: nowhere, in its session, in the whole project. */
  scope: 'once' | 'session' | 'project';
  /** Proves that we wrote it, for this project. */
  mark: string;
  /** Why it decides nothing: it is shown, and no more. Absent: it is on record here, under our mark. */
  unverified?: string;
  revoked?: { at: string; reason?: string };
  correction?: Correction;
  /** How often it answered again, when last, and in which sessions (the last few). */
  used?: { times: number; last: string; sessions: string[] };
}

export type ToRemember = Pick<Remembered, 'session' | 'inquiry' | 'values' | 'by' | 'scope'> &
  Partial<Pick<Remembered, 'tool' | 'model' | 'confidence' | 'cites' | 'reason'>> & {
    at: number;
    question: Pick<Question, 'id' | 'text' | 'header' | 'options' | 'multi' | 'free_text'>;
  };

/** The lines of the file. All but the first are about a decision that stands before them. */
export type DecisionLine = { v: 1; id: string; at: string; project: string } & (
  | ({ type: 'decided' } & Omit<
      Remembered,
      'id' | 'at' | 'project' | 'mark' | 'unverified' | 'revoked' | 'correction' | 'used'
    >)
  | { type: 'used'; session: string; inquiry: string }
  | { type: 'revoked'; reason?: string }
  | { type: 'corrected'; values: string[]; reason?: string }
);
