/**
 * Ends a session's processes and proves it: the agent's own polite way, SIGTERM to the whole tree, time to finish,
 * SIGKILL, then looking again until nobody is left. Every pid gets its end on record. The surprising thing: each signal
 * is preceded by a fresh look at the pid's start time, so that a number used again is never hit.
 */
import type { Clock, ProcessEnd } from '../contract/index.js';
import { systemClock } from '../contract/index.js';
import type { Proc } from './process.js';
import { hangsUp, sendSignal } from './signals.js';
import { isDead, isStopped, type ProcessRow } from './table.js';
import { type Member, type TreeAsk, TreeWatch } from './tree.js';

export interface StopTreeAsk extends TreeAsk {
  /** Remembers who was seen while the session ran; without it only the present is known. */
  watch?: TreeWatch;
  /** To be told at once when the agent ends, and for polite keys. */
  proc?: Proc;
  polite?: { signal?: NodeJS.Signals; keys?: string; eof?: boolean; waitMs: number };
  /** `kill` is SIGKILL at once. */
  how: 'stop' | 'kill';
  graceMs?: number;
  clock?: Clock;
}

export interface StopReport {
  processes: ProcessEnd[];
  /** Still alive after everything: not ours to signal, or stuck in the kernel. */
  left: number;
}

/** Seeds 000 and 003: five seconds between asking and killing. */
export const STOP_GRACE_MS = 5000;
/** With the five seconds after it, a stop stays below six whatever the agent does. */
const MOST_POLITE_MS = 700;
const POLL_MS = 20;
/** A full sweep of the machine for new members is dearer than a look at the known ones. */
const SWEEP_MS = 200;
/** A tree that forks faster than it dies is given up after about two seconds of killing. */
const KILL_ROUNDS = 100;
const KILL_PAUSE_MS = 20;
/** One empty look can race with a fork. */
const EMPTY_LOOKS = 2;

const running = new Map<string, Ladder>();

/**
 * Contract: may be called at any time and any number of times; calls for the same tree share one stop, and a `kill`
 * during a `stop` ends its waiting.
 */
export function stopTree(ask: StopTreeAsk): Promise<StopReport> {
  const watch = ask.watch ?? new TreeWatch(ask);
  const key = JSON.stringify([watch.roots, watch.mark]);
  const current = running.get(key);
  if (current) {
    if (ask.how === 'kill') current.escalate();
    return current.report;
  }
  const ladder = new Ladder(ask, watch);
  running.set(key, ladder);
  void ladder.report.finally(() => running.delete(key));
  return ladder.report;
}

interface Track {
  member: Member;
  sent?: NodeJS.Signals;
  gone: boolean;
}

class Ladder {
  readonly report: Promise<StopReport>;
  readonly #ask: StopTreeAsk;
  readonly #watch: TreeWatch;
  readonly #clock: Clock;
  readonly #tracks = new Map<string, Track>();
  #killNow: boolean;
  /** Whether the last look of the asking found nobody: it counts. */
  #emptyLooks = 0;
  #wake = (): void => undefined;

