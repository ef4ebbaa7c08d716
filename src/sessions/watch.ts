/**
 * What happens in all sessions, as it happens. A living host leaves a mark (disk/places.ts), so one watch of one directory
 * tells who comes; each is then followed over one link of its own. Nothing is opened again while nothing changes. Now and
 * then everything is looked at all the same: a host of an older build leaves no mark, a stopped one does not say so, and a
 * system that has no more watches to give must not hide sessions.
 */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { type Log, type SessionRow, silentLog, type WaitingInquiry } from '../contract/index.js';
import { liveDir, makeDir } from '../disk/index.js';
import { isSession, placeOf } from '../link/index.js';
import { livingPlaces } from './catalog.js';
import { WatchedHost } from './watched-host.js';
import type { Where } from './where.js';

export type SessionNews =
  /** A session that is new here, or whose row changed. */
  | { type: 'row'; row: SessionRow }
  /** Its host is gone; what became of it is in its files. */
  | { type: 'gone'; session: string }
  | { type: 'inquiry'; inquiry: WaitingInquiry }
  /** It no longer waits, whoever or whatever settled it. */
  | { type: 'settled'; inquiry: string }
  /** Whether its host does not answer: what is known of it is old meanwhile. */
  | { type: 'silent'; session: string; silent: boolean }
  /** Everything that was there at the beginning has been told. */
  | { type: 'looked' };

export interface WatchOptions {
  log?: Log;
  signal?: AbortSignal;
}

const LOOK_MS = 15_000;
/** Where the system gives no watch. */
const BLIND_LOOK_MS = 2_000;
/** A mark comes a moment before the host can be found. */
const TRIES_MS = [0, 50, 200, 1_000, 5_000];

interface ToldRow {
  row: string;
  inquiries: Set<string>;
  silent: boolean;
}

/** Contract: ends when the signal says so; throws only what the first look throws (STATE_DIR). */
export async function* watchSessions(where: Where, options: WatchOptions = {}): AsyncGenerator<SessionNews, void> {
  const following = new Following(where, options.log ?? silentLog);
  const stop = () => following.close();
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  const told = new Map<string, ToldRow>();
  try {
    await following.begin();
    yield* difference(following.hosts, told);
    yield { type: 'looked' };
    while (await following.change()) yield* difference(following.hosts, told);
  } finally {
    options.signal?.removeEventListener('abort', stop);
    following.close();
  }
}

/** What is, against what was told: however slow a reader is, nothing heaps up. At one moment: hosts change while it reads. */
function difference(hosts: ReadonlyMap<string, WatchedHost>, told: Map<string, ToldRow>): SessionNews[] {
  const news: SessionNews[] = [];
  const opened: WaitingInquiry[] = [];
  for (const [session, host] of hosts) {
    const { row, inquiries, silent } = host;
    const before = told.get(session) ?? { row: '', inquiries: new Set<string>(), silent: false };
    const now = { row: JSON.stringify(row) ?? '', inquiries: new Set<string>(inquiries.map(({ id }) => id)), silent };
    told.set(session, now);
    if (row && now.row !== before.row) news.push({ type: 'row', row });
    if (now.silent !== before.silent) news.push({ type: 'silent', session, silent });
    for (const inquiry of before.inquiries) if (!now.inquiries.has(inquiry)) news.push({ type: 'settled', inquiry });
    opened.push(...inquiries.filter(({ id }) => !before.inquiries.has(id)));
  }
  for (const [session, { inquiries }] of told) {
    if (hosts.has(session)) continue;
    told.delete(session);
    for (const inquiry of inquiries) news.push({ type: 'settled', inquiry });
    news.push({ type: 'gone', session });
  }
  opened.sort((a, b) => a.opened_at.localeCompare(b.opened_at));
  for (const inquiry of opened) news.push({ type: 'inquiry', inquiry });
  return news;
}

class Following {
  readonly #where: Where;
  readonly #log: Log;
  readonly hosts = new Map<string, WatchedHost>();
  /** Hosts that cannot be spoken with, by pid: not asked again. */
  readonly #refused = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #watcher: FSWatcher | undefined;
  #isBlind = false;
  #isClosed = false;
  #isChanged = false;
  #wake: () => void = () => undefined;

  constructor(where: Where, log: Log) {
    this.#where = where;
    this.#log = log;
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

  #changed(): void {
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
      else if (tries + 1 < TRIES_MS.length) this.#follow(id, tries + 1);
    });
  }

  #add(place: ReturnType<typeof placeOf>): void {
    const { id } = place;
    if (this.#refused.get(id) === place.host?.pid) return;
    const host = new WatchedHost({
      where: this.#where,
      place,
      changed: () => this.#changed(),
      gone: (error) => {
        this.hosts.delete(id);
        this.#changed();
        if (error?.code === 'PROTOCOL' || error?.code === 'NOT_YOURS') this.#refused.set(id, place.host?.pid ?? 0);
        // A link can break while its host lives: that one is reached again.
        else if (error) this.#follow(id, TRIES_MS.indexOf(1_000));
      },
    });
    this.hosts.set(id, host);
  }

  #look(): void {
    for (const place of livingPlaces(this.#where.env)) {
      if (place.alive && !this.hosts.has(place.id)) this.#add(place);
    }
  }

  #lookAgain(): void {
    this.#after(this.#isBlind ? BLIND_LOOK_MS : LOOK_MS, () => {
      if (this.#isBlind || !existsSync(liveDir(this.#where.env))) this.#watch();
      try {
        this.#look();
      } catch (error) {
        this.#log.log('warn', 'sessions cannot be looked at', { reason: (error as Error).message });
      }
      for (const host of this.hosts.values()) host.look();
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
