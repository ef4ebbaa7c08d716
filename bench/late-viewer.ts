/** T9: how fast, and with how many bytes, a viewer that comes after a flood sees the right screen. */
import xterm from '@xterm/headless';
import { drive, env, helpers, LIFE_SECS, ROUNDS, reins, room, version } from './lab.js';
import { direct, type Held, holders, ours } from './peers.js';
import { type Findings, type Part, short, spread } from './report.js';
import { alternate, figure } from './stats.js';
import { floodOnce } from './throughput.js';
import { FLOOD_MB, floodFile } from './workload.js';

interface Seen {
  ms: number;
  bytes: number;
}

async function flooded(held: Held): Promise<void> {
  const viewer = await drive('flood', held.viewer);
  viewer.go();
  await viewer.result;
  await viewer.end();
}

/** A whole program in a terminal, from its start to the last word of the flood on its screen. */
async function opened(held: Held): Promise<Seen> {
  const viewer = await drive('open', held.viewer);
  viewer.go();
  const { start, end, bytes } = JSON.parse(await viewer.result) as { start: number; end: number; bytes: number };
  await viewer.end();
  return { ms: (end - start) / 1e6, bytes };
}

type LinkRoom = typeof import('../src/link/index.js');

/** What a program that runs already (the hub, a page that reconnects) waits for: from connecting to the redraw. */
async function linked(id: string): Promise<Seen & { redraw: Uint8Array }> {
  const { connectHost, HostClient, placeOf } = await room<LinkRoom>('link');
  const start = performance.now();
  const link = await connectHost(placeOf(env, id));
  const parts: Uint8Array[] = [];
  let isLive: () => void = () => undefined;
  const live = new Promise<void>((resolve) => {
    isLive = resolve;
  });
  const incoming = {
    snapshot: (bytes: Uint8Array) => void parts.push(bytes),
    output: (bytes: Uint8Array) => void parts.push(bytes),
    live: () => isLive(),
  };
  const client = new HostClient({ link, session: id, version, incoming });
  await client.attach({ kind: 'api', role: 'watcher', visible: true, bytes: true, entries: false, answers: 'no' });
  client.ready();
  await live;
  const ms = performance.now() - start;
  client.close();
  const redraw = Buffer.concat(parts);
  return { ms, bytes: redraw.length, redraw };
}

/** Whether the redraw, shown on a terminal, is the host's own screen. */
async function isRight(id: string, redraw: Uint8Array): Promise<boolean> {
  const shown = JSON.parse(await reins('screen', id, '--json')) as { cols: number; rows: number; lines: string[] };
  const terminal = new xterm.Terminal({ cols: shown.cols, rows: shown.rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(redraw, resolve));
  const { active } = terminal.buffer;
  const lines = shown.lines.map((_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '');
  terminal.dispose();
  return lines.every((line, row) => line.trimEnd() === shown.lines[row]!.trimEnd());
}

async function run(): Promise<Findings> {
  const { agent } = await helpers();
  const { found, missing } = holders('tmux');
  const argv = [agent, 'flood', floodFile(), '1', LIFE_SECS];
  const mine = await ours.hold(argv);
  const theirs = await Promise.all(found.map((holder) => holder.hold(argv)));
  try {
    for (const held of [mine, ...theirs]) await flooded(held);
    const id = mine.viewer.at(-1)!;
    const { taken, failed } = await alternate<Seen>(
      [
        { name: 'reins, over the link', once: () => linked(id) },
        { name: 'reins attach, the whole program', once: () => opened(mine) },
        ...theirs.map((held) => ({ name: 'tmux attach, the whole program', once: () => opened(held) })),
      ],
      ROUNDS,
    );
    const rate = await floodOnce(direct);
    const last = await linked(id);
    const right = await isRight(id, last.redraw);
    const link = taken.get('reins, over the link') ?? [];
    const bytes = figure(link.map((one) => one.bytes / 1000));
    const ms = figure(link.map((one) => one.ms));
    return {
      claims: [
        {
          id: 'T9',
          what: `bytes until a late viewer shows the right screen, after ${FLOOD_MB} MB`,
          found: `${spread(bytes)} KB with scrollback, a replay ${FLOOD_MB * 1000} KB; the screen is ${right ? 'equal' : 'NOT EQUAL'}`,
          value: right ? bytes.median : Number.POSITIVE_INFINITY,
          unit: ' KB',
          must: 200,
          aim: 60,
          better: 'less',
        },
        {
          id: 'T9',
          what: 'the time it takes, over the link',
          found: `${spread(ms)} ms, a replay at the limit ${short((FLOOD_MB / rate) * 1000)} ms`,
          value: ms.median,
          unit: ' ms',
          must: 100,
          aim: 30,
          better: 'less',
        },
      ],
      tables: [
        {
          title: '',
          head: ['Viewer', 'ms', 'KB'],
          rows: [...taken].map(([name, values]) => [
            name,
            spread(figure(values.map((one) => one.ms))),
            spread(figure(values.map((one) => one.bytes / 1000))),
          ]),
        },
      ],
      notes: [
        'Ours brings scrollback with it, as much as fits 60 KB; tmux redraws the visible screen only.',
        '`reins attach` as a whole program pays for the start of Node.',
        ...missing.map((name) => `${name} is not installed here.`),
        ...[...failed].map(([name, why]) => `${name} could not be measured: ${why}.`),
      ],
    };
  } finally {
    for (const held of [mine, ...theirs]) await held.end();
  }
}

export const lateViewer: Part = { name: 'late-viewer', title: 'T9 Late viewer', run };
