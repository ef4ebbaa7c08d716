/**
 * What happens in all sessions, as it happens. A living host leaves a mark (disk/places.ts), so one watch of one directory
 * tells who comes; each is then followed over one link of its own. Nothing is opened again while nothing changes. Now and
 * then everything is looked at all the same: a host of an older build leaves no mark, a stopped one does not say so, and a
 * system that has no more watches to give must not hide sessions.
 */
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import {
  commonProtocol,
  type Log,
  PROTOCOL,
  protocolInWords,
  ReinsError,
  type SessionRow,
  silentLog,
  type WaitingInquiry,
} from '../contract/index.js';
import { FILES, liveDir, makeDir } from '../disk/index.js';
import { isSession, type Place, placeOf } from '../link/index.js';
import { livingPlaces } from './catalog.js';
import { type SettledHow, WatchedHost, type WatchPeople } from './watched-host.js';
import type { Where } from './where.js';

export type SessionNews =
  /** A session that is new here, or whose row changed. */
  | { type: 'row'; row: SessionRow }
  /** Its host is gone, maybe before anybody met it; what became of it is in its files. */
  | { type: 'gone'; session: string }
  | { type: 'inquiry'; inquiry: WaitingInquiry }
  /** One that waits, and has moved on: another stage, a suggestion. */
  | { type: 'moved'; inquiry: WaitingInquiry }
  /** It no longer waits, whoever or whatever settled it; `end` if its host said so. */
  | { type: 'settled'; inquiry: string; session: string; end?: SettledHow }
  /** Its host lives, but cannot be spoken with: another protocol, another user. */
  | { type: 'barred'; session: string; error: ReinsError }
  /** Whether its host does not answer: what is known of it is old meanwhile. */
  | { type: 'silent'; session: string; silent: boolean }
  /** Everything that was there at the beginning has been told. */
  | { type: 'looked' };

export interface WatchOptions {
  log?: Log;
  signal?: AbortSignal;
  /** For who lets people answer: each host is told when that may have changed, and asks. */
  people?: WatchPeople;
}

const LOOK_MS = 15_000;
/** Each host is asked every so many looks, in turns: hundreds asked at once are a burst for them and for us. */
const LOOKS_AN_ASK = 4;
/** Where the system gives no watch. */
const BLIND_LOOK_MS = 2_000;
/** A mark comes a moment before the host can be found. */
const TRIES_MS = [0, 50, 200, 1_000, 5_000];
const MOST_GONE = 10_000;

interface ToldRow {
  row: string;
  /** Each as it was told. */
  inquiries: Map<string, string>;
  silent: boolean;
}

/** Contract: ends when the signal says so; throws only what the first look throws (STATE_DIR). */
export async function* watchSessions(where: Where, options: WatchOptions = {}): AsyncGenerator<SessionNews, void> {
  const following = new Following(where, options);
  const stop = () => following.close();
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  const told = new Map<string, ToldRow>();
  try {
    await following.begin();
    yield* difference(following, told);
    yield { type: 'looked' };
    while (await following.change()) yield* difference(following, told);
  } finally {
    options.signal?.removeEventListener('abort', stop);
    following.close();
  }
}

/**
 * What is, against what was told: however slow a reader is, nothing heaps up. At one moment: hosts change while it reads. Only
 * of those that said something since: with hundreds of sessions the others cost nothing.
 */