  constructor(ask: StopTreeAsk, watch: TreeWatch) {
    this.#ask = ask;
    this.#watch = watch;
    this.#clock = ask.clock ?? systemClock;
    this.#killNow = ask.how === 'kill';
    void ask.proc?.exited.then(() => this.#wake());
    this.report = this.#run();
  }

  escalate(): void {
    this.#killNow = true;
    this.#wake();
  }

  async #run(): Promise<StopReport> {
    if (!this.#killNow) await this.#askPolitely();
    if (!this.#killNow) await this.#terminate();
    await this.#kill();
    return this.#result();
  }

  async #askPolitely(): Promise<void> {
    const { polite, proc } = this.#ask;
    // After a normal end there is nobody to be polite to, and no reason to look at the whole machine for it.
    if (!polite || !this.#watch.roots.some((root) => this.#watch.runs(root))) return;
    const roots = this.#survey().filter(({ member }) => this.#watch.roots.includes(member.pid));
    if (roots.length === 0) return;
    for (const root of roots) if (polite.signal) this.#signal(root, polite.signal);
    for (const root of roots) this.#wakeUp(root);
    if (polite.keys !== undefined) void proc?.write(polite.keys);
    if (polite.eof) proc?.endInput();
    // The agent's own end is enough: what it leaves behind is not waiting for keys.
    const waitMs = Math.min(polite.waitMs, MOST_POLITE_MS);
    await this.#until(() => !roots.some((root) => this.#isAlive(root)), waitMs);
  }

  async #terminate(): Promise<void> {
    let sweepAt = Number.NEGATIVE_INFINITY;
    await this.#until(() => {
      const now = this.#clock.now();
      const known = [...this.#tracks.values()].filter((track) => this.#isAlive(track));
      if (known.length > 0 && now - sweepAt < SWEEP_MS) return false;
      sweepAt = now;
      const alive = this.#survey();
      for (const track of alive) {
        if (track.sent !== 'SIGTERM') {
          this.#signal(track, 'SIGTERM');
          // An interactive shell ignores it; that its terminal is gone, it understands.
          if (track.member.pid === track.member.sid && hangsUp(track.member.pid))
            sendSignal(track.member.pid, 'SIGHUP');
        }
        this.#wakeUp(track);
      }
      this.#emptyLooks = alive.length === 0 ? 1 : 0;
      return alive.length === 0;
    }, this.#ask.graceMs ?? STOP_GRACE_MS);
  }

  async #kill(): Promise<void> {
    let empty = this.#emptyLooks;
    if (empty > 0) await this.#pause(0);
    for (let round = 0; round < KILL_ROUNDS && empty < EMPTY_LOOKS; round += 1) {
      const alive = this.#survey({ again: empty > 0 });
      empty = alive.length === 0 ? empty + 1 : 0;
      for (const track of alive) track.sent = 'SIGKILL';
      // A group dies as one: a member that forks right now cannot slip through.
      for (const group of this.#wholeGroups(alive)) sendSignal(-group, 'SIGKILL');
      for (const track of alive) this.#signal(track, 'SIGKILL');
      if (empty < EMPTY_LOOKS) await this.#pause(empty > 0 ? 0 : KILL_PAUSE_MS);
    }
  }

  /** Groups all of whose members are ours; a group shared with a stranger is left alone. */
  #wholeGroups(alive: Track[]): number[] {
    // Nobody is left, as after most ends: no need to look at everyone for their groups.
    if (alive.length === 0) return [];
    const ours = new Set(alive.map(({ member }) => member.pid));
    const groups = new Set(alive.map(({ member }) => member.pgid));
    for (const row of this.#watch.table.rows()) {
      // Whoever is in a group that one of ours leads is one of ours, even if born after the survey.
      if (!isDead(row) && !ours.has(row.pid) && !ours.has(row.pgid)) groups.delete(row.pgid);
      if (row.pid === process.pid) groups.delete(row.pgid);
    }
    return [...groups].filter((group) => group > 1);
  }

  #survey(how: { again?: boolean } = {}): Track[] {
    const members = this.#watch.sample(how);
    const alive = new Set<string>();
    for (const member of members) {
      const key = `${member.pid}:${member.startTicks}`;
      alive.add(key);
      const track = this.#tracks.get(key);
      // Between fork and exec a child bears its parent's command line: the later one is its own. A dying one has none.
      if (track) track.member = isNameless(member.command) ? { ...member, command: track.member.command } : member;
      else this.#tracks.set(key, { member, gone: false });
    }
    for (const [key, track] of this.#tracks) track.gone = !alive.has(key);
    return [...this.#tracks.values()].filter((track) => !track.gone);
  }

  #isAlive(track: Track): boolean {
    if (!track.gone && !this.#watch.current(track.member)) track.gone = true;
    return !track.gone;
  }

  #signal(track: Track, signal: NodeJS.Signals): void {
    if (this.#watch.current(track.member) && sendSignal(track.member.pid, signal)) track.sent = signal;
  }

  /** A stopped process acts on no signal but SIGKILL. */
  #wakeUp(track: Track): void {
    const row: ProcessRow | undefined = this.#watch.current(track.member);
    if (row && isStopped(row)) sendSignal(row.pid, 'SIGCONT');
  }

  async #until(isDone: () => boolean, waitMs: number): Promise<void> {
    const endAt = this.#clock.now() + waitMs;
    while (!isDone() && !this.#killNow) {
      const leftMs = endAt - this.#clock.now();
      if (leftMs <= 0) return;
      await this.#pause(Math.min(POLL_MS, leftMs));
    }
  }

  /** Ends early when the agent ends or someone wants it killed. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #result(): StopReport {
    const processes = [...this.#tracks.values()].map(toEnd);
    return { processes, left: processes.filter((end) => end.how === 'survived').length };
  }
}

function toEnd({ member, sent, gone }: Track): ProcessEnd {
  const how = !gone ? 'survived' : sent === 'SIGKILL' ? 'killed' : sent === 'SIGTERM' ? 'terminated' : 'exited';
  return { pid: member.pid, command: member.command, how, ...(sent ? { signal: sent } : {}) };
}

/** What a dying process leaves of its command line. */
const isNameless = (command: string): boolean => command === '?' || command.startsWith('[');
