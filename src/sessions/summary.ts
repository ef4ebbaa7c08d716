/**
 * What a loop came to, from its journal alone: for who comes back in the morning. Goes through the entries once and holds
 * only counts, so that a journal of any length will do; lists are bounded, for the names in them come from agents.
 */
import { join } from 'node:path';
import type { Entry, TreeChanges } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { journalOf } from '../journal/read.js';
import type { Place } from '../link/index.js';
import { specOf } from './spec-file.js';

const MOST_NAMES = 50;
const LONGEST_NAME = 300;
const LONGEST_FIX = 2000;

export interface Summary {
  session: string;
  name?: string;
  state: 'running' | 'ended';
  /** The session whose agent started it, and those that its own has started. */
  parent?: string;
  children?: string[];
  outcome?: string;
  exit_code?: number;
  reason?: string;
  started_at?: string;
  ended_at?: string;
  legs: number;
  iterations: number;
  failed: number;
  cost_usd?: number;
  input_tokens?: number;
  output_tokens?: number;
  hats: { hat: string; turns: number }[];
  gates: { gate: string; passed: number; failed: number }[];
  waits: { kind: string; count: number; seconds: number }[];
  denied: { what: string; count: number; allow?: string }[];
  changes?: TreeChanges;
}

/** Of a session that lives its tree is looked at now; of one that ended, as it was then. */
export async function summaryOf(place: Place): Promise<Summary> {
  const summary = foldSummary(place.id, journalOf(join(place.dir, FILES.journal)));
  const cwd = place.alive ? specOf(place)?.cwd : undefined;
  if (cwd === undefined) return summary;
  const { changesSince } = await import('../host/index.js');
  const changes = await changesSince(cwd, join(place.dir, FILES.tree));
  return { ...summary, ...(changes ? { changes } : {}) };
}

export function foldSummary(session: string, entries: Iterable<Entry>): Summary {
  const told = new Tally();
  for (const entry of entries) told.entry(entry);
  return told.summary(session);
}

class Tally {
  readonly #hats = new Map<string, number>();
  readonly #gates = new Map<string, { passed: number; failed: number }>();
  readonly #waits = new Map<string, { count: number; seconds: number }>();
  readonly #denied = new Map<string, { what: string; count: number; allow?: string }>();
  #facts: Partial<Summary> = {};
  #legs = 0;
  #iterations = 0;
  #failed = 0;
  #costUsd = 0;
  #waiting: { kind: string; since: number } | undefined;

  entry(entry: Entry): void {
    const at = Date.parse(entry.ts);
    switch (entry.type) {
      case 'session.started':
        this.#legs += 1;
        this.#over(at, 'lost');
        this.#facts = { ...this.#facts, name: entry.data.name, started_at: this.#facts.started_at ?? entry.ts };
        if (entry.data.parent !== undefined) this.#facts.parent = entry.data.parent;
        delete this.#facts.outcome;
        break;
      case 'iteration.started':
        this.#over(at);
        if (entry.data.iteration > this.#iterations) this.#worn(entry.data.hat);
        this.#iterations = Math.max(this.#iterations, entry.data.iteration);
        break;
      case 'iteration.ended':
        if (entry.data.outcome === 'failed' || entry.data.outcome === 'timed-out') this.#failed += 1;
        this.#costUsd += entry.data.cost_usd ?? 0;
        break;
      case 'gate.ran':
        count(this.#gates, entry.data.gate, { passed: 0, failed: 0 }, (gate) => {
          gate[entry.data.ok ? 'passed' : 'failed'] += 1;
        });
        break;
      case 'loop.waiting':
        this.#over(at);
        this.#waiting = { kind: entry.data.kind, since: at };
        break;
      case 'loop.parked':
        this.#over(at);
        this.#waiting = { kind: 'person', since: at };
        break;
      case 'loop.resumed':
        this.#over(at);
        break;
      case 'notice':
        if (entry.data.code === 'denied') this.#deny(entry.data);
        break;
      case 'session.ended':
        this.#over(at);
        this.#end(entry);
        break;
    }
  }

  summary(session: string): Summary {
    const list = <V extends object>(map: Map<string, V>) => [...map.entries()];
    return {
      session,
      state: this.#facts.outcome === undefined ? 'running' : 'ended',
      ...(this.#costUsd > 0 ? { cost_usd: this.#costUsd } : {}),
      ...this.#facts,
      legs: this.#legs,
      iterations: this.#iterations,
      failed: this.#failed,
      hats: [...this.#hats].map(([hat, turns]) => ({ hat, turns })),
      gates: list(this.#gates).map(([gate, counts]) => ({ gate, ...counts })),
      waits: list(this.#waits).map(([kind, counts]) => ({ kind, ...counts })),
      denied: [...this.#denied.values()],
    };
  }

  #worn(hat: string | undefined): void {
    if (hat === undefined || (this.#hats.size >= MOST_NAMES && !this.#hats.has(hat))) return;
    this.#hats.set(hat, (this.#hats.get(hat) ?? 0) + 1);
  }

  /** What it waited for is over; nobody knows how long a host that died had waited. */
  #over(at: number, how?: 'lost'): void {
    const { kind, since } = this.#waiting ?? { kind: '', since: at };
    if (this.#waiting && how !== 'lost') {
      count(this.#waits, kind, { count: 0, seconds: 0 }, (wait) => {
        wait.count += 1;
        wait.seconds += Math.max(0, at - since) / 1000;
      });
    }
    this.#waiting = undefined;
  }

  #deny({ text, facts }: Entry<'notice'>['data']): void {
    // An older build said it in words alone.
    const [, before = text, line] = /^(.*?) was denied: .*?(?: To allow it: (.*))?$/s.exec(text) ?? [];
    const what = String(facts?.what ?? before).slice(0, LONGEST_NAME);
    const fix = facts ? facts.fix : line;
    // Cut short it would be no line to copy.
    const allow = typeof fix === 'string' && fix.length <= LONGEST_FIX ? { allow: fix } : {};
    count(this.#denied, `${what}\n${allow.allow ?? ''}`, { what, count: 0, ...allow }, (denial) => {
      denial.count += 1;
    });
  }

  #end({ data, ts }: Entry<'session.ended'>): void {
    const { outcome, exit_code, reason, counts, changes } = data;
    const { cost_usd, input_tokens, output_tokens } = counts;
    this.#facts = {
      ...this.#facts,
      ...{ outcome, exit_code, reason, ended_at: ts },
      ...(cost_usd === undefined ? {} : { cost_usd }),
      ...(input_tokens === undefined ? {} : { input_tokens }),
      ...(output_tokens === undefined ? {} : { output_tokens }),
      ...(changes === undefined ? {} : { changes }),
    };
  }
}

function count<V extends object>(map: Map<string, V>, key: string, none: V, add: (value: V) => void): void {
  const name = key.slice(0, 2 * LONGEST_NAME);
  const had = map.get(name);
  if (!had && map.size >= MOST_NAMES) return;
  const value = had ?? { ...none };
  add(value);
  map.set(name, value);
}
