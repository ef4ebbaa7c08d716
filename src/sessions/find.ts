/**
 * The sessions of this machine as whoever looks sees them: found by id, unique beginning of an id, or name; asked
 * for their state when their host lives, read from their files when it does not.
 */
import { join } from 'node:path';
import {
  type CommandName,
  type CommandResult,
  DEFAULT_NAMESPACE,
  type GivenArgs,
  ReinsError,
  type Right,
  type SessionRow,
} from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { readJournalTail } from '../journal/read.js';
import {
  connectHost,
  HostClient,
  type Incoming,
  isSession,
  type Place,
  placeOf,
  places,
  sessionNames,
} from '../link/index.js';
import { statOf } from '../proc/index.js';
import { type Catalog, catalog, livingPlaces } from './catalog.js';
import { writtenRow } from './row-file.js';
import { readSpec, specOf } from './spec-file.js';
import type { Where } from './where.js';

/** Contract: throws NO_SUCH_SESSION or SESSION_AMBIGUOUS, never guesses. */
export function findSession(where: Where, wanted: string): Place {
  if (isSession(where.env, wanted)) return placeOf(where.env, wanted);
  const { looked, ended } = catalog(where.env);
  const named = looked.filter((place) => specOf(place)?.name === wanted);
  const living = named.filter((place) => place.alive).map(({ id }) => id);
  const matches = living.length > 0 ? living : ofName(where, wanted, { looked: named, ended });
  if (matches.length === 0 && wanted.length >= 2)
    matches.push(...sessionNames(where.env).filter((id) => id.startsWith(wanted)));
  if (matches.length === 1) return placeOf(where.env, matches[0]!);
  if (matches.length === 0) throw new ReinsError('NO_SUCH_SESSION', { session: wanted });
  throw new ReinsError('SESSION_AMBIGUOUS', { session: wanted, matches: someOf(matches) });
}

/** Ended ones, newest first. The list may be wrong about those it names, so each is looked at: as many as are told. */
function ofName(where: Where, wanted: string, { looked, ended }: Catalog): string[] {
  const listed = ended.named(wanted);
  const sure = listed.slice(0, MOST_MATCHES).filter((id) => specOf(placeOf(where.env, id))?.name === wanted);
  return [...looked.map(({ id }) => id), ...sure, ...listed.slice(MOST_MATCHES)];
}

const MOST_MATCHES = 10;

const someOf = (ids: string[]): string =>
  ids.length <= MOST_MATCHES
    ? ids.join(', ')
    : `${ids.slice(0, MOST_MATCHES).join(', ')} and ${ids.length - MOST_MATCHES} more`;

/** With less than the user's own right, and for a paired device: what it does is done by that. */
export interface LinkAs {
  may?: Right | undefined;
  device?: string | undefined;
}

export async function connectTo(
  where: Where,
  place: Place,
  incoming?: Incoming,
  as: Right | LinkAs = {},
): Promise<HostClient> {
  if (!place.alive) throw new ReinsError('SESSION_ENDED', { session: place.id });
  const link = await connectHost(place).catch((error: unknown) => {
    // One that ended in order takes its host file with it; this one died since we looked.
    const isDead = (error as ReinsError).code === 'SESSION_ENDED' && placeOf(where.env, place.id).host !== undefined;
    throw isDead ? new ReinsError('HOST_LOST', { session: place.id, reason: DIED }) : error;
  });
  const { starter } = place;
  const { may, device } = typeof as === 'string' ? { may: as } : { device: undefined, ...as };
  const one = { link, session: place.id, version: where.version, starter, may, device };
  return new HostClient({ ...one, ...(incoming ? { incoming } : {}) });
}

export const DIED = 'it died';
export const SILENT_DETAIL = 'its host does not answer';

/** A host greets whoever connects, whatever it is busy with; one that does not within this time is stopped or stuck. */
export const GREETING_MS = 3_000;

/** A stopped process says nothing however long one waits. */
export const isStopped = (place: Place): boolean => /^[Tt]$/.test(statOf(place.host?.pid ?? 0)?.state ?? '');

/** One command to one living session; the link is closed again. */
export const tell = <K extends CommandName>(
  where: Where,
  place: Place,
  name: K,
  ...args: GivenArgs<K>
): Promise<CommandResult<K>> => tellAs(where, place, {}, name, ...args);

