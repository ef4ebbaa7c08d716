/**
 * The loop's share of the journal. Most entries the loop writes itself (the host appends what `reduce` returns); three
 * it only reads, because the host knows more about them: `session.started`, `agent.ended`, `session.ended`. Journals of
 * before there were `loop.*` entries have the same in notices whose code begins so: they are read, no longer written.
 */
import type { EntryPayload, EntryType } from '../contract/index.js';

/** What only the loop knows. */
export type OwnType = Extract<EntryType, `loop.${string}`>;

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
  | OwnType
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

/** How the note about tags that cannot count begins; the prompt shows the right form with it. */
export const GARBLED = 'No event, by mistake: ';

/** The reason of an accepted event that went to nobody, in journals of before there was a coordinator. */
export const TO_NOBODY = 'no hat is triggered by this topic';

/** The reason of an event that an earlier attempt at the same iteration had already published. */
export const ALREADY_COUNTED = 'published before the interruption already; counted once';
