/**
 * A scripted agent for tests of what is done with one: no process, no terminal. It says what the test makes it say, in
 * Claude's stream-json or as terminal bytes, hears what is written to it, and ends when it is told to.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { loadAdapters } from '../../adapters/loaded.js';
import { loadConfig } from '../../config/index.js';
import { type Entry, type EntryType, HandClock, type SessionId, silentLog } from '../../contract/index.js';
import { Journal } from '../../journal/journal.js';
import { HostClient } from '../../link/index.js';
import { memoryPair } from '../../link/memory.js';
import type { Exit, Proc } from '../../terminal/index.js';
import { agentNeeds } from '../agent-needs.js';
import type { AgentProcessOptions, RunningAgent, StartAgent } from '../agent-process.js';
import { Host } from '../host.js';
import { workFactory } from '../modes/create.js';
import type { Finish } from '../modes/work.js';
import { createPolicy } from '../policy.js';
import type { SessionSpec } from '../spec.js';
import { Stages } from '../stages.js';
import { watchCalls } from '../watch-calls.js';

type Heard = (line: string, agent: ScriptedAgent) => void;

export class ScriptedAgent implements RunningAgent {
  readonly options: AgentProcessOptions;
  readonly heard: string[] = [];
  readonly stops: string[] = [];
  readonly exited: Promise<Exit>;
  readonly proc: Proc;
  #exit: (exit: Exit) => void = () => undefined;
  #output: ((chunk: Uint8Array, stream: 'out' | 'err') => void) | undefined;
  #inputEnded = false;

  constructor(options: AgentProcessOptions, hears: Heard) {
    this.options = options;
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    this.proc = {
      pid: 4_000_000,
      io: options.io,
      exited: this.exited,
      onOutput: (call) => {
        this.#output = call;
      },
      write: async (bytes) => {
        const text = Buffer.from(bytes).toString('utf8');
        this.heard.push(text);
        hears(text, this);
        return 'written';
      },
      endInput: () => {
        this.#inputEnded = true;
        this.exit(0);
      },
      resize: () => undefined,
      hold: () => undefined,
      release: () => undefined,
      ttyState: async () => undefined,
      close: () => undefined,
    };
  }

  get inputEnded(): boolean {
    return this.#inputEnded;
  }

  says(record: object | string): void {
    const line = typeof record === 'string' ? record : `${JSON.stringify(record)}\n`;
    this.#output?.(Buffer.from(line), 'out');
  }

  text(text: string): void {
    this.says({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } });
  }

  /** Its turn is over. */
  done(result = 'done', is_error = false): void {
    this.says({ type: 'result', subtype: 'success', is_error, result, total_cost_usd: 0.25, session_id: 's' });
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.#exit({ code, signal });
  }

  glance(): void {}
  pids(): number[] {
    return [this.proc.pid];
  }
  async pause(): Promise<number[]> {
    return this.pids();
  }
  async resume(): Promise<number[]> {
    return this.pids();
  }
  async stop(how: 'stop' | 'kill', why: string) {
    this.stops.push(`${how}: ${why}`);
    this.exit(null, how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    return { processes: [], left: 0 };
  }
  async sweep() {
    return { processes: [], left: 0 };
  }
}

export interface Scripted {
  host: Host;
  client: HostClient;
  clock: HandClock;
  agents: ScriptedAgent[];
  finished: Promise<Finish>;
  entries<T extends EntryType>(type: T): Entry<T>['data'][];
  /** Waits for an entry of this type for which the check holds. */
  entry<T extends EntryType>(type: T, check?: (data: Entry<T>['data']) => boolean): Promise<Entry<T>['data']>;
}

/** A whole host over a link in memory, whose agents are scripted: `begins` for each as it starts, `hears` for each line to it. */
export async function scripted(given: {
  spec?: Partial<SessionSpec>;
  /** The project's reins.yml. */
  yaml?: string;
  before?: Entry[];
  /** Where an earlier host has left its journal: this one goes on. */
  dir?: string;
  clock?: HandClock;
  begins?: (agent: ScriptedAgent) => void;
  hears?: Heard;
}): Promise<Scripted> {
  const dir = given.dir ?? mkdtempSync(join(tmpdir(), 'reins-scripted-'));
  if (given.dir === undefined) onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'prompts'), { recursive: true });
  if (given.yaml) writeFileSync(join(dir, 'reins.yml'), given.yaml);
  const clock = given.clock ?? new HandClock();
  const { config } = loadConfig({ cwd: dir, env: { HOME: dir } });
  const seat = { size: { cols: 80, rows: 24 }, tied: false, non_interactive: null, terminal: false };
  const spec: SessionSpec = {
    ...{
      v: 1,
      id: 'k7f2m9qd' as SessionId,
      name: 'scripted',
      mode: 'autonomous',
      created_at: '',
      reins: '0',
      cwd: dir,
    },
    seat: { ...seat, presence: { present: false, reason: 'test' } },
    ...{ trust: 'guarded', trust_source: 'default', agent: { adapter: 'practice', path: process.execPath } },
    ...{ agent_args: [], once: false, tui: false, idle_timeout_secs: 0, timeout_secs: 0, rules: [], sources: {} },
    config,
    ...given.spec,
  };
  const { journal, entries } = Journal.open({ file: join(dir, 'journal.jsonl'), session: spec.id, clock });
  onTestFinished(() => journal.close());
  const before = given.before ?? [...entries];
  const agents: ScriptedAgent[] = [];
  const start: StartAgent = async (options) => {
    const agent = new ScriptedAgent(options, given.hears ?? (() => undefined));
    agents.push(agent);
    // Once whoever started it listens.
    setImmediate(() => given.begins?.(agent));
    return { ok: true, agent };
  };
  const adapters = [spec.agent!.adapter];
  await loadAdapters(adapters, () => undefined);
  const host = new Host({
    ...{
      spec,
      dir,
      env: { HOME: dir, PATH: '' },
      journal,
      before,
      clock,
      log: silentLog,
      bin: dir,
    },
    hook: { argv: ['hook'], socket: join(dir, 'hook.sock'), secret: 'secret' },
    work: await workFactory(spec.mode, adapters),
    judging: {
      policy: createPolicy(spec, before),
      needs: agentNeeds,
      watch: watchCalls,
      stages: (ports) => new Stages(ports),
      reachable: () => undefined,
    },
    start,
  });
  onTestFinished(async () => {
    await host.work.terminal?.recording?.close();
    host.work.close();
  });
  const all: Entry[] = [];
  journal.subscribe((entry) => void all.push(entry));
  const [near, far] = memoryPair();
  host.accept(near, { who: { kind: 'user', name: 'ann' }, may: 'admin' });
  const client = new HostClient({ link: far, session: spec.id, version: '0' });
  const of = <T extends EntryType>(type: T) =>
    all.filter((entry) => entry.type === type).map(({ data }) => data as Entry<T>['data']);
  return {
    ...{ host, client, clock, agents },
    finished: host.run(),
    entries: of,
    entry: (type, check = () => true) =>
      vi.waitFor(() => {
        const found = of(type).find(check);
        if (found === undefined) throw new Error(`no ${type} in ${JSON.stringify(all.slice(-10), null, 1)}`);
        return found;
      }, 10_000),
  };
}
