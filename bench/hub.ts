/**
 * T15: what the hub costs with many sessions and pages, beside ttyd with the busy terminals alone. A page is a paired socket
 * that shows the terminal of one busy session and says what it drew; ttyd's clients do the same.
 */
import { setTimeout as wait } from 'node:timers/promises';
import WebSocket from 'ws';
import { BYTES, type PageDown, type PageUp } from '../src/contract/page.js';
import { HubClient } from '../test/journeys/support/hub-client.js';
import { hasTtyd, invite, type LabServer, startHub, startTtyd } from './hub-lab.js';
import { atEnd, helpers, memoryOf, quick, ROUNDS, reins } from './lab.js';
import { type Claim, type Findings, type Part, short, spread } from './report.js';
import { cpuMs, crowd } from './sessions.js';
import { figure, ratio } from './stats.js';

const IDLE = quick ? 16 : 190;
const BUSY = quick ? 4 : 10;
const PAGES = quick ? 4 : 20;
const WINDOW_MS = quick ? 3_000 : 10_000;
/** Long enough for the memory of the start to be given back. */
const SETTLE_MS = quick ? 5_000 : 20_000;
/** Two hundred starts take minutes on a small machine. */
const LIFE_SECS = '1800';

/** Bytes of terminals that arrived at each page, and at all clients of ttyd. */
const came = { pages: [] as number[], ttyd: 0 };

async function page(session: string): Promise<WebSocket> {
  const at = came.pages.push(0) - 1;
  const client = await HubClient.pair(await invite());
  const { socket } = await client.socket();
  const up = (message: PageUp) => socket.send(JSON.stringify(message));
  let undrawn = 0;
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) {
      const { t } = JSON.parse(data.toString()) as PageDown;
      if (t === 'ping') up({ t: 'pong' });
      // Only who was greeted may ask for something.
      if (t !== 'hello') return;
      up({ t: 'open', ch: 1, session });
      up({ t: 'terminal', ch: 1, shown: true });
      return;
    }
    if (data[0] !== BYTES.output) return;
    came.pages[at]! += data.length;
    undrawn += data.length - 13;
    // As a page does: once a frame, not once a message.
    if (undrawn < 1_000) return;
    up({ t: 'drawn', ch: 1, bytes: undrawn });
    undrawn = 0;
  });
  up({ t: 'hello', visible: true });
  return socket;
}

function ttydClient({ url }: LabServer): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, ['tty']);
  socket.on('message', (data: Buffer) => {
    came.ttyd += data.length;
  });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      socket.send(Buffer.from(JSON.stringify({ AuthToken: '', columns: 80, rows: 24 })));
      resolve(socket);
    });
  });
}

const pss = (pids: number[]): number => pids.reduce((sum, pid) => sum + memoryOf(pid, 'smaps_rollup', 'Pss'), 0);

async function run(): Promise<Findings> {
  const { agent } = await helpers();
  const spinner = [agent, 'spin', LIFE_SECS];
  const hub = await startHub();
  const idle = await crowd(IDLE, ['exec', '-d', '--', 'sleep', LIFE_SECS]);
  const busy = await crowd(BUSY, ['exec', '-d', '--', ...spinner]);
  const rows = JSON.parse(await reins('ls', '--json')) as { id: string; pid: number | null }[];
  const sessions = rows.filter(({ pid }) => pid !== null && busy.hosts.includes(pid)).map(({ id }) => id);
  const sockets: WebSocket[] = [];
  atEnd(async () => {
    for (const socket of sockets) socket.terminate();
  });
  const peers: LabServer[] = [];
  try {
    if (hasTtyd()) for (let at = 0; at < BUSY; at++) peers.push(await startTtyd(spinner));
    for (let at = 0; at < PAGES; at++) {
      sockets.push(await page(sessions[at % BUSY]!));
      if (peers.length > 0) sockets.push(await ttydClient(peers[at % BUSY]!));
    }
    await wait(SETTLE_MS);
    const theirs = peers.map(({ pid }) => pid);
    const groups = { hub: [hub.pid], ttyd: theirs, hosts: busy.hosts };
    const used: Record<keyof typeof groups, number[]> = { hub: [], ttyd: [], hosts: [] };
    const memory = { hub: [] as number[], ttyd: [] as number[] };
    came.pages.fill(0);
    came.ttyd = 0;
    const names = Object.keys(groups) as (keyof typeof groups)[];
    // All are there all the time: each window measures them at once, and the noise is the same for all.
    for (let round = 0; round < ROUNDS; round++) {
      const before = names.map((name) => cpuMs(groups[name]));
      const start = performance.now();
      await wait(WINDOW_MS);
      const ms = performance.now() - start;
      for (const [at, name] of names.entries()) used[name].push((100 * (cpuMs(groups[name]) - before[at]!)) / ms);
      memory.hub.push(pss([hub.pid]));
      memory.ttyd.push(pss(theirs));
    }
    const without = came.pages.filter((bytes) => bytes === 0).length;
    if (without > 0) throw new Error(`${without} of ${PAGES} pages got no byte of a terminal`);
    const what = `${IDLE + BUSY} sessions (${BUSY} busy), ${PAGES} pages`;
    const claims: Claim[] = [
      {
        id: 'T15',
        what: `memory of the hub, ${what}`,
        found: `${spread(figure(memory.hub))} MB${theirs.length > 0 ? `, ttyd for the busy ones ${spread(figure(memory.ttyd))} MB` : ''}`,
        value: figure(memory.hub).median,
        unit: ' MB',
        must: 150,
        aim: 100,
        better: 'less',
      },
    ];
    if (theirs.length > 0)
      claims.push({
        id: 'T15',
        what: `processor time of the hub, ${what}`,
        found: `${spread(figure(used.hub))} % of a core, ttyd for the busy ones ${spread(figure(used.ttyd))} %`,
        value: ratio(used.hub, used.ttyd).median,
        unit: 'x ttyd',
        must: 2,
        aim: 1,
        better: 'less',
      });
    const row = (name: string, cpu: number[], mb: number[], bytes: number) => [
      name,
      spread(figure(cpu)),
      mb.length > 0 ? spread(figure(mb)) : '–',
      bytes > 0 ? short(bytes / 1000) : '–',
    ];
    return {
      claims,
      tables: [
        {
          title: '',
          head: ['Process', '% of a core', 'PSS, MB', 'KB of terminals sent'],
          rows: [
            row(
              'the hub',
              used.hub,
              memory.hub,
              came.pages.reduce((sum, bytes) => sum + bytes, 0),
            ),
            row(`hosts of the ${BUSY} busy sessions`, used.hosts, [], 0),
            ...(theirs.length > 0 ? [row(`${BUSY} ttyd`, used.ttyd, memory.ttyd, came.ttyd)] : []),
          ],
        },
      ],
      notes: [
        `Busy is a spinner, 8 writes/s. Every page is a paired device that shows the terminal of one busy session. ttyd starts the program anew for each of its ${PAGES} clients and holds no session; it has no list of sessions to keep either.`,
        ...(hasTtyd() ? [] : ['ttyd is not installed here (`bench/get-ttyd.sh` brings one).']),
      ],
    };
  } finally {
    for (const socket of sockets) socket.terminate();
    await Promise.all(peers.map((peer) => peer.end()));
    await busy.end();
    await idle.end();
    await hub.end();
  }
}

export const hubCost: Part = { name: 'hub', title: 'T15 The hub', run };
