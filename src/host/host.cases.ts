/** A whole host on a link in memory: real journal, desk, viewers and commands; the work is a list of what it was asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ConfigSchema } from '../config/schema.js';
import { type Access, type Entry, HandClock, type SessionId, silentLog } from '../contract/index.js';
import { Journal } from '../journal/index.js';
import { HostClient, type Incoming } from '../link/index.js';
import { memoryPair } from '../link/memory.js';
import type { Link } from '../link/serve.js';
import type { Entrance } from './access.js';
import { agentNeeds } from './agent-needs.js';
import { Host } from './host.js';
import type { Finish, Work } from './modes/work.js';
import { createPolicy } from './policy.js';
import type { SessionSpec } from './spec.js';
import { Stages } from './stages.js';
import { watchCalls } from './watch-calls.js';

const DEFAULTS = ConfigSchema.parse({});

const SPEC: SessionSpec = {
  v: 1,
  id: 'k7f2m9qd' as SessionId,
  name: 'trial',
  mode: 'exec',
  created_at: '2026-01-02T03:04:05.678Z',
  reins: '0.1.0',
  cwd: '/',
  trust: 'guarded',
  trust_source: 'default',
  seat: {
    size: { cols: 80, rows: 24 },
    tied: false,
    non_interactive: null,
    presence: { present: true, reason: 'tty' },
    terminal: true,
  },
  agent_args: [],
  exec: { argv: ['true'], io: 'pipe' },
  once: false,
  tui: false,
  idle_timeout_secs: 0,
  timeout_secs: 0,
  rules: [],
  sources: {},
  config: { ...DEFAULTS, presence: { ...DEFAULTS.presence, grace_secs: 0 } },
};

export const specFor = (): SessionSpec => structuredClone(SPEC);

export const USER: Access = { who: { kind: 'user', name: 'ann' }, may: 'admin' };

export interface Trial {
  host: Host;
  /** What the work was asked to do, by name. */
  asked: string[];
  entries: Entry[];
  clock: HandClock;
  finish(how?: Partial<Finish>): void;
  link(entrance: Entrance): Link;
  client(
    entrance?: Entrance,
    options?: { incoming?: Incoming; may?: 'view' | 'answer' | 'type' | 'admin'; device?: string },
  ): HostClient;
}

export function trial(options: { spec?: Partial<SessionSpec>; work?: Partial<Work> } = {}): Trial {
  const dir = mkdtempSync(join(tmpdir(), 'host-'));
  const clock = new HandClock();
  const spec = { ...SPEC, ...options.spec };
  const { journal } = Journal.open({ file: join(dir, 'journal.jsonl'), session: spec.id, clock });
  onTestFinished(() => {
    journal.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const entries: Entry[] = [];
  journal.subscribe((entry) => entries.push(entry));
  const asked: string[] = [];
  let finish: (finish: Finish) => void = () => undefined;
  const note =
    <T>(what: string, value: T) =>
    (): T => {
      asked.push(what);
      return value;
    };
  const work: Work = {
    terminal: undefined,
    isStopping: false,
    blind: false,
    run: () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
    stop: note('stop', Promise.resolve({ processes: [], left: 0 })),
    input: (bytes) => asked.push(`input ${Buffer.from(bytes)}`),
    endInput: note('end-input', undefined),
    inputRoom: note('input-room', Promise.resolve()),
    resize: note('resize', undefined),
    driverSees: () => undefined,
    submit: note('submit', Promise.resolve({ verdict: 'submitted' as const })),
    keys: note('keys', Promise.resolve({ verdict: 'submitted' as const })),
    interrupt: note('interrupt', Promise.resolve()),
    pause: note('pause', Promise.resolve([1])),
    resume: note('resume', Promise.resolve([1])),
    hook: async () => ({ stdout: '', stderr: '', exit: 2 }),
    emit: note('emit', { accepted: true }),
    guide: note('guide', { id: 'g1', iteration: 1 }),
    facts: () => ({ denied: 0 }),
    close: () => undefined,
    ...options.work,
  };
  const host = new Host({
    spec,
    dir,
    env: {},
    journal,
    before: [],
    clock,
    log: silentLog,
    hook: { argv: [], socket: '', secret: 's' },
    bin: dir,
    work: () => work,
    judging: {
      policy: createPolicy(spec, []),
      needs: agentNeeds,
      watch: watchCalls,
      stages: (ports) => new Stages(ports),
      reachable: () => undefined,
    },
  });
  const link = (entrance: Entrance): Link => {
    const [near, far] = memoryPair();
    host.accept(far, entrance);
    onTestFinished(() => near.close());
    return near;
  };
  return {
    host,
    asked,
    entries,
    clock,
    finish: (how = {}) => finish({ outcome: 'completed', exitCode: 0, reason: 'done', ...how }),
    link,
    client: (entrance = USER, { incoming, may, device } = {}) =>
      new HostClient({
        link: link(entrance),
        session: spec.id,
        version: 'test',
        ...(incoming ? { incoming } : {}),
        ...(may ? { may } : {}),
        ...(device ? { device } : {}),
      }),
  };
}
