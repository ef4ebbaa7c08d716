/** T7: what an idle session costs in memory, many at once, each holding the practice agent. */
import { setTimeout as wait } from 'node:timers/promises';
import { helpers, LIFE_SECS, memoryOf, quick } from './lab.js';
import { type Findings, type Part, short, spread } from './report.js';
import { crowd, descendants } from './sessions.js';
import { figure } from './stats.js';

const SESSIONS = quick ? 10 : 100;

/** Of the bare command fewer are enough to tell what one costs. */
const BARE_SESSIONS = 10;

/** Long enough for the last start to be over and for idle memory to be given back: V8 does that after about 10 s. */
const SETTLE_MS = 20_000;

const pss = (pids: number[]): number[] =>
  pids.flatMap((pid) => {
    try {
      return [memoryOf(pid, 'smaps_rollup', 'Pss')];
    } catch {
      return []; // a helper of the agent that ended meanwhile
    }
  });

async function held(count: number, args: string[]): Promise<{ hosts: number[]; agents: number }> {
  const sessions = await crowd(count, args);
  try {
    await wait(SETTLE_MS);
    const agents = pss(descendants(sessions.hosts)).reduce((sum, one) => sum + one, 0);
    return { hosts: pss(sessions.hosts), agents: agents / count };
  } finally {
    await sessions.end();
  }
}

async function run(): Promise<Findings> {
  const { agent } = await helpers();
  const practice = await held(SESSIONS, ['run', '-i', '-d', '-b', 'practice', '--idle-timeout', '0']);
  const plain = await held(BARE_SESSIONS, ['exec', '-d', '--', agent, 'idle', LIFE_SECS]);
  const row = (name: string, { hosts, agents }: typeof practice) => [name, spread(figure(hosts)), short(agents)];
  return {
    claims: [
      {
        id: 'T7',
        what: `memory of an idle session, ${SESSIONS} of them with the practice agent`,
        found: `${spread(figure(practice.hosts))} MB a host, the practice agent itself ${short(practice.agents)} MB`,
        value: figure(practice.hosts).median,
        unit: ' MB',
        must: 14,
        aim: 8,
        better: 'less',
      },
    ],
    tables: [
      {
        title: `Proportional set size, MB, ${SESSIONS} and ${BARE_SESSIONS} sessions at once:`,
        head: ['Session', 'host', 'what it holds'],
        rows: [row('practice agent, its screen watched', practice), row('a bare command (`reins exec`)', plain)],
      },
    ],
    notes: ['For scale: real agents were seen to take 150 to 235 MB each. That was not measured in this run.'],
  };
}

export const memory: Part = { name: 'memory', title: 'T7 Memory', run };