function difference(following: Following, told: Map<string, ToldRow>): SessionNews[] {
  const news: SessionNews[] = [];
  const opened: WaitingInquiry[] = [];
  for (const session of following.takeChanged()) {
    const host = following.hosts.get(session);
    const before = told.get(session) ?? { row: '', inquiries: new Map<string, string>(), silent: false };
    if (!host) {
      const isMissed = following.takeMissed(session);
      if (!told.delete(session) && !isMissed) continue;
      for (const inquiry of before.inquiries.keys()) news.push({ type: 'settled', inquiry, session });
      news.push({ type: 'gone', session });
      continue;
    }
    const { row, inquiries, silent } = host;
    const waiting = new Map(inquiries.map((inquiry) => [inquiry.id as string, JSON.stringify(inquiry)]));
    const now: ToldRow = { row: JSON.stringify(row) ?? '', inquiries: waiting, silent };
    told.set(session, now);
    if (row && now.row !== before.row) news.push({ type: 'row', row });
    if (now.silent !== before.silent) news.push({ type: 'silent', session, silent });
    for (const inquiry of before.inquiries.keys()) {
      const end = host.endOf(inquiry);
      if (!waiting.has(inquiry)) news.push({ type: 'settled', inquiry, session, ...(end ? { end } : {}) });
    }
    for (const inquiry of inquiries) {
      const known = before.inquiries.get(inquiry.id);
      if (known === undefined) opened.push(inquiry);
      else if (known !== waiting.get(inquiry.id)) news.push({ type: 'moved', inquiry });
    }
  }
  for (const [session, error] of following.takeBarred()) news.push({ type: 'barred', session, error });
  opened.sort((a, b) => a.opened_at.localeCompare(b.opened_at));
  for (const inquiry of opened) news.push({ type: 'inquiry', inquiry });
  return news;
}

/** It says so in its file: no need to find out by a link that is cut, again and again. */
function otherProtocol({ host }: Place): ReinsError | undefined {
  if (!host || !Number.isSafeInteger(host.protocol) || commonProtocol(host) !== undefined) return undefined;
  return new ReinsError('PROTOCOL', { theirs: protocolInWords(host), ours: protocolInWords(PROTOCOL) });
}

function journalSize({ dir }: Place): number {
  try {
    return statSync(join(dir, FILES.journal)).size;
  } catch {
    return 0; // none, or nothing that could be read
  }
}

class Following {
  readonly #where: Where;
  readonly #log: Log;
  readonly #people: WatchPeople | undefined;
  #changedHosts = new Set<string>();
  #barred = new Map<string, ReinsError>();
  readonly #missed = new Set<string>();
  /** Of those that were followed and went, how long their journal was then: nothing is news that is not behind it. */
  readonly #wentAt = new Map<string, number>();
  readonly hosts = new Map<string, WatchedHost>();
  /** Hosts that cannot be spoken with, by pid: not asked again. */
  readonly #refused = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #watcher: FSWatcher | undefined;
  #looks = 0;
  #isBlind = false;
  #isClosed = false;
  #isChanged = false;
  #wake: () => void = () => undefined;

  constructor(where: Where, { log = silentLog, people }: WatchOptions) {
    this.#where = where;
    this.#log = log;
    this.#people = people;
  }

  takeChanged(): Set<string> {
    const taken = this.#changedHosts;
    this.#changedHosts = new Set();
    return taken;
  }

  /** Whether it went, also before anything of it was told; true once. */
  takeMissed(id: string): boolean {
    return this.#missed.delete(id);
  }

  takeBarred(): Map<string, ReinsError> {
    const taken = this.#barred;
    this.#barred = new Map();
    return taken;
  }

  async begin(): Promise<void> {
    if (this.#isClosed) return;
    // First the watch, then the look: who comes in between is seen by one of them.
    this.#watch();
    this.#look();
    await Promise.all([...this.hosts.values()].map((host) => host.settled));
    this.#lookAgain();
  }

  /** Resolves when there is something new; with false when it is over. */
  async change(): Promise<boolean> {
    if (!this.#isChanged && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isChanged = false;
    return !this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    this.#watcher?.close();
    for (const timer of this.#timers) clearTimeout(timer);
    for (const host of this.hosts.values()) host.close();
    this.#wake();
  }

  #changed(id: string): void {
    this.#changedHosts.add(id);
    this.#isChanged = true;
    this.#wake();
  }

  #watch(): void {
    const dir = liveDir(this.#where.env);
    this.#watcher?.close();
    try {
      makeDir(dir);
      // A file of that name can be watched too, and would say nothing.
      this.#watcher = watch(`${dir}/.`, (_event, name) => this.#marked(name));
      this.#watcher.on('error', (error) => this.#blind(error));
      this.#isBlind = false;
    } catch (error) {
      this.#blind(error as Error);
    }
  }

  #blind(error: Error): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    if (!this.#isBlind && !this.#isClosed) {
      const facts = { reason: error.message };
      this.#log.log('warn', `hosts cannot announce themselves: looking every ${BLIND_LOOK_MS / 1000} s`, facts);
    }
    this.#isBlind = true;
  }

