/**
 * What a session goes on with differently, in words that fit on a line: `max_iterations 100 → 200`. Values that are long, or
 * may be secret, are not repeated: that they changed is. Pure.
 */
import type { Config } from '../config/index.js';
import type { Change } from '../contract/index.js';
import type { SessionRule, SessionSpec } from '../host/index.js';

/** Longer values are named, not shown. */
const LONGEST_VALUE = 40;
const MOST_CHANGES = 50;

type Compared = Pick<SessionSpec, 'config' | 'rules' | 'trust' | 'timeout_secs' | 'idle_timeout_secs' | 'once'> &
  Pick<SessionSpec, 'agent' | 'agent_args' | 'sources' | 'said'>;

export function changesOf(old: Compared, now: Compared, how: { newPrompt: boolean }): Change[] {
  const changes = [
    ...(how.newPrompt ? [{ what: 'a new prompt' }] : []),
    ...value('agent', old.agent?.adapter, now.agent?.adapter),
    ...value('trust', old.trust, now.trust),
    ...value('once', old.once, now.once),
    ...value('timeout', old.timeout_secs, now.timeout_secs),
    ...value('idle_timeout', old.idle_timeout_secs, now.idle_timeout_secs),
    ...(same(old.agent_args, now.agent_args) ? [] : [{ what: 'the agent’s arguments' }]),
    ...value('config file', old.said?.file?.path, now.said?.file?.path),
    ...configChanges(old, now),
    ...ruleChanges(old.rules, now.rules),
  ];
  const more = changes.length - MOST_CHANGES;
  return more > 0 ? [...changes.slice(0, MOST_CHANGES), { what: `and ${more} more` }] : changes;
}

/** Told by words of their own above. */
const OTHERWISE = /^(trust|rules\b.*|cli\.(backend|idle_timeout_secs)|event_loop\.prompt(_file)?)$/;
/** May hold keys; of the rest nobody reads the whole on one line. */
const QUIET = /^(adapters\.[^.]+\.env|notify\.webhooks|hub)\b/;

function configChanges(old: Compared, now: Compared): Change[] {
  const [before, after] = [leavesOf(old.config), leavesOf(now.config)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => !OTHERWISE.test(key));
  const gone = (hats: Config['hats'], others: Config['hats']) =>
    Object.keys(hats).filter((id) => !Object.hasOwn(others, id));
  const [added, removed] = [gone(now.config.hats, old.config.hats), gone(old.config.hats, now.config.hats)];
  const inHat = (key: string) => [...added, ...removed].some((id) => key.startsWith(`hats.${id}.`));
  return [
    ...added.map((id) => ({ what: `a new hat ${id}` })),
    ...removed.map((id) => ({ what: `without hat ${id}` })),
    ...keys.flatMap((key) => {
      const [from, to] = [before.get(key), after.get(key)];
      // A key that an older build did not know has its default now: nobody said so.
      const isNews = from !== undefined || (now.sources[key] !== undefined && now.sources[key] !== 'default');
      if (same(from, to) || inHat(key) || !isNews) return [];
      return value(key.replace(/^event_loop\./, ''), QUIET.test(key) ? {} : from, QUIET.test(key) ? [] : to);
    }),
  ];
}

function ruleChanges(old: SessionRule[], now: SessionRule[]): Change[] {
  const named = ({ effect, text }: SessionRule) => `rules.${effect} ${text}`;
  const [before, after] = [new Set(old.map(named)), new Set(now.map(named))];
  return [
    ...[...after].filter((rule) => !before.has(rule)).map((rule) => ({ what: `with ${rule}` })),
    ...[...before].filter((rule) => !after.has(rule)).map((rule) => ({ what: `without ${rule}` })),
  ];
}

function value(what: string, from: unknown, to: unknown): Change[] {
  if (same(from, to)) return [];
  const [was, is] = [shown(from), shown(to)];
  return [was === undefined || is === undefined ? { what: `another ${what}` } : { what, from: was, to: is }];
}

/** A value that may be shown beside its key; undefined: too long, or nobody's to read. */
export const shownAt = (key: string, given: unknown): string | undefined =>
  QUIET.test(key) ? undefined : shown(given);

function shown(given: unknown): string | undefined {
  if (given === undefined) return 'none';
  if (typeof given === 'object' && given !== null) return undefined;
  const text = String(given);
  return text.length > LONGEST_VALUE || text.includes('\n') ? undefined : text;
}

/** Dotted key → value; a list is one value. */
export function leavesOf(tree: object, path: string[] = []): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, inner] of Object.entries(tree)) {
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      for (const [deep, leaf] of leavesOf(inner, [...path, key])) found.set(deep, leaf);
    } else if (inner !== undefined) found.set([...path, key].join('.'), inner);
  }
  return found;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
