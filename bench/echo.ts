/** T3 and T4: how long a key takes through a session and back, alone and while another session floods. */
import { drive, helpers, LIFE_SECS, quick, ROUNDS } from './lab.js';
import { direct, type Holder, holders, ours } from './peers.js';
import { type Findings, type Part, short, spread, times } from './report.js';
import { alternate, figure, percentile, ratio } from './stats.js';
import { floodFile } from './workload.js';

/** Keys per round. */
const KEYS = quick ? 80 : 400;

/** Enough times over to outlast any round; it ends with its session. */
const ENDLESS = '100000';

async function echoOnce(holder: Holder): Promise<number[]> {
  const { agent } = await helpers();
  const held = await holder.hold([agent, 'echo', LIFE_SECS]);
  try {
    const viewer = await drive('echo', held.viewer, String(KEYS));
    viewer.go();
    const { ns, lost } = JSON.parse(await viewer.result) as { ns: number[]; lost: number };
    await viewer.end();
    if (lost > 0) throw new Error(`${lost} of ${KEYS} keys never came back`);
    return ns.map((one) => one / 1000);
  } finally {
    await held.end();
  }
}

/** The same while another session of the same holder writes as fast as it can, with nobody watching it. */
async function echoBesideFlood(holder: Holder): Promise<number[]> {
  const { agent } = await helpers();
  const held = await holder.hold([agent, 'flood', floodFile(1), ENDLESS, LIFE_SECS]);
  try {
    const viewer = await drive('poke', held.viewer);
    viewer.go();
    await viewer.result;
    await viewer.end();
    return await echoOnce(holder);
  } finally {
    await held.end();
  }
}

async function measured(holders_: Holder[], once: (holder: Holder) => Promise<number[]>) {
  const subjects = holders_.map((holder) => ({ name: holder.name, once: () => once(holder) }));
  const { taken, failed } = await alternate(subjects, ROUNDS);
  const middles = new Map([...taken].map(([name, rounds]) => [name, rounds.map((keys) => percentile(keys, 0.5))]));
  const reins = middles.get('reins') ?? [];
  const rows = [...taken].map(([name, rounds]) => [
    name,
    spread(figure(middles.get(name)!)),
    short(percentile(rounds.flat(), 0.99)),
    times(ratio(reins, middles.get(name)!).median),
  ]);
  const slowest = (name: string): number => percentile((taken.get(name) ?? []).flat(), 0.99);
  return { rows, failed, middles, reins, slowest };
}

const HEAD = ['Held by', 'p50 µs', 'p99 µs', 'reins is'];

async function run(): Promise<Findings> {
  const { found, missing } = holders('tmux', 'screen', 'dtach', 'abduco');
  const alone = await measured([direct, ours, ...found], echoOnce);
  const tmuxes = found.filter(({ name }) => name === 'tmux' || name === 'dtach');
  const beside = await measured([ours, ...tmuxes], echoBesideFlood);
  const claim = (id: string, what: string, from: typeof alone, must: number, aim: number) => ({
    id,
    what,
    found: `p50 ${spread(figure(from.reins))} µs, tmux ${spread(figure(from.middles.get('tmux') ?? []))} µs; p99 ${short(from.slowest('reins'))} µs, tmux ${short(from.slowest('tmux'))} µs`,
    value: ratio(from.reins, from.middles.get('tmux') ?? []).median,
    unit: 'x tmux',
    must,
    aim,
    better: 'less' as const,
  });
  return {
    claims: [
      claim('T3', 'a key and its echo, through `reins attach`', alone, 1.5, 1),
      claim('T4', 'the same while another session floods', beside, 0.7, 0.3),
    ],
    tables: [
      { title: `Alone, ${KEYS} keys a round:`, head: HEAD, rows: alone.rows },
      { title: 'While another session floods, unwatched:', head: HEAD, rows: beside.rows },
    ],
    notes: [
      'A key passes the host to the agent, and its echo the host again: the viewer has lent its terminal. tmux has the same way.',
      ...missing.map((name) => `${name} is not installed here.`),
      ...[...alone.failed, ...beside.failed].map(([name, why]) => `${name} could not be measured: ${why}.`),
    ],
  };
}

export const echo: Part = { name: 'echo', title: 'T3, T4 Key echo', run };
