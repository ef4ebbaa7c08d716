/**
 * The agent's process and everything it starts: marked with the session's id, so that a stop reaches what left its
 * process group. One stop path for every reason; it leaves nothing running and says how each process ended.
 */
import { type Clock, type Log, SESSION_MARK, type SessionId, type Size } from '../contract/index.js';
import type { Sink } from '../journal/journal.js';
import {
  type Exit,
  loadStrangers,
  type Mark,
  type Proc,
  pauseTree,
  resumeTree,
  type StopReport,
  type Strangers,
  startProcess,
  stopTree,
  systemTable,
  TreeWatch,
} from '../terminal/index.js';

export interface AgentProcessOptions {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  io: 'pty' | 'pipe';
  stdin: 'closed' | 'open' | { file: string };
  size: Size;
  /** TERM in its terminal; ours if absent. */
  term?: string;
  /** Streams of a program in a terminal that are pipes all the same. */
  apart?: { stdin?: boolean; stderr?: boolean; dir: string };
  session: SessionId;
  /** What marks its tree; the session, unless told. */
  mark?: Mark;
  /** The only agent its session ever has: nothing older can belong to it. */
  only?: true;
  polite?: { signal?: NodeJS.Signals; keys?: string; eof?: boolean; waitMs: number };
  journal: Sink;
  clock: Clock;
  log: Log;
}

/** A started agent, as everyone but its starter knows it. */
export interface RunningAgent {
  readonly proc: Proc;
  readonly exited: Promise<Exit>;
  /** A look at who belongs to it, now and then while it works. */
  glance(): void;
  /** It and whom it started, as far as descent tells: asked for hours, so never by a look at every process. */
  pids(): number[];
  pause(): Promise<number[]>;
  resume(): Promise<number[]>;
  /** Ends the whole tree. Calls share one stop; a `kill` hastens a `stop` under way. */
  stop(how: 'stop' | 'kill', why: string): Promise<StopReport>;
  /** After a normal end: whatever it left behind is ended as well. `by` says who it was: the agent, unless it is told. */
  sweep(by?: string): Promise<StopReport>;
}

export type StartAgent = (options: AgentProcessOptions) => Promise<StartedAgent>;

export type StartedAgent =
  | { ok: true; agent: RunningAgent }
  | { ok: false; code: 'CWD_INACCESSIBLE' | 'AGENT_NOT_FOUND' | 'AGENT_UNSTARTABLE'; reason: string };

/** Of the session's own mark, from one agent to the next. */
let strangers: Strangers | undefined;

async function strangersFor({ mark, only }: AgentProcessOptions): Promise<Strangers | undefined> {
  if (mark || only) return undefined; // looked for once or twice: nothing to remember
  const loaded = await loadStrangers();
  strangers ??= new loaded.Strangers({ table: systemTable });
  return strangers;
}

/** The agents this host has started, the latest last: what they left behind is ours as long as we remember it. */
const watches: TreeWatch[] = [];
const MOST_WATCHES = 32;

/** Whether a process was ever seen in this session's tree. One host, one session. */
export const isMember: TreeWatch['knows'] = (row) => watches.some((watch) => watch.knows(row));

const markOf = ({ mark, session }: AgentProcessOptions): Mark => mark ?? { name: SESSION_MARK, value: session };

export class AgentProcess implements RunningAgent {
  readonly proc: Proc;
  readonly exited: Promise<Exit>;
  readonly #options: AgentProcessOptions;
  /** Remembers whom it saw: a daemon that left the family and cleaned its environment is still ours. */
  readonly #watch: TreeWatch;
  #stopping: Promise<StopReport> | undefined;

  private constructor(proc: Proc, options: AgentProcessOptions, known: Strangers | undefined) {
    this.proc = proc;
    this.#options = options;
    this.exited = proc.exited;
    this.#watch = new TreeWatch({
      root: proc.pid,
      mark: markOf(options),
      isNew: options.only === true,
      ...(known ? { strangers: known } : {}),
    });
    watches.push(this.#watch);
    if (watches.length > MOST_WATCHES) watches.shift();
  }

  static async start(options: AgentProcessOptions): Promise<StartedAgent> {
    const { command, args, cwd, io, stdin, size, term, apart } = options;
    const mark = markOf(options);
    // A shell stood in `/` before us, and said so to whoever came after it.
    const where = options.env.PWD === undefined ? {} : { PWD: cwd };
    const env = { ...options.env, ...where, [mark.name]: mark.value };
    const known = await strangersFor(options);
    const started = await startProcess({
      ...{ command, args, cwd, env, io, stdin, size },
      ...(term === undefined ? {} : { term }),
      ...(apart === undefined ? {} : { apart }),
    });
    if (!started.ok) return started;
    if (started.proc.fellBack) {
      options.journal.append('notice', {
        level: 'warn',
        text: `No terminal could be made (${started.proc.fellBack}); the agent runs on plain pipes instead.`,
      });
    }
    return { ok: true, agent: new AgentProcess(started.proc, options, known) };
  }

  glance(): void {
    this.#watch.glance(this.#options.clock);
  }

  pids(): number[] {
    return this.#watch.near();
  }

  pause(): Promise<number[]> {
    return pauseTree(this.#tree());
  }

  resume(): Promise<number[]> {
    return resumeTree(this.#tree());
  }

  #tree() {
    return { root: this.proc.pid, watch: this.#watch, clock: this.#options.clock };
  }

  stop(how: 'stop' | 'kill', why: string): Promise<StopReport> {
    const run = () => this.#stop(how, why);
    if (how === 'kill' || !this.#stopping) this.#stopping = run();
    return this.#stopping;
  }

  async sweep(by = 'the agent'): Promise<StopReport> {
    return this.#stopping ?? this.#stop('stop', `left behind by ${by}`);
  }

  async #stop(how: 'stop' | 'kill', why: string): Promise<StopReport> {
    const { polite, journal } = this.#options;
    const report = await stopTree({
      ...this.#tree(),
      proc: this.proc,
      how,
      ...(polite && how === 'stop' ? { polite } : {}),
    });
    if (report.processes.length > 0) {
      journal.append('process.stopped', { why, processes: report.processes, left: report.left });
    }
    return report;
  }
}
