/** T8: what many quiet sessions cost in processor time, each with a spinner, beside tmux holding the same. */
import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { helpers, LIFE_SECS, output, quick, ROUNDS } from './lab.js';
import { holders, tmuxCommand } from './peers.js';
import { type Findings, type Part, short, spread } from './report.js';
import { cpuTicks, crowd } from './sessions.js';
import { figure, ratio } from './stats.js';

const SESSIONS = quick ? 10 : 50;
const WINDOW_MS = quick ? 2_000 : 4_000;
const SETTLE_MS = 2_000;

async function run(): Promise<Findings> {
  const { agent } = await helpers();
  const { found, missing } = holders('tmux');
  const spinner = [agent, 'spin', LIFE_SECS];
  const ours = await crowd(SESSIONS, ['exec', '-d', '--', ...spinner]);
  const theirs = await Promise.all(found.flatMap((tmux) => Array.from({ length: SESSIONS }, () => tmux.hold(spinner))));
  try {
    const server = found.length > 0 ? Number(await output([...tmuxCommand(), 'display', '-p', '#{pid}'])) : undefined;
    await wait(SETTLE_MS);
    const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
    const windows = { reins: [] as number[], tmux: [] as number[] };
    // Both are there all the time: each window measures both at once, and the noise is the same for both.
    for (let round = 0; round < ROUNDS; round++) {
      const before = [cpuTicks(ours.hosts), cpuTicks(server ? [server] : [])];
      const start = performance.now();
      await wait(WINDOW_MS);
      const ticks = ((performance.now() - start) / 1000) * ticksPerSecond;
      windows.reins.push((100 * (cpuTicks(ours.hosts) - before[0]!)) / ticks);
      windows.tmux.push((100 * (cpuTicks(server ? [server] : []) - before[1]!)) / ticks);
    }
    const rates = Object.entries(windows).filter(([name]) => name === 'reins' || server);
    return {
      claims: server
        ? [
            {
              id: 'T8',
              what: `processor time of ${SESSIONS} sessions with a spinner, 8 writes/s each`,
              found: `${spread(figure(windows.reins))} % of a core, tmux ${spread(figure(windows.tmux))} %`,
              value: ratio(windows.reins, windows.tmux).median,
              unit: 'x tmux',
              must: 4,
              aim: 2,
              better: 'less',
            },
          ]
        : [],
      tables: [
        {
          title: '',
          head: ['Held by', '% of a core', 'per session %'],
          rows: rates.map(([name, values]) => [name, spread(figure(values)), short(figure(values).median / SESSIONS)]),
        },
      ],
      notes: [
        'Hosts and the tmux server only; the spinners are a C program and count for neither. Nobody is attached. Ours also records.',
        ...missing.map((name) => `${name} is not installed here.`),
      ],
    };
  } finally {
    await ours.end();
    await Promise.all(theirs.map((held) => held.end()));
  }
}

export const idleCpu: Part = { name: 'idle-cpu', title: 'T8 Idle processor time', run };
