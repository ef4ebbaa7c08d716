/**
 * Who belongs to a session: the agent's process group and session, its descendants, and everything that carries the
 * session's mark in its environment, because agents start their tools with `setsid` and no group signal reaches those.
 * `TreeWatch` also remembers whom it saw, for a daemon that left the family and cleaned its environment.
 */
import type { Clock } from '../contract/index.js';
import type { Strangers } from './strangers.js';
import { isDead, type Mark, type ProcessRow, type ProcessTable, systemTable } from './table.js';

export interface Member extends ProcessRow {
  command: string;
}

export interface TreeAsk {
  /** The agent, or several. */
  root: number | readonly number[];
  mark?: Mark;
  /** The mark was first given to this very root: nobody older carries it, and nobody older is looked at for it. */
  isNew?: boolean;
  /** Never members, and nothing below them is one on their account. */
  exclude?: readonly number[];
  table?: ProcessTable;
  /** What earlier looks for the same mark found out, in the process that gives it. */
  strangers?: Strangers;
}

/** One look, no memory. */
export function members(ask: TreeAsk): Member[] {
  return new TreeWatch(ask).sample();
}

/** How often `glance` really looks. */
const GLANCE_MS = 2000;

/** Every so many glances it is a sweep, which reads every process of the machine: with many sessions that adds up. */
const SWEEP_EVERY = 15;

export class TreeWatch {
  readonly mark: Mark | undefined;
  readonly table: ProcessTable;
  readonly #isNew: boolean;
  readonly #exclude: Set<number>;
  /** Whom we know: pid and start. */
  readonly #known = new Map<number, number>();
  /** Known ones that lead a group or session; kept after their death, their followers may live. */
  readonly #leaders = new Map<number, number>();
  readonly #roots = new Set<number>();
  /** Looked at and not ours for good: a process older than the first agent is not its child. Saves most of a look. */
  readonly #unmarked = new Map<number, number>();
  readonly #strangers: Strangers | undefined;
  #since = Number.NEGATIVE_INFINITY;
  /** Older than our first, and none of ours, as the last look found. */
  readonly #passed = new Set<number>();
  #glancedAt = Number.NEGATIVE_INFINITY;
  #glances = 0;

  constructor(ask: TreeAsk) {
    this.mark = ask.mark;
    this.#isNew = ask.isNew === true;
    this.table = ask.table ?? systemTable;
    this.#strangers = ask.strangers;
    this.#exclude = new Set([process.pid, 0, 1, ...(ask.exclude ?? [])]);
    for (const root of typeof ask.root === 'number' ? [ask.root] : ask.root) this.follow(root);
  }

