/** T2: the same flood with five viewers, one of which has stopped reading. */
import { type Driven, drive, helpers, LIFE_SECS, memoryOf, ROUNDS, reins } from './lab.js';
import { type Held, holders, ours } from './peers.js';
import { type Findings, type Part, short, spread } from './report.js';
import { alternate, figure, ratio } from './stats.js';
import { FLOOD_MB, floodFile } from './workload.js';

interface Flooded {
  /** MB/s until the first viewer, and until the last of those that read, shows the end. */
  first: number;
  last: number;
  /** Most memory the host ever had, MB; only ours. */
  peakMb: number | undefined;
}

const viewers = { one: 0, five: 4 };

async function hostPeak(viewer: string[]): Promise<number | undefined> {
  const rows = JSON.parse(await reins('ls', '--json')) as { id: string; pid: number }[];
  const row = rows.find(({ id }) => id === viewer.at(-1));
  return row ? memoryOf(row.pid, 'status', 'VmHWM') : undefined;
}

async function flooded(held: Held, others: number): Promise<Flooded> {
  const all: Driven[] = [];
  try {
    const driver = await drive('flood', held.viewer);
    all.push(driver);
    for (let at = 0; at < others; at++) all.push(await drive(at === 0 ? 'stall' : 'watch', held.viewer));
    for (const other of all.slice(1)) other.go();
    driver.go();
    const reading = all.filter((_, at) => at !== 1);
    const times = (await Promise.all(reading.map(({ result }) => result))).map(
      (line) => JSON.parse(line) as { start: number; end: number },
    );
    const start = times[0]!.start;
    const peakMb = await hostPeak(held.viewer).catch(() => undefined);
    const rate = (end: number) => FLOOD_MB / ((end - start) / 1e9);
    return { first: rate(times[0]!.end), last: rate(Math.max(...times.map(({ end }) => end))), peakMb };
  } finally {
    await Promise.all(all.map((viewer) => viewer.end()));
  }
}

async function run(): Promise<Findings> {
  const { agent } = await helpers();
  const { found } = holders('tmux');
  const subjects = [ours, ...found].flatMap((holder) =>
    Object.entries(holder === ours ? viewers : { five: viewers.five }).map(([name, others]) => ({
      name: `${holder.name}, ${name}`,
      once: async () => {
        const held = await holder.hold([agent, 'flood', floodFile(), '1', LIFE_SECS]);
        try {
          return await flooded(held, others);
        } finally {
          await held.end();
        }
      },
    })),
  );
  const { taken, failed } = await alternate(subjects, ROUNDS);
  const of = (name: string, pick: (one: Flooded) => number) => (taken.get(name) ?? []).map(pick);
  const one = of('reins, one', ({ first }) => first);
  const five = of('reins, five', ({ first }) => first);
  const peaks = (name: string) => figure(of(name, ({ peakMb }) => peakMb ?? Number.NaN));
  return {
    claims: [
      {
        id: 'T2',
        what: 'the flood with 5 viewers, one stalled',
        found: `${spread(figure(five))} MB/s, with one viewer ${spread(figure(one))} MB/s`,
        value: ratio(five, one).median,
        unit: 'x one viewer',
        must: 0.7,
        aim: 0.9,
        better: 'more',
      },
    ],
    tables: [
      {
        title: 'Until the driver, and until the last of the four that read, shows the end:',
        head: ['Held by, viewers', 'driver MB/s', 'last MB/s', "host's peak MB"],
        rows: [...taken].map(([name, values]) => [
          name,
          spread(figure(values.map(({ first }) => first))),
          spread(figure(values.map(({ last }) => last))),
          name.startsWith('reins') ? spread(peaks(name)) : '',
        ]),
      },
    ],
    notes: [
      `Memory is bounded: a viewer is owed at most 4 MB, then it gets the screen instead. Peak with one viewer ${short(peaks('reins, one').median)} MB, with five ${short(peaks('reins, five').median)} MB.`,
      'Five viewers are ten processes (a viewer and its reader each) on the same cores; a part of the cost is theirs.',
      ...[...failed].map(([name, why]) => `${name} could not be measured: ${why}.`),
    ],
  };
}

export const manyViewers: Part = { name: 'viewers', title: 'T2 Five viewers, one stalled', run };
