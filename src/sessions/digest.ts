/**
 * What happened while nobody was there, over all sessions, from their journals alone: whoever counts them another way comes
 * to the same numbers. A journal that was not written to since then is not read.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, EntryType } from '../contract/index.js';
import { answerWords, openDecisions, projectsKnown } from '../decisions/index.js';
import { FILES, stateDir } from '../disk/index.js';
import { journalOf, ofTypes } from '../journal/read.js';
import { type Place, places } from '../link/index.js';

export type { DigestAnswer } from './digest-fold.js';

import { DIGEST_TYPES, type DigestCounts, DigestFold, type SessionDigest } from './digest-fold.js';
import { specOf } from './spec-file.js';
import type { Where } from './where.js';

export interface DigestSession {
  session: string;
  name: string;
  agent: string;
  cwd: string;
  state: 'running' | 'ended';
  /** The session whose agent started it. */
  parent?: string;
  outcome?: string;
  exit_code?: number;
  reason?: string;
  ended_at?: string;
  agents_usd: number;
}

export interface DigestChange {
  decision: string;
  session: string;
  at: string;
  question: string;
  from: string;
  /** Absent: it was revoked. */
  to?: string;
  reason?: string;
}

type DigestLists = Pick<SessionDigest, 'consultant' | 'memory' | 'notifier' | 'settled' | 'denied' | 'open' | 'notes'>;

export interface Digest extends DigestLists {
  since: string;
  until: string;
  /** Why since then. */
  because: string;
  counts: DigestCounts & { sessions: number; ended: number; running: number; open: number; corrections: number };
  overruled: SessionDigest['overruledBy'];
  sessions: DigestSession[];
  corrections: DigestChange[];
  /** The line that would let the consultant answer what its suggestions were good for. */
  offer?: string;
  /** Journals that could not be read, and why. */
  unread: { session: string; reason: string }[];
}

/** Nobody is away for less. */
const AWAY_MS = 30 * 60_000;
const DAY_MS = 24 * 3_600_000;
/** As far as somebody is looked for. */
const LOOK_BACK_MS = 7 * DAY_MS;
const MOST = 500;

/** `since` absent: since the person was last there. */
export function digestOf(where: Pick<Where, 'env'>, asked: { since?: number; now: number }): Digest {
  const { now } = asked;
  const all = places(where.env).filter((place) => !place.barred);
  const from = asked.since === undefined ? lastThere(all, now) : { since: asked.since, because: 'as you asked' };
  const found: { place: Place; digest: SessionDigest }[] = [];
  const unread: Digest['unread'] = [];
  for (const place of all) {
    if (!place.alive && !(writtenAt(place) > from.since)) continue;
    const fold = new DigestFold({ session: place.id, since: from.since, until: now });
    try {
      for (const entry of entriesOf(place, DIGEST_TYPES)) fold.entry(entry);
      const digest = fold.digest();
      // What was open when its host died, or was never closed, waits for nobody any more.
      found.push({ place, digest: place.alive || place.host ? digest : { ...digest, open: [] } });
    } catch (error) {
      unread.push({ session: place.id, reason: (error as Error).message });
    }
  }
  return { ...put(found, changesIn(where, from.since, now)), ...stamped(from, now), unread };
}

const stamped = ({ since, because }: { since: number; because: string }, now: number) => ({
  since: new Date(since).toISOString(),
  until: new Date(now).toISOString(),
  because,
});