  get roots(): number[] {
    return [...this.#roots];
  }

  /** One more agent of the same session (the next iteration). Call it while the process is known to be ours. */
  follow(root: number): void {
    if (this.#exclude.has(root) || root <= 1) return;
    this.#roots.add(root);
    const row = this.table.row(root);
    // Dead already: its number may lead a group of survivors, but a process with that number is a stranger.
    this.#leaders.set(root, row?.startTicks ?? -1);
    // Whatever a short command left behind is not older than we are, who started it.
    const oldest = row ?? (this.#isNew ? this.table.row(process.pid) : undefined);
    if (this.#roots.size === 1 && oldest) this.#since = oldest.startTicks;
    if (row) this.#known.set(root, row.startTicks);
  }

  /** Whether this process is there; it may be another one under the same number. */
  runs(pid: number): boolean {
    const row = this.table.row(pid);
    return row !== undefined && !isDead(row);
  }

  /** Whether it was ever seen to belong to us, or leads or follows who did: without a look at anyone else. */
  knows(row: Pick<ProcessRow, 'pid' | 'pgid' | 'sid' | 'startTicks'>): boolean {
    const start = this.#known.get(row.pid);
    if (start !== undefined && this.table.isSameStart(start, row.startTicks)) return true;
    return [row.pgid, row.sid].some((id) => {
      const led = this.#leaders.get(id);
      const leader = led === undefined ? undefined : this.table.row(id);
      return led !== undefined && (leader === undefined || this.table.isSameStart(leader.startTicks, led));
    });
  }

  /** Remembers who is there, at most every two seconds: cheap enough to call with every bit of output. */
  glance(clock: Clock): void {
    const now = clock.now();
    if (now - this.#glancedAt < GLANCE_MS) return;
    this.#glancedAt = now;
    this.#glances += 1;
    const { children } = this.table;
    if (!children || this.#glances % SWEEP_EVERY === 0) this.sample();
    else this.#descend(children);
  }

  /**
   * Everyone alive now, parents before their children. `again`: right behind another look, so that those who are older
   * than our first need not be looked at once more. (A number is not given to another process so soon.)
   */
  sample({ again = false } = {}): Member[] {
    if (!again) this.#passed.clear();
    const rows = this.table.rows((pid) => this.#passed.has(pid) || (!again && this.#strangers?.isMet(pid) === true));
    const byPid = new Map(rows.map((row) => [row.pid, row]));
    this.#forgetStrangers(byPid);
    const found = this.#family(rows);
    for (const row of found.values()) this.#remember(row);
    const others = rows.filter(({ pid }) => !found.has(pid) && !this.#exclude.has(pid));
    for (const { pid, startTicks } of others) if (startTicks < this.#since) this.#passed.add(pid);
    if (!again) for (const pid of this.#strangers?.learn(others) ?? []) this.#passed.add(pid);
    return [...found.values()]
      .filter((row) => !isDead(row))
      .map((row) => ({ ...row, command: this.table.command(row.pid) }));
  }

  /** Whom descent finds: for what is asked every second or two for hours, where a look at every process is too dear. */
  near(): number[] {
    const { children } = this.table;
    if (!children) return this.sample().map(({ pid }) => pid);
    return this.#descend(children)
      .filter((row) => !isDead(row))
      .map(({ pid }) => pid);
  }

  /** The member as it is now, or undefined if that very process is dead. */
  current(member: ProcessRow): ProcessRow | undefined {
    const row = this.table.row(member.pid);
    if (!row || isDead(row) || !this.table.isSameStart(row.startTicks, member.startTicks)) return undefined;
    return row;
  }

  #remember(row: ProcessRow): void {
    this.#known.set(row.pid, row.startTicks);
    if (row.pid === row.pgid || row.pid === row.sid) this.#leaders.set(row.pid, row.startTicks);
  }

  /** By descent alone: cheap, and enough to know those who may leave the family later. */
  #descend(children: (pid: number) => number[]): ProcessRow[] {
    const rows = new Map<number, ProcessRow>();
    for (const pid of new Set([...this.#known.keys(), ...this.#leaders.keys()])) {
      const row = this.table.row(pid);
      if (row) rows.set(pid, row);
    }
    this.#forgetStrangers(rows);
    const seen = new Set<number>();
    const found: ProcessRow[] = [];
    const todo = [...this.#known.keys()];
    for (let pid = todo.shift(); pid !== undefined; pid = todo.shift()) {
      const row = seen.has(pid) || this.#exclude.has(pid) ? undefined : (rows.get(pid) ?? this.table.row(pid));
      seen.add(pid);
      if (!row) continue;
      this.#remember(row);
      found.push(row);
      todo.push(...children(pid));
    }
    return found;
  }

  #forgetStrangers(byPid: Map<number, ProcessRow>): void {
    const isStranger = (pid: number, start: number): boolean => {
      const row = byPid.get(pid);
      return row !== undefined && !this.table.isSameStart(row.startTicks, start);
    };
    for (const [pid, start] of this.#known) {
      if (!byPid.has(pid) || isStranger(pid, start)) this.#known.delete(pid);
    }
    // The kernel does not give a number away while a group or session bears it: a stranger means the group is gone.
    for (const [pid, start] of this.#leaders) if (isStranger(pid, start)) this.#leaders.delete(pid);
  }

  #family(rows: ProcessRow[]): Map<number, ProcessRow> {
    const children = groupBy(rows, (row) => row.ppid);
    const inGroup = groupBy(rows, (row) => row.pgid);
    const inSession = groupBy(rows, (row) => row.sid);
    const found = new Map<number, ProcessRow>();
    const todo: ProcessRow[] = rows.filter((row) => this.#isOurs(row));
    // Dead ones stay in the walk: below a zombie there may be life.
    for (let row = todo.shift(); row; row = todo.shift()) {
      if (found.has(row.pid) || this.#exclude.has(row.pid)) continue;
      found.set(row.pid, row);
      todo.push(...(children.get(row.pid) ?? []));
      if (row.pgid === row.pid) todo.push(...(inGroup.get(row.pid) ?? []));
      if (row.sid === row.pid) todo.push(...(inSession.get(row.pid) ?? []));
    }
    return found;
  }

  #isOurs(row: ProcessRow): boolean {
    if (this.#exclude.has(row.pid)) return false;
    if (this.#known.has(row.pid) || this.#leaders.has(row.pgid) || this.#leaders.has(row.sid)) return true;
    if (this.mark === undefined || isDead(row) || this.#unmarked.get(row.pid) === row.startTicks) return false;
    if (this.#isNew && row.startTicks < this.#since) return false;
    const ours = this.table.carries(row.pid, this.mark);
    if (!ours && row.startTicks < this.#since) this.#unmarked.set(row.pid, row.startTicks);
    return ours;
  }
}

function groupBy(rows: ProcessRow[], key: (row: ProcessRow) => number): Map<number, ProcessRow[]> {
  const groups = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const at = key(row);
    const group = groups.get(at);
    if (group) group.push(row);
    else groups.set(at, [row]);
  }
  return groups;
}