  #marked(id: string | null): void {
    if (this.#isClosed) return;
    // Removed under us: hosts make it again, but not the one that is watched.
    if (!existsSync(liveDir(this.#where.env))) this.#watch();
    if (id !== null && !this.hosts.has(id)) this.#follow(id, 0);
  }

  /** Tries for a while: what announced itself is on its way. */
  #follow(id: string, tries: number): void {
    this.#after(TRIES_MS[tries]!, () => {
      if (this.hosts.has(id) || !isSession(this.#where.env, id)) return;
      const place = placeOf(this.#where.env, id);
      if (place.alive) this.#add(place);
      else if (tries + 1 < TRIES_MS.length && existsSync(join(liveDir(this.#where.env), id)))
        this.#follow(id, tries + 1);
      else if (this.#wentAt.get(id) !== journalSize(place)) {
        this.#went(place);
        this.#missed.add(id);
        this.#changed(id);
      }
    });
  }

  #add(place: Place): void {
    const { id } = place;
    if (this.#refused.get(id) === place.host?.pid) return;
    const wrong = otherProtocol(place);
    if (wrong) {
      this.#refused.set(id, place.host?.pid ?? 0);
      this.#barred.set(id, wrong);
      this.#log.log('warn', 'a session is of another version', { session: id, reason: wrong.message });
      this.#changed(id);
      return;
    }
    const host = new WatchedHost({
      where: this.#where,
      place,
      people: this.#people,
      changed: () => this.#changed(id),
      gone: (error) => {
        this.hosts.delete(id);
        this.#went(place);
        const isBarred = error?.code === 'PROTOCOL' || error?.code === 'NOT_YOURS';
        if (isBarred) this.#barred.set(id, error);
        else this.#missed.add(id);
        this.#changed(id);
        if (isBarred) this.#refused.set(id, place.host?.pid ?? 0);
        // A link can break while its host lives: that one is reached again.
        else if (error) this.#follow(id, TRIES_MS.indexOf(1_000));
      },
    });
    this.hosts.set(id, host);
    this.#changedHosts.add(id);
  }

  /** It may be continued, and over again before it is met: then there is more in its journal. */
  #went(place: Place): void {
    this.#wentAt.delete(place.id);
    this.#wentAt.set(place.id, journalSize(place));
    if (this.#wentAt.size > MOST_GONE) this.#wentAt.delete(this.#wentAt.keys().next().value!);
  }

  #look(): void {
    for (const place of livingPlaces(this.#where.env, (id) => this.hosts.has(id))) if (place.alive) this.#add(place);
  }

  #lookAgain(): void {
    this.#after(this.#isBlind ? BLIND_LOOK_MS : LOOK_MS, () => {
      if (this.#isBlind || !existsSync(liveDir(this.#where.env))) this.#watch();
      try {
        this.#look();
      } catch (error) {
        this.#log.log('warn', 'sessions cannot be looked at', { reason: (error as Error).message });
      }
      let turn = this.#looks++;
      for (const host of this.hosts.values()) host.look(turn++ % LOOKS_AN_ASK === 0);
      this.#lookAgain();
    });
  }

  #after(ms: number, call: () => void): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      call();
    }, ms);
    this.#timers.add(timer);
  }
}
