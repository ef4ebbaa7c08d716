/**
 * What all sessions of this machine are now, as pages are shown it: rows, cards, who is silent. One watcher for all pages; kept
 * in memory and made anew at every start, because the hosts and the files are the truth.
 */

import type { Log } from '../contract/index.js';
import { type LostInquiry, type ReinsError, type SessionRow, sessionOf } from '../contract/index.js';
import type { Card, DeviceScope, PageDown } from '../contract/page.js';
import { isSession, placeOf } from '../link/index.js';
import {
  endedRows,
  livingPlaces,
  lostInquiries,
  lostOf,
  rowFromFiles,
  rowOf,
  type SessionNews,
  settledBefore,
  type WatchPeople,
  type Where,
  watchSessions,
} from '../sessions/index.js';
import { inScope, shownRow } from './scope.js';

export type PictureNews = Extract<PageDown, { t: 'row' | 'forgotten' | 'silent' | 'card' | 'settled' }>;

export interface WatchingPorts {
  where: Where;
  log: Log;
  people: WatchPeople;
  /** Contract: never rejects. */
  cardOf(inquiry: LostInquiry, row: SessionRow | undefined): Promise<Card>;
}

/** Ended sessions that are at hand; older ones are asked for. */
export const MOST_ENDED = 200;

/** A card is made in milliseconds; who asks for one that is not done by then is told there is none. */
const CARD_WAIT_MS = 2_000;

/** A link is cut a moment before the host it led to is gone. */
const DYING_MS = 300;

/** What dies and what is kept elsewhere says nothing of it: looked at now and then. */
const LOOK_MS = 5_000;

export class Watching {
  readonly #ports: WatchingPorts;
  readonly rows = new Map<string, SessionRow>();
  readonly cards = new Map<string, Card>();
  /** Since when. */
  readonly silent = new Map<string, string>();
  readonly #listeners = new Set<(news: PictureNews) => void>();
  /** Sessions whose host is linked, and so alive: their files need not be looked at. */
  readonly #followed = new Set<string>();
  readonly #ending = new AbortController();
  /** Cards that are being made: only the newest wish for one counts. */
  readonly #making = new Map<string, object>();
  /** Their link is over, and whether they are is not known yet. */
  readonly #dying = new Set<string>();
  #look: NodeJS.Timeout | undefined;
  /** Everything that was there at the beginning is in the picture. */
  readonly ready: Promise<void>;
  readonly #done: Promise<void>;

