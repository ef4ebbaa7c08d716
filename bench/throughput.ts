/** T1: how fast output gets through a session to the viewer that is attached to it. */
import { drive, helpers, LIFE_SECS, ROUNDS } from './lab.js';
import { direct, type Holder, holders, ours } from './peers.js';
import { type Findings, type Part, spread, times } from './report.js';
import { alternate, figure, ratio } from './stats.js';
import { FLOOD_MB, floodFile } from './workload.js';

/** MB per second of what the program wrote, from the key that starts it to its last word on the viewer's screen. */
export async function floodOnce(holder: Holder): Promise<number> {
  const { agent } = await helpers();
  const held = await holder.hold([agent, 'flood', floodFile(), '1', LIFE_SECS]);
  try {
    const viewer = await drive('flood', held.viewer);
    viewer.go();
    const { start, end } = JSON.parse(await viewer.result) as { start: number; end: number };
    await viewer.end();
    return FLOOD_MB / ((end - start) / 1e9);
  } finally {
    await held.end();
  }
}

async function run(): Promise<Findings> {
  const { found, missing } = holders('tmux', 'screen', 'dtach', 'abduco', 'script', 'asciinema');
  const subjects = [direct, ours, ...found].map((holder) => ({
    name: holder.name,
    once: () => floodOnce(holder),
  }));
  const { taken, failed } = await alternate(subjects, ROUNDS);
  const reins = taken.get('reins') ?? [];
  const limit = taken.get(direct.name) ?? [];
  const tmux = taken.get('tmux');
  const rows = [...taken].map(([name, values]) => [
    name,
    spread(figure(values)),
    times(ratio(reins, values).median),
    times(ratio(values, limit).median),
  ]);
  const share = ratio(reins, limit).median;
  return {
    claims: [
      ...(tmux
        ? [
            {
              id: 'T1',
              what: `${FLOOD_MB} MB of output to an attached viewer`,
              found: `${spread(figure(reins))} MB/s, tmux ${spread(figure(tmux))} MB/s`,
              value: ratio(reins, tmux).median,
              unit: 'x tmux',
              must: 1.5,
              aim: 2.5,
              better: 'more' as const,
            },
          ]
        : []),
      {
        id: 'T1',
        what: 'the same beside the limit',
        found: `the limit is ${spread(figure(limit))} MB/s`,
        value: share,
        unit: ' of the limit',
        aim: 0.6,
        better: 'more',
      },
    ],
    tables: [{ title: '', head: ['Held by', 'MB/s', 'reins is', 'of the limit'], rows }],
    notes: [
      'Ours is the whole pipeline: screen, recording, a ring for reconnecting viewers, one viewer through `reins attach`.',
      'A viewer that cannot keep up is given the screen as it is, not every byte. tmux sends its viewer a small part of a flood, reins nearly all of it. What counts is when the last word stands on the screen.',
      ...missing.map((name) => `${name} is not installed here.`),
      ...[...failed].map(([name, why]) => `${name} could not be measured: ${why}.`),
    ],
  };
}

export const throughput: Part = { name: 'throughput', title: 'T1 Throughput', run };