/** The same with less than the user's own right, for a paired device. */
export async function tellAs<K extends CommandName>(
  where: Where,
  place: Place,
  as: LinkAs,
  name: K,
  ...args: GivenArgs<K>
): Promise<CommandResult<K>> {
  const silent = () => new ReinsError('HOST_SILENT', { session: place.id });
  if (place.alive && isStopped(place)) throw silent();
  const client = await connectTo(where, place, undefined, as);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      if (!client.greeted) reject(silent());
    }, GREETING_MS);
  });
  try {
    // Stopping takes its time; a host that stops answering meanwhile must not take it for ever.
    const told = name === 'stop' ? client.insist(name, ...args) : client.command(name, ...args);
    return await Promise.race([told, late]);
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

export async function rowOf(where: Where, place: Place): Promise<SessionRow | undefined> {
  const written = writtenRow(place);
  if (written) return { ...written, ...reinsOf(place) };
  if (place.alive) {
    try {
      // A host of an older build does not say it itself.
      return { ...(await tell(where, place, 'summary')), ...reinsOf(place) };
    } catch (error) {
      if (!(error instanceof ReinsError) || error.code === 'BUG') throw error;
      if (error.code === 'HOST_SILENT') return rowFromFiles(place, SILENT_DETAIL);
      if (error.code === 'NOT_YOURS' || error.code === 'PROTOCOL') throw error;
      // It ended between the look and the question: its files tell the rest.
    }
  }
  const row = endedRow(place);
  if (!row) return undefined;
  // Only for who looks at the dead: whoever starts or reaches a session needs none of it.
  const { leftOf } = await import('./sweep.js');
  const left = await leftOf(where, place);
  if (left > 0) return { ...row, left };
  if (!place.alive && place.host) await (await import('./lost-end.js')).settleLost(where, place);
  return row;
}

/** Alive, but stopped, stuck or of another version: what its files say, and that. One such host must not hide the others. */
export function rowFromFiles(place: Place, detail: string): SessionRow | undefined {
  const row = endedRow(place);
  if (!row) return undefined;
  const { ended_at: _, outcome: __, exit_code: ___, ...rest } = row;
  const said = readJournalTail(join(place.dir, FILES.journal)).findLast(({ type }) => type === 'state.changed');
  const state = said?.type === 'state.changed' ? said.data.state : 'working';
  return { ...rest, state, pid: place.host?.pid ?? null, detail };
}

function endedRow(place: Place): SessionRow | undefined {
  const spec = specOf(place);
  if (!spec) return undefined;
  const tail = readJournalTail(join(place.dir, FILES.journal));
  // A continued session has ended before: only the end of its latest start counts.
  const last = tail.findLast(({ type }) => type === 'session.ended' || type === 'session.started');
  const iteration = tail.findLast((entry) => entry.type === 'iteration.started');
  // One that died left its host file behind. One that left in order has said its end, to a disk that did not take it.
  const lost = last && !place.host ? 'its end could not be written down' : 'its host died';
  return {
    id: spec.id,
    name: spec.name,
    ...reinsOf(place, spec),
    agent: spec.agent?.adapter ?? spec.exec?.argv[0] ?? '?',
    ...(spec.agent?.version === undefined ? {} : { agent_version: spec.agent.version }),
    ...(spec.agent?.note === undefined ? {} : { agent_note: spec.agent.note }),
    mode: spec.mode,
    trust: spec.trust,
    state: 'ended',
    cwd: spec.cwd,
    ...(spec.worktree === undefined ? {} : { worktree: spec.worktree.name }),
    ...(spec.parent === undefined ? {} : { parent: spec.parent }),
    ...(spec.namespace === undefined ? {} : { namespace: spec.namespace }),
    pid: null,
    started_at: spec.created_at,
    inquiries: 0,
    viewers: 0,
    ...(iteration?.type === 'iteration.started' ? { iteration: iteration.data.iteration } : {}),
    ...(last?.type === 'session.ended'
      ? {
          ended_at: last.ts,
          outcome: last.data.outcome,
          exit_code: last.data.exit_code,
          detail: last.data.reason,
          ...cost(last.data.counts.cost_usd),
        }
      : { ...(tail.at(-1) ? { ended_at: tail.at(-1)!.ts } : {}), outcome: 'failed', detail: lost }),
  };
}

/** Its host knows best; when that is gone, who started it said. */
const reinsOf = ({ host }: Place, spec?: { reins: string }) => {
  const version = host?.version ?? spec?.reins;
  return typeof version === 'string' ? { reins: version } : {};
};

const cost = (usd: number | undefined) => (usd === undefined ? {} : { cost_usd: usd });

export interface Listed {
  rows: SessionRow[];
  /** Directories that are no sessions one could show, and what is wrong with each. */
  odd: { id: string; wrong: string }[];
}

/** All sessions, newest first. One that nobody holds and that still works is not over to whoever looks. */
export async function listed(where: Where, which: { ended: boolean }): Promise<Listed> {
  const wanted = which.ended ? places(where.env) : livingPlaces(where.env);
  const odd: Listed['odd'] = [];
  const found = await Promise.all(
    wanted.map(async (place) => {
      try {
        const read = place.alive ? undefined : readSpec(place);
        if (read && 'wrong' in read) odd.push({ id: place.id, wrong: read.wrong });
        else return await rowOf(where, place);
      } catch (error) {
        odd.push({ id: place.id, wrong: (error as Error).message });
      }
      return undefined;
    }),
  );
  const rows = found
    .filter((row) => row !== undefined)
    .filter((row) => which.ended || row.state !== 'ended' || row.left !== undefined)
    .sort((a, b) => b.started_at.localeCompare(a.started_at));
  return { rows, odd };
}

/**
 * A name that means one session of its namespace: what was asked for, or the usual one with a number where that is taken. Ended
 * sessions give theirs away; who asks for a name that is in use is told so. Of other namespaces neither word nor number tells.
 */
export function freeName(
  { env }: Pick<Where, 'env'>,
  {
    asked,
    usual,
    namespace = DEFAULT_NAMESPACE,
  }: { asked?: string | undefined; usual: string; namespace?: string | undefined },
): string {
  const specs = livingPlaces(env).flatMap((place) => (place.alive ? (specOf(place) ?? []) : []));
  const beside = specs.filter((one) => (one.namespace ?? DEFAULT_NAMESPACE) === namespace);
  const used = new Set(beside.map(({ name }) => name));
  if (asked !== undefined) {
    if (!used.has(asked)) return asked;
    throw new ReinsError('USAGE', {
      problem: `a session called ${asked} is running`,
      fix: `choose another --name, or see it: reins attach ${asked}`,
    });
  }
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? usual : `${usual}-${count}`;
    if (!used.has(name)) return name;
  }
}
