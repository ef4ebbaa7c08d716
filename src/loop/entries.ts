/**
 * The loop's share of the journal. Most entries the loop writes itself (the host appends what `reduce` returns); three
 * it only reads, because the host knows more about them: `session.started`, `agent.ended`, `session.ended`. What has no
 * entry type of its own travels as a notice whose code begins with `loop.`: readable for people, exact for `fold`.
 */
import type { EntryPayload, EntryType } from '../contract/index.js';

type LoopEntryType = Extract<
  EntryType,
  | 'session.started'
  | 'session.ended'
  | 'agent.ended'
  | 'iteration.started'
  | 'iteration.ended'
  | 'hat.worn'
  | 'event.published'
  | 'gate.ran'
  | 'guidance.given'
  | 'state.changed'
  | 'notice'
>;

/** An entry before the journal gave it a `seq`: `at` is its time in milliseconds. */
export type LoopEntry<T extends LoopEntryType = LoopEntryType> = {
  [K in T]: { type: K; data: LoopData<K>; at: number };
}[T];

/** Of what the host writes, only the part the loop reads. */
type LoopData<K extends LoopEntryType> = K extends 'session.started'
  ? { continues?: boolean | undefined }
  : K extends 'session.ended'
    ? Pick<EntryPayload<'session.ended'>, 'outcome' | 'exit_code' | 'reason'>
    : K extends 'agent.ended'
      ? Pick<EntryPayload<'agent.ended'>, 'cost_usd' | 'input_tokens' | 'output_tokens'>
      : EntryPayload<K>;

const HOST_WRITES = ['session.started', 'agent.ended', 'session.ended'] as const;
type HostWrites = (typeof HOST_WRITES)[number];

/** What the host appends to the journal on the loop's behalf, in order, before it carries out the effects. */
export type OwnEntry = LoopEntry<Exclude<LoopEntryType, HostWrites>>;

export function isOwn(entry: LoopEntry): entry is OwnEntry {
  return !(HOST_WRITES as readonly string[]).includes(entry.type);
}

export type NoticeCode =
  | 'loop.wait'
  | 'loop.parked'
  | 'loop.resumed'
  | 'loop.stopping'
  | 'loop.claim'
  | 'loop.gates'
  | 'loop.limited'
  | 'loop.dropped'
  | 'loop.denied'
  | 'loop.stall';

export interface NoticeDraft {
  code: NoticeCode;
  level: 'info' | 'warn';
  text: string;
  facts?: Record<string, unknown>;
}

/** The reason of an event that an earlier attempt at the same iteration had already published. */
export const ALREADY_COUNTED = 'published before the interruption already; counted once';
