/** A desk of a test, with a journal on disk and a clock moved by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import {
  type By,
  type Entry,
  HandClock,
  type Inquiry,
  type Presence,
  type SessionId,
  type Verdict,
  type ViewerId,
} from '../contract/index.js';
import { Journal } from '../journal/index.js';
import type { Decision } from '../policy/index.js';
import { Desk, type DeskPorts, type Draft } from './desk.js';
import { Presses } from './presses.js';
import { Stages } from './stages.js';

export const session = 'k7f2m9qd' as SessionId;
export const rule = { text: 'ask', source: 'test' };
export const ASK: Decision = { do: 'ask', rule };
export const DEFER: Decision = { do: 'defer', rule };
export const allow: Verdict = { kind: 'allow' };
export const deny: Verdict = { kind: 'deny' };
export const settle = (verdict: Verdict, kind: 'rule' | 'policy' = 'rule') =>
  ({ do: 'settle', verdict, by: { kind, rule }, reason: 'because', rule }) as const;
export const RUN: Draft = { kind: 'run', tool: 'Bash', input: { command: 'ls' }, exclusive: false };
export const ann: By = { kind: 'viewer', viewer: 'v-ann' as ViewerId, name: 'Ann' };
export const bob: By = { kind: 'viewer', viewer: 'v-bob' as ViewerId };

export let dir: string;
export let journal: Journal;
export let clock: HandClock;
export let entries: Entry[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'desk-'));
  clock = new HandClock();
  ({ journal } = Journal.open({ file: join(dir, 'journal.jsonl'), session, clock }));
  entries = [];
  journal.subscribe((entry) => entries.push(entry));
});

afterEach(() => {
  journal.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Lets everything that is already decided happen. */
export const settledDown = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

export function desk(ports: Partial<DeskPorts> = {}, opened = 0) {
  const unasked: string[] = [];
  const granted: string[] = [];
  const present = { now: { present: true, reason: 'viewer' } as Presence };
  const made = new Desk(
    {
      session,
      journal,
      clock,
      graceMs: 10_000,
      presses: new Presses(clock),
      presence: async () => present.now,
      route: async () => ASK,
      exclusive: (draft) => draft.exclusive,
      consult: async () => ({ none: 'there is no consultant' }),
      consulting: { who: 'codex', ms: 55_000, suggest: false },
      never: async () => undefined,
      stages: (all) => new Stages(all),
      grant: async (inquiry: Inquiry) => granted.push(inquiry.id),
      changed: () => undefined,
      deniedUnasked: (inquiry) => unasked.push(inquiry.id),
      ...ports,
    },
    opened,
  );
  return { desk: made, unasked, granted, present };
}

export const away: Presence = { present: false, reason: 'no-viewer' };
export const story = () =>
  entries.flatMap((entry) => {
    if (entry.type === 'inquiry.opened') return [`opened ${entry.data.inquiry.id}`];
    if (entry.type === 'inquiry.answered') {
      const { verdict, by } = entry.data.answer;
      return [`${verdict.kind} by ${by.kind}`];
    }
    return entry.type === 'inquiry.closed' ? [`closed ${entry.data.how}`] : [];
  });
