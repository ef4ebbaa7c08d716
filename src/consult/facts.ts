/** What a consultant is to be told, gathered by the host; and what becomes of it. */
import type { Inquiry } from '../contract/index.js';

export interface PackMessage {
  by: 'agent' | 'user';
  text: string;
  /** Only the agent's own record says that the user said it. */
  unverified?: boolean;
}

export interface PackFile {
  /** As the question or the config names it. */
  name: string;
  text: string;
  /** Named in `consult.context`; else by the question. */
  context: boolean;
  /** The asking agent changed it in this session. */
  changed?: boolean;
  /** There is more of it than this. */
  cut?: boolean;
}

export interface PackDecision {
  id: string;
  text: string;
  /** Brought by the repository, or edited: nobody vouches for it. */
  unverified?: boolean;
}

export interface PackFacts {
  inquiry: Inquiry;
  /** The task, in the user's own words unless `byAgent`. */
  goal?: string;
  /** The task may be the words of an agent: one that started this session, or changed the file it is from. */
  byAgent?: boolean;
  /** Before the question was asked, oldest first. */
  messages: PackMessage[];
  /** What became of the working tree, in lines. */
  changes?: string;
  files: PackFile[];
  decisions: PackDecision[];
  /** What was looked for and is not shown, with the reason. */
  leftOut?: string[];
  /** Takes secrets out of a text: of everything that is shown, after it was made plain and before it is cut. */
  hide?: (text: string) => string;
  /** `consult.free_text`. */
  freeText: boolean;
  for: 'answer' | 'suggestion';
}

export interface PackSource {
  /** S1, S2, …: what cites name. */
  id: string;
  kind: 'goal' | 'message' | 'changes' | 'file' | 'context' | 'decision';
  name: string;
  /** As it is shown. */
  text: string;
  /** The asking agent wrote or changed it in this session: it proves little. */
  changed?: true;
  unverified?: true;
}

export interface Pack {
  prompt: string;
  /** Of the prompt. */
  digest: string;
  bytes: number;
  sources: PackSource[];
  /** What is not in it, or not whole. */
  leftOut: string[];
  /** Why nobody is to be asked; then there is no prompt, and no answer is one. */
  refused?: string;
}

/** An answer could rest on it: neither the asking agent's own work nor something nobody vouches for. */
export const proves = (source: Pick<PackSource, 'changed' | 'unverified'>): boolean =>
  !source.changed && !source.unverified;
