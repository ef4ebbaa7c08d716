/**
 * Pairing: an offer to let somebody in, once, within five minutes. It is a file named by the hash of its secret, written by
 * whoever invites (`reins pair`, `reins serve`, a device), also before a hub runs; to take it is to move it away, which succeeds once.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Env, isRight } from '../contract/index.js';
import type { DeviceScope } from '../contract/page.js';
import { hashOf, newKey } from './keys.js';
import { hubDir, makeHubDir, readState, writeState } from './state.js';

export const OFFER_MINUTES = 5;
/** Open at once: who invites more is a program that runs wild, and the oldest go. */
const MOST_OPEN = 100;

export interface Offer extends DeviceScope {
  /** What the new device is called; by its browser unless told. */
  name?: string;
  /** Milliseconds the device is in for. */
  lasts_ms?: number;
  /** The device that invites: out, it invites nobody any more, and nobody it lets in stays longer than itself. */
  by?: string;
  until: number;
}

/** The secret is in what is given back, and nowhere else. */
export function makeOffer(env: Env, offer: Omit<Offer, 'until'>, now: number): { secret: string; until: number } {
  const dir = makeHubDir(env, 'offers');
  tidy(dir, now);
  const secret = newKey();
  const until = now + OFFER_MINUTES * 60_000;
  writeState(join(dir, hashOf(secret)), { ...offer, until });
  return { secret, until };
}

/** Whether it was made, and not used; it may be over. */
export const isOffered = (env: Env, secret: string): boolean => existsSync(join(hubDir(env), 'offers', hashOf(secret)));

/** What it offers, as it lies there; undefined: never made, used, or over. Nothing is changed by looking. */
export function readOffer(env: Env, secret: string, now: number): Offer | undefined {
  const offer = readState(join(hubDir(env), 'offers', hashOf(secret))) as Partial<Offer> | undefined;
  return isOffer(offer) && offer.until > now ? offer : undefined;
}

/**
 * What `use` makes of it; undefined: never made, used, or over. It is moved aside first, which succeeds once; where it could not be
 * used (a disk that takes nothing) it is put back, and can be tried again.
 */
export function takeOffer<T>(env: Env, secret: string, now: number, use: (offer: Offer) => T): T | undefined {
  const file = join(makeHubDir(env, 'offers'), hashOf(secret));
  const offer = readState(file) as Partial<Offer> | undefined;
  if (!isOffer(offer)) return undefined;
  const taken = `${file}.taken`;
  try {
    renameSync(file, taken);
  } catch {
    return undefined; // another was faster
  }
  try {
    return offer.until > now ? use(offer) : undefined;
  } catch (error) {
    renameSync(taken, file);
    throw error;
  } finally {
    rmSync(taken, { force: true });
  }
}

const isOffer = (offer: Partial<Offer> | undefined): offer is Offer =>
  typeof offer?.until === 'number' && isRight(offer.right) && Array.isArray(offer.namespaces);

/** A draft or one that is being taken is another process's for as long as it may be at it, whatever is in it by now. */
function goodUntil(file: string): number {
  if (/^[0-9a-f]+$/.test(basename(file))) return (readState(file) as Partial<Offer> | undefined)?.until ?? 0;
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) + OFFER_MINUTES * 60_000;
}

function tidy(dir: string, now: number): void {
  const open = readdirSync(dir).map((name) => {
    const file = join(dir, name);
    return { file, until: goodUntil(file) };
  });
  const kept = open.filter(({ until }) => until > now).sort((a, b) => b.until - a.until);
  const gone = [...open.filter(({ until }) => until <= now), ...kept.slice(MOST_OPEN - 1)];
  for (const { file } of gone) rmSync(file, { force: true });
}

/** The secret is behind `#`: a browser sends that to nobody. */
export const pairLink = (base: string, secret: string): string => `${base.replace(/\/$/, '')}/pair#${secret}`;
