/** A consultant at work with the practice agent, as real processes; the journal is a list. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ConfigSchema } from '../../config/schema.js';
import {
  type Clock,
  type Entry,
  type EntryType,
  type Inquiry,
  type InquiryId,
  type SessionId,
  silentLog,
  systemClock,
} from '../../contract/index.js';
import { AgentProcess } from '../agent-process.js';
import type { ConsultHow } from '../desk-ports.js';
import type { SessionSpec } from '../spec.js';
import { Consultant, type ConsultantPorts } from './consultant.js';

export const QUESTION: Inquiry = {
  id: 'k7f2m9qd.1' as InquiryId,
  session: 'k7f2m9qd' as SessionId,
  kind: 'question',
  tool: 'AskUserQuestion',
  questions: [
    {
      id: 'database',
      text: 'Which database should I use?',
      options: [
        { id: '1', label: 'PostgreSQL' },
        { id: '2', label: 'SQLite' },
      ],
      multi: false,
      free_text: true,
    },
  ],
  exclusive: false,
  opened_at: '2026-01-02T03:04:05.678Z',
};

export const GOAL = 'Build the shop. We run PostgreSQL everywhere.';

export function consulting(given: {
  /** `PRACTICE_CONSULT`. */
  scenario?: string;
  consult?: Record<string, unknown>;
  config?: Record<string, unknown>;
  env?: Record<string, string>;
  before?: Entry[];
  clock?: Clock;
  start?: ConsultantPorts['start'];
}) {
  const root = mkdtempSync(join(tmpdir(), 'consult-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dir = join(root, 'session');
  mkdirSync(dir, { mode: 0o700 });
  const prompt = join(dir, 'prompt.md');
  writeFileSync(prompt, GOAL);
  const config = ConfigSchema.parse({ consult: { backend: 'practice', ...given.consult }, ...given.config });
  const spec = {
    ...{ v: 1, id: QUESTION.session, name: 'x', mode: 'autonomous', created_at: '', reins: '0', cwd: root },
    ...{ trust: 'guarded', trust_source: '', rules: [], sources: {}, agent_args: [], once: true, tui: false },
    ...{ idle_timeout_secs: 0, timeout_secs: 0, config, prompt_file: prompt },
    agent: { adapter: 'practice', path: process.execPath },
    seat: {
      ...{ size: { cols: 80, rows: 24 }, tied: false, non_interactive: null, terminal: false },
      presence: { present: false, reason: 'x' },
    },
  } as SessionSpec;
  const journal: { type: string; data: unknown }[] = [];
  const env = {
    ...{ PATH: process.env.PATH, HOME: root, PRACTICE_SPEED: '0', XDG_STATE_HOME: join(root, 'state') },
    ...(given.scenario === undefined ? {} : { PRACTICE_CONSULT: given.scenario }),
    ...given.env,
  };
  const consultant = new Consultant({
    spec,
    dir,
    env,
    clock: given.clock ?? systemClock,
    log: silentLog,
    start: given.start ?? AgentProcess.start,
    journal: {
      append: (type, data) => {
        journal.push({ type, data });
        return {} as never;
      },
      page: () => ({ entries: [], more: false }),
    },
    before: given.before ?? [],
  });
  onTestFinished(() => consultant.close());
  const entries = <T extends EntryType>(type: T): Entry<T>['data'][] =>
    journal.filter((one) => one.type === type).map(({ data }) => data as Entry<T>['data']);
  return {
    consultant,
    entries,
    root,
    ask: (how: Partial<ConsultHow> = {}) =>
      consultant.consult(QUESTION, { for: 'answer', signal: new AbortController().signal, ...how }),
    /** What is left of private folders. */
    left: () => readdirSync(dir).flatMap((name) => (name === 'consult' ? readdirSync(join(dir, name)) : [])),
  };
}