const fileOf = (place: Place): string => join(place.dir, FILES.journal);
const writtenAt = (place: Place): number => lstatSync(fileOf(place), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const entriesOf = <T extends EntryType>(place: Place, types: readonly T[]): Iterable<Entry<T>> =>
  ofTypes(journalOf(fileOf(place)), types);

function put(
  found: { place: Place; digest: SessionDigest }[],
  corrections: DigestChange[],
): Omit<Digest, 'since' | 'until' | 'because' | 'unread'> {
  const digests = found.map(({ digest }) => digest);
  const sum = (of: (digest: SessionDigest) => number) => digests.reduce((all, one) => all + of(one), 0);
  const kinds = (of: (digest: SessionDigest) => Record<string, number>) => {
    const all: Record<string, number> = {};
    for (const one of digests)
      for (const [kind, count] of Object.entries(of(one))) all[kind] = (all[kind] ?? 0) + count;
    return all;
  };
  const list = <T extends { at: string }>(of: (digest: SessionDigest) => T[]): T[] =>
    digests
      .flatMap(of)
      .sort((a, b) => a.at.localeCompare(b.at))
      .slice(-MOST);
  const sessions = found.map(({ place, digest }) => sessionRow(place, digest));
  const open = digests.flatMap((one) => one.open).sort((a, b) => a.since.localeCompare(b.since));
  const suggestions = {
    made: sum((one) => one.suggestions.made),
    taken: sum((one) => one.suggestions.taken),
    not_taken: sum((one) => one.suggestions.not_taken),
  };
  const answers = {
    taken: sum((one) => one.suggestedAnswers.taken),
    not_taken: sum((one) => one.suggestedAnswers.not_taken),
  };
  return {
    counts: {
      sessions: sessions.length,
      ended: sessions.filter(({ ended_at }) => ended_at !== undefined).length,
      running: sessions.filter(({ state }) => state === 'running').length,
      inquiries: sum((one) => one.inquiries),
      answered: kinds((one) => one.answered),
      denied_unasked: sum((one) => one.denied_unasked),
      open: open.length,
      consultations: kinds((one) => one.consultations),
      suggestions,
      overruled: sum((one) => one.overruled),
      corrections: corrections.length,
      agents_usd: rounded(sum((one) => one.agents_usd)),
      consultations_usd: rounded(sum((one) => one.consultations_usd)),
    },
    consultant: list((one) => one.consultant),
    overruled: list((one) => one.overruledBy),
    memory: list((one) => one.memory),
    notifier: list((one) => one.notifier),
    settled: list((one) => one.settled),
    denied: together(digests.flatMap((one) => one.denied)),
    open: open.slice(0, MOST),
    notes: list((one) => one.notes),
    sessions: sessions.slice(0, MOST),
    corrections: corrections.slice(-MOST),
    // Taken nearly always: it may as well answer.
    ...(answers.taken >= 3 && answers.taken >= 4 * answers.not_taken
      ? { offer: 'tools.defaults.detached.question=auto' }
      : {}),
  };
}

/** Sums of cents, without the dust of binary fractions. */
const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6;

function together(all: SessionDigest['denied']): SessionDigest['denied'] {
  const found = new Map<string, SessionDigest['denied'][number]>();
  for (const { what, count, allow } of all) {
    const key = `${what}\n${allow ?? ''}`;
    const had = found.get(key);
    if (had) had.count += count;
    else found.set(key, { what, count, ...(allow === undefined ? {} : { allow }) });
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, MOST);
}

function sessionRow(place: Place, { ended, agents_usd }: SessionDigest): DigestSession {
  const spec = specOf(place);
  return {
    session: place.id,
    name: spec?.name ?? place.id,
    agent: spec?.agent?.adapter ?? spec?.exec?.argv[0] ?? '?',
    cwd: spec?.cwd ?? '?',
    state: place.alive ? 'running' : 'ended',
    ...(spec?.parent === undefined ? {} : { parent: spec.parent }),
    ...(ended ? { outcome: ended.outcome, exit_code: ended.exit_code, reason: ended.reason, ended_at: ended.at } : {}),
    agents_usd: rounded(agents_usd),
  };
}

/** What a person said later of decisions, in all projects. */
function changesIn({ env }: Pick<Where, 'env'>, since: number, until: number): DigestChange[] {
  const within = (at: string | undefined) => at !== undefined && Date.parse(at) > since && Date.parse(at) <= until;
  const dir = stateDir(env);
  return projectsKnown(dir)
    .flatMap((project) => openDecisions({ stateDir: dir, project }).list())
    .filter(({ unverified }) => unverified === undefined)
    .flatMap(({ id, session, question, values, correction, revoked }) => {
      const about = { decision: id, session, question: question.text, from: answerWords(question, values).join(', ') };
      const why = (reason: string | undefined) => (reason === undefined ? {} : { reason });
      return [
        ...(correction && within(correction.at)
          ? [
              {
                ...about,
                at: correction.at,
                to: answerWords(question, correction.values).join(', '),
                ...why(correction.reason),
              },
            ]
          : []),
        ...(revoked && within(revoked.at) ? [{ ...about, at: revoked.at, ...why(revoked.reason) }] : []),
      ];
    })
    .sort((a, b) => a.at.localeCompare(b.at));
}

const SIGNS = ['session.started', 'viewer.attached', 'viewer.left', 'input.sent', 'inquiry.answered'] as const;

/** Something that a person did: came, left, typed, answered, started something. */
function isSign(entry: Entry<(typeof SIGNS)[number]>): boolean {
  switch (entry.type) {
    case 'session.started':
      return entry.data.presence?.present === true;
    case 'viewer.attached':
      return entry.data.role === 'driver' && entry.data.who?.kind !== 'program';
    case 'viewer.left':
      return entry.data.how === 'detached';
    case 'input.sent':
      return entry.data.by === 'human';
    case 'inquiry.answered':
      return entry.data.answer.by.kind === 'viewer' && entry.data.answer.by.who?.kind !== 'program';
  }
}

/** The beginning of the last time in which a person did nothing anywhere for half an hour or more. */
function lastThere(all: Place[], now: number): { since: number; because: string } {
  const signs = new Set<number>();
  for (const place of all) {
    if (!place.alive && writtenAt(place) < now - LOOK_BACK_MS) continue;
    try {
      for (const entry of entriesOf(place, SIGNS))
        if (isSign(entry)) signs.add(Math.floor(Date.parse(entry.ts) / 60_000));
    } catch {
      // It is told of below, as one that could not be read.
    }
  }
  return awaySince(
    [...signs].map((minute) => minute * 60_000),
    now,
  );
}

export function awaySince(signs: number[], now: number): { since: number; because: string } {
  const before = signs.filter((at) => at <= now && at > now - LOOK_BACK_MS).sort((a, b) => b - a);
  let later = now;
  for (const at of before) {
    if (later - at >= AWAY_MS) return { since: at, because: 'since you were last there' };
    later = at;
  }
  return {
    since: now - DAY_MS,
    because: before.length === 0 ? 'the last day: nobody was seen' : 'the last day: you were not away',
  };
}
