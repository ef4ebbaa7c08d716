/** Many sessions at once, for what a session costs while it does little: started side by side, all ended afterwards. */
import { readdirSync, readFileSync } from 'node:fs';
import { atEnd, reins } from './lab.js';

/** As many at once as keep two cores busy without making each start wait for all the others. */
const AT_ONCE = 4;

export interface Crowd {
  /** Processes of ours, one per session. */
  hosts: number[];
  end(): Promise<void>;
}

export async function crowd(count: number, args: string[]): Promise<Crowd> {
  const ids: string[] = [];
  let left = count;
  let ended = false;
  const end = async () => {
    if (ended) return;
    ended = true;
    await inTurns(ids, async (id) => void (await reins('kill', id).catch(() => undefined))); // it ended by itself
  };
  atEnd(end);
  await inTurns(Array.from({ length: AT_ONCE }), async () => {
    while (left-- > 0) ids.push((await reins(...args)).trim());
  });
  const rows = JSON.parse(await reins('ls', '--json')) as { id: string; pid: number | null }[];
  const hosts = rows.filter(({ id, pid }) => ids.includes(id) && pid !== null).map(({ pid }) => pid!);
  if (hosts.length !== count) throw new Error(`${hosts.length} of ${count} sessions are alive`);
  return { hosts, end };
}

async function inTurns<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = queue.shift(); item !== undefined || queue.length > 0; item = queue.shift())
        await work(item as T);
    }),
  );
}

/** Children of these processes, and theirs. */
export function descendants(of: number[]): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statFields(Number(name));
    if (fields) parents.set(Number(name), Number(fields[1]));
  }
  const found = new Set<number>();
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (of.includes(parent) || found.has(parent) || isBelow(parent));
  };
  for (const pid of parents.keys()) if (isBelow(pid)) found.add(pid);
  return [...found];
}

/** Clock ticks of processor time so far, in user and kernel mode. */
export function cpuTicks(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = statFields(pid);
    return fields ? sum + Number(fields[11]) + Number(fields[12]) : sum;
  }, 0);
}

/** Milliseconds of processor time so far, of all threads: where a tick of the clock is too coarse. */
export function cpuMs(pids: number[]): number {
  const threads = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`),
  );
  return threads.reduce(
    (sum, thread) => sum + Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    0,
  );
}

/** What follows the name in /proc/PID/stat: state, parent, … */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it ended while we looked
  }
}
