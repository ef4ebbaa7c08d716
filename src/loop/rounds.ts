/**
 * Work that goes round in circles: the same hats hand the same events to each other, and nothing changes. A hand-over is a
 * hat and the topics it published, whatever its words; one that was not seen since the tree last changed is news, and
 * the count begins anew. Outside a git repository the tree is unknown, so only hand-overs with the very same words count.
 */
import type { Current, LoopState, Stall } from './state.js';

/** More kinds of hand-overs than this are no circle: the count begins anew. */
const MOST_KINDS = 30;
const MOST_TOPICS = 5;
const LONGEST_TOPIC = 60;
/** Between what is shown of a hand-over and the sign of its words. */
const WORDS = ' #';

/** After a completed iteration. */
export function roundsNow(stall: Stall, now: { tree: string | undefined; current: Current }): Record<string, number> {
  const { tree, current } = now;
  const before = tree === stall.tree ? (stall.rounds ?? {}) : {};
  if (current.kept.length === 0) return before;
  // Without hats nothing is handed over: events are notes for the next iteration. The very same one over the very same tree
  // is standing still; where the tree is unknown it may well be work.
  const isNote = current.hat === undefined && !current.coordinator;
  if (isNote && tree === undefined) return before;
  const kind = kindOf(current, tree === undefined || isNote);
  const times = before[kind];
  if (times !== undefined) return { ...before, [kind]: times + 1 };
  const known = Object.keys(before);
  const kept = known.length < MOST_KINDS ? known : [];
  return Object.fromEntries([...kept, kind].map((one) => [one, 0]));
}

function kindOf({ hat, coordinator, kept }: Current, withWords: boolean): string {
  const topics = [...new Set(kept.map(({ topic }) => topic))].sort();
  const shown = topics.slice(0, MOST_TOPICS).map((topic) => topic.slice(0, LONGEST_TOPIC));
  const who = hat ?? (coordinator ? 'coordinator' : 'the agent');
  const words = withWords
    ? `${WORDS}${signOf(kept.map(({ topic, payload }) => `${topic} ${payload}`).join('\n'))}`
    : '';
  return `${who} → ${shown.join(', ')}${words}`;
}

/** FNV-1a, 32 bits: the same words have the same sign; others that happen to have it too would have to come in turn. */
function signOf(text: string): string {
  let sign = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sign = Math.imul(sign ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return `${text.length.toString(36)}-${sign.toString(36)}`;
}

/** The hand-overs that went round so often, in words; undefined when none did. */
export function circle({ stall }: LoopState, times: number): string | undefined {
  const rounds = Object.entries(stall.rounds ?? {});
  if (times < 1 || !rounds.some(([, count]) => count >= times)) return undefined;
  const names = rounds.filter(([, count]) => count >= times - 1).map(([kind]) => shownKind(kind));
  return [...new Set(names)].join(', ');
}

const shownKind = (kind: string): string => kind.slice(0, kind.includes(WORDS) ? kind.lastIndexOf(WORDS) : undefined);

/** Whether this is the first to have gone round so often, so that it is said once. */
export function isFirstOf({ stall, last }: LoopState, times: number): boolean {
  const counts = Object.values(stall.rounds ?? {});
  return (
    last?.handedOver === true && Math.max(0, ...counts) === times && counts.filter((c) => c === times).length === 1
  );
}

/** Someone looked at the end it led to and asked for more. */
export function freshStall({ tree }: Stall): Stall {
  return tree === undefined ? { count: 0 } : { tree, count: 0 };
}