  constructor(ports: WatchingPorts) {
    this.#ports = ports;
    let looked: () => void = () => undefined;
    this.ready = new Promise((resolve) => {
      looked = resolve;
    });
    this.#done = this.#run(looked).catch((error: Error) => {
      ports.log.log('error', 'sessions are no longer watched', { reason: error.message });
      looked();
    });
  }

  /** What a device sees of it. */
  seenBy(device: DeviceScope): { rows: SessionRow[]; cards: Card[] } {
    const seenRows = [...this.rows.values()].filter((row) => inScope(device, row));
    const rows = seenRows.map((row) => shownRow(this.#ports.where, device, row));
    const seen = new Set<string>(rows.map(({ id }) => id));
    return { rows, cards: [...this.cards.values()].filter(({ inquiry }) => seen.has(inquiry.session)) };
  }

  /** Also one that is being made. */
  async card(inquiry: string): Promise<Card | undefined> {
    for (const end = Date.now() + CARD_WAIT_MS; this.#making.has(inquiry) && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 20));
    return this.cards.get(inquiry);
  }

  /** An inquiry was answered: its card goes when the host tells of it. Whoever answered must not find it here afterwards. */
  async gone(inquiry: string): Promise<void> {
    if (!this.cards.has(inquiry) && !this.#making.has(inquiry)) return;
    let stop: () => void = () => undefined;
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      late = setTimeout(resolve, CARD_WAIT_MS).unref();
      stop = this.listen((news) => {
        if (news.t === 'settled' && news.inquiry === inquiry) resolve();
      });
    });
    clearTimeout(late);
    stop();
  }

  /** Contract: what is heard comes after what `rows` and `cards` say now. */
  listen(call: (news: PictureNews) => void): () => void {
    this.#listeners.add(call);
    return () => this.#listeners.delete(call);
  }

  async close(): Promise<void> {
    clearTimeout(this.#look);
    this.#ending.abort();
    this.#listeners.clear();
    await this.#done;
  }

  /** Looks at one session again: something was done to it that no host tells. */
  async again(id: string): Promise<void> {
    const { where } = this.#ports;
    if (!isSession(where.env, id)) {
      this.#dying.delete(id);
      if (this.rows.delete(id)) this.#tell({ t: 'forgotten', session: id });
      return;
    }
    const place = placeOf(where.env, id);
    if (place.alive) return;
    const row = await rowOf(where, place).catch(() => undefined);
    const lost = await lostOf(place).catch(() => []);
    // It may have been continued meanwhile: then its host tells.
    if (placeOf(where.env, id).alive) return;
    this.#dying.delete(id);
    if (row) this.#row(row);
    await this.#lost(lost, id);
  }

  /** It goes on: until its host is heard of it is looked at, for it may be over before anybody could follow it. */
  continued(id: string): void {
    if (this.#followed.has(id)) return;
    this.#dying.add(id);
    void this.again(id).finally(() => this.#lookAtDying(id));
  }

  async #run(looked: () => void): Promise<void> {
    const { where, log, people } = this.#ports;
    const { signal } = this.#ending;
    for (const row of await endedRows(where, { most: MOST_ENDED })) this.rows.set(row.id, row);
    await this.#allLost();
    let first: Promise<void>[] | undefined = [];
    for await (const news of watchSessions(where, { log, signal, people })) {
      const heard = this.#heard(news).catch((error: Error) =>
        log.log('warn', 'what happened could not be shown', { reason: error.message }),
      );
      // One that takes long must not keep the others waiting; only the first look waits for all of its cards.
      first?.push(heard);
      if (news.type !== 'looked') continue;
      const all = first ?? [];
      first = undefined;
      void Promise.all(all).then(looked);
      this.#lookAgain();
    }
  }

  async #heard(news: SessionNews): Promise<void> {
    switch (news.type) {
      case 'row':
        this.#followed.add(news.row.id);
        this.#dying.delete(news.row.id);
        this.#row(news.row);
        break;
      case 'gone':
        this.#followed.delete(news.session);
        this.#silent(news.session, false);
        this.#dying.add(news.session);
        await this.again(news.session);
        this.#lookAtDying(news.session);
        break;
      case 'silent':
        this.#silent(news.session, news.silent);
        break;
      case 'inquiry':
      case 'moved':
        await this.#card(news.inquiry);
        break;
      case 'settled':
        if (!news.end && (await this.#isLost(news.inquiry))) break;
        this.#settled(news.inquiry, news.end);
        break;
      case 'barred':
        this.#barred(news.session, news.error);
        break;
    }
  }

  /** Until it is dead, or its host is heard of again. */
  #lookAtDying(id: string): void {
    if (!this.#dying.has(id) || this.#ending.signal.aborted) return;
    setTimeout(() => {
      if (!this.#dying.has(id) || this.#ending.signal.aborted) return;
      void this.again(id).finally(() => this.#lookAtDying(id));
    }, DYING_MS).unref();
  }

  #row(row: SessionRow): void {
    this.rows.set(row.id, row);
    this.#tell({ t: 'row', row });
    if (row.state === 'ended') this.#forgetOld();
    // It goes on: what was lost is its host's to ask again.
    else
      for (const { inquiry } of this.cards.values())
        if (inquiry.lost && inquiry.session === row.id) this.#settled(inquiry.id);
  }

  #silent(session: string, silent: boolean): void {
    if (silent === this.silent.has(session)) return;
    const since = new Date().toISOString();
    if (silent) this.silent.set(session, since);
    else this.silent.delete(session);
    this.#tell({ t: 'silent', session, silent, ...(silent ? { since } : {}) });
  }

  #barred(session: string, error: ReinsError): void {
    const row = rowFromFiles(placeOf(this.#ports.where.env, session), error.message);
    if (!row) return;
    const other = `runs under Reins ${row.reins ?? '?'}: ${error.message}; ${error.hint}`;
    this.#row(error.code === 'PROTOCOL' ? { ...row, detail: 'other version', other } : row);
  }

  async #card(inquiry: LostInquiry): Promise<void> {
    const wish = {};
    this.#making.set(inquiry.id, wish);
    const card = await this.#ports.cardOf(inquiry, this.rows.get(inquiry.session));
    // Settled, or changed once more, while it was made.
    if (this.#making.get(inquiry.id) !== wish) return;
    this.#making.delete(inquiry.id);
    this.cards.set(inquiry.id, card);
    this.#tell({ t: 'card', card });
  }

  #settled(inquiry: string, end?: { how: string; by?: string; at: string }): void {
    const isMaking = this.#making.delete(inquiry);
    const session = this.cards.get(inquiry)?.inquiry.session ?? sessionOf(inquiry);
    if ((!this.cards.delete(inquiry) && !isMaking) || session === undefined) return;
    const { how, by, at } = end ?? { how: this.#endFromFiles(inquiry, session), at: new Date().toISOString() };
    this.#tell({ t: 'settled', inquiry, session, how, ...(by === undefined ? {} : { by }), at });
  }

  /** Its host said nothing any more: the journal may know. */
  #endFromFiles(inquiry: string, session: string): string {
    try {
      const { data } = settledBefore(inquiry, placeOf(this.#ports.where.env, session));
      return String(data.how ?? 'it no longer waits');
    } catch {
      return 'it no longer waits';
    }
  }

  async #isLost(inquiry: string): Promise<boolean> {
    const session = sessionOf(inquiry);
    if (session === undefined) return false;
    const place = placeOf(this.#ports.where.env, session);
    if (place.alive) return false;
    const lost = (await lostOf(place).catch(() => [])).find(({ id }) => id === inquiry);
    if (lost) await this.#card(lost);
    return lost !== undefined;
  }

  /** Of one session, or of all: those that no longer wait are settled. */
  async #lost(lost: LostInquiry[], session?: string): Promise<void> {
    const waiting = new Set<string>(lost.map(({ id }) => id));
    for (const { inquiry } of [...this.cards.values()]) {
      const isAsked = inquiry.lost === true && (session === undefined || inquiry.session === session);
      if (isAsked && !waiting.has(inquiry.id)) this.#settled(inquiry.id);
    }
    for (const inquiry of lost) if (!this.cards.get(inquiry.id)?.inquiry.lost) await this.#card(inquiry);
  }

  async #allLost(): Promise<void> {
    const { where, log } = this.#ports;
    try {
      const isFollowed = (id: string) => this.#followed.has(id);
      const dead = livingPlaces(where.env, isFollowed).filter(({ alive, host }) => !alive && host !== undefined);
      await this.#lost(await lostInquiries(where, dead));
    } catch (error) {
      log.log('warn', 'what was lost cannot be read', { reason: (error as Error).message });
    }
  }

  /** Those that left processes behind, those nobody can speak with, and answers that were kept by others. */
  #lookAgain(): void {
    if (this.#ending.signal.aborted) return;
    this.#look = setTimeout(() => {
      const quiet = [...this.rows.values()].filter(({ left = 0, other }) => left > 0 || other !== undefined);
      void Promise.all([...quiet.map(({ id }) => this.again(id)), this.#allLost()])
        .catch((error: Error) => this.#ports.log.log('warn', 'a look failed', { reason: error.message }))
        .finally(() => this.#lookAgain());
    }, LOOK_MS);
  }

  #forgetOld(): void {
    const ended = [...this.rows.values()].filter(({ state, left }) => state === 'ended' && left === undefined);
    if (ended.length <= MOST_ENDED + 20) return;
    const endOf = (row: SessionRow) => row.ended_at ?? row.started_at;
    ended.sort((a, b) => endOf(b).localeCompare(endOf(a)));
    for (const { id } of ended.slice(MOST_ENDED)) this.rows.delete(id);
  }

  #tell(news: PictureNews): void {
    for (const listener of this.#listeners) listener(news);
  }
}
