/** What the desk needs from its host, and what it gives to a door that asks. */
import type {
  Answer,
  By,
  Clock,
  Inquiry,
  InquiryId,
  Presence,
  RuleRef,
  SessionId,
  Verdict,
} from '../contract/index.js';
import type { Journal } from '../journal/journal.js';
import type { Decision } from '../policy/index.js';
import type { Presses } from './presses.js';
import type { StagePorts, Stages } from './stages.js';

export type Draft = Omit<Inquiry, 'id' | 'session' | 'opened_at' | 'deadline_at'>;

/** How an inquiry came out, for the door that raised it. */
export interface Settlement {
  verdict: Verdict;
  reason?: string;
  /** Who answered in the user's place, and why: the agent is told. */
  voice?: string;
}

/** For how long, and for what: an answer that counts, or one that a person may take. */
export interface ConsultHow {
  for: 'answer' | 'suggestion';
  signal: AbortSignal;
  /** Milliseconds since the epoch: the rung’s, or the inquiry’s own. */
  deadlineAt?: number;
}

export type Consulted = Omit<Answer, 'inquiry' | 'scope' | 'proposed'> | { none: string };

export interface DeskPorts {
  session: SessionId;
  journal: Journal;
  clock: Clock;
  /** After the last viewer left, how long an open inquiry still waits for one to come back. */
  graceMs: number;
  /** Keys that reached the agent's terminal. */
  presses: Presses;
  presence(): Promise<Presence>;
  /** `covered`: who allowed the very call whose result this is. */
  route(inquiry: Inquiry, presence: Presence, covered?: By): Promise<Decision>;
  /** What a person answered to the very same thing before the session's host was lost; taken with that. */
  kept?(draft: Draft, decision: Decision): Omit<Answer, 'inquiry'> | undefined;
  /** Whether only a person may answer: the user's setting, else the asker's flag. */
  exclusive(draft: Draft): boolean;
  /**
   * Asks another agent. Contract: resolves, never rejects, at the latest at `deadlineAt`; when `signal` is aborted nobody
   * waits for the answer any more, and whatever it started is ended.
   */
  consult(inquiry: Inquiry, how: ConsultHow): Promise<Consulted>;
  /** Who would be consulted, and for how long at most. */
  consulting: { who: string; ms: number; suggest: boolean };
  /** Why no other agent may be asked about it, not even for a suggestion. */
  never(inquiry: Inquiry): Promise<RuleRef | undefined>;
  /** Carries out what policy decided. */
  stages(ports: StagePorts): Stages;
  /** `allow for this session` was said. */
  grant(inquiry: Inquiry): Promise<unknown>;
  /** Something about the open inquiries changed: opened, deferred, settled, closed. */
  changed(): void;
  /** Denied because nobody was there to ask. */
  deniedUnasked(inquiry: Inquiry, fix: string | undefined): void;
}

export interface Asked {
  id: InquiryId;
  /** Resolves once: settled, or undefined when it was withdrawn. Never rejects. */
  settled: Promise<Settlement | undefined>;
  /** The agent has been told. */
  delivered(): void;
  /**
   * The agent no longer waits. May be called at any time, also after it was settled. `there`: its dialog is gone from the
   * agent's own screen, so it was answered there if somebody pressed a key; the reason counts if nobody did.
   */
  withdraw(reason: string, there?: 'there'): void;
}
