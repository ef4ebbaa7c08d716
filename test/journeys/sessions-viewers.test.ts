/** Three viewers and a flood: one reads, one is stuck, one comes and goes; none slows the agent or sees a wrong screen. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type HostClient, placeOf } from '../../src/link/index.js';
import { reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { Drawn, detached, linkTo, row, shot, shows } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const FULL = process.env.REINS_FULL === '1';
const MEGABYTES = FULL ? 200 : 50;
/** How long the one that reconnects stays: a second in the long form. */
const STAY_MS = 5 * MEGABYTES;

/** A runaway would be the flood itself; the rest is Node, an emulator, and queues that are bounded. */
const MOST_MEMORY_KB = 250 * 1024;

/** A reader that is this far behind asks for a pause, as a real terminal does. */
const MOST_UNDRAWN = 1024 * 1024;

/** Waits for a line, floods, then draws a last screen and stays. */
const FLOOD = `
const megabytes = Number(process.argv[2]);
process.stdin.once('data', () => {
  let sent = 0;
  let line = 0;
  const more = () => {
    while (sent < megabytes * 1024 * 1024) {
      let text = '';
      for (let i = 0; i < 500; i++) {
        line++;
        text += '\\x1b[3' + (line % 8) + 'mline ' + line + '\\x1b[0m ' + 'größer 漢字 '.repeat(line % 7) + '\\r\\n';
        if (line % 997 === 0) text += '\\x1b[5;10H\\x1b[7mframe ' + line + '\\x1b[K\\x1b[0m\\x1b[40;1H';
      }
      sent += text.length;
      if (!process.stdout.write(text)) { process.stdout.once('drain', more); return; }
    }
    process.stdout.write('\\x1b[2;4H\\x1b[1;35mTHE FLOOD IS OVER\\x1b[0m\\x1b[K');
  };
  more();
});
process.stdout.write('waiting');
setInterval(() => {}, 60000);
`;

const size = { cols: 100, rows: 40 };
const request = {
  kind: 'terminal',
  role: 'watcher',
  visible: true,
  bytes: true,
  entries: false,
  answers: 'no',
} as const;

/** Draws what comes, and holds the link while it cannot keep up. */
class Reader {
  readonly drawn = new Drawn(size);
  client: HostClient | undefined;
  #undrawn = 0;

  async attach(world: World, id: string): Promise<void> {
    const { offset } = this.drawn;
    this.client = await linkTo(world, id, {
      ...this.drawn.incoming,
      output: (bytes, at) => {
        this.drawn.incoming.output!(bytes, at);
        this.#flow(bytes.length);
      },
    });
    await this.client.attach({ ...request, ...(offset === undefined ? {} : { since: { offset } }) });
    this.client.ready();
  }

  #flow(bytes: number): void {
    this.#undrawn += bytes;
    const { client } = this;
    if (this.#undrawn > MOST_UNDRAWN) client?.hold();
    this.drawn.terminal.write('', () => {
      this.#undrawn -= bytes;
      if (this.#undrawn <= MOST_UNDRAWN) client?.release();
    });
  }
}

test(`a flood of ${MEGABYTES} MB under a reader, a stuck viewer and one that reconnects`, {
  timeout: 600_000,
}, async () => {
  const world = newWorld();
  const program = world.write('flood.cjs', FLOOD);
  const id = await detached(world, ['exec', '--', 'node', program, String(MEGABYTES)]);
  await shows(world, id, 'waiting');
  const { pid } = await row(world, id);
  const control = await linkTo(world, id);
  await control.command('resize', size);

  const reader = new Reader();
  await reader.attach(world, id);
  const stuck = new Reader();
  await stuck.attach(world, id);
  stuck.client!.hold();
  const comer = new Reader();
  let coming = true;
  onTestFinished(() => {
    coming = false;
  });
  let visits = 0;
  const comings = (async () => {
    while (coming) {
      await comer.attach(world, id);
      visits += 1;
      await sleep(STAY_MS);
      if (coming) comer.client!.close();
    }
  })();

  await control.command('keys', { keys: 'Enter' });
  const over = 'THE FLOOD IS OVER';
  await until(
    'the end of the flood',
    async () => {
      const seen = await control.command('screen');
      return seen.lines.join('\n').includes(over);
    },
    undefined,
    500_000,
  );
  coming = false;
  await comings;
  stuck.client!.release();

  // What the host's screen is, as a viewer that comes last sees it: drawn from a snapshot alone.
  const last = new Reader();
  await last.attach(world, id);
  for (const viewer of [reader, stuck, comer, last]) {
    await until('the last screen', async () => (await viewer.drawn.rows()).join('\n').includes(over));
  }
  const host = await shot(world, id);
  const cells = await last.drawn.cells();
  expect(await last.drawn.rows()).toEqual(host.lines.map((line) => line.trimEnd()));
  for (const viewer of [reader, stuck, comer]) {
    expect(await viewer.drawn.cells()).toEqual(cells);
    expect(viewer.drawn.gaps).toBe(0);
  }
  expect(stuck.drawn.snapshots).toBeGreaterThan(1);
  expect(visits).toBeGreaterThan(1);
  const most = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  expect(most).toBeLessThan(MOST_MEMORY_KB);
});

test('a program that floods and ends at once: its last line is on the recording', async () => {
  const world = newWorld();
  const program = world.write(
    'lines.cjs',
    "process.stdout.write('a line of a flood\\n'.repeat(400000) + 'THE LAST LINE\\n')",
  );
  const id = await detached(world, ['exec', '--', 'node', program]);
  await entry(world, 'session.ended', { session: id });
  await until('the host’s end', () => !placeOf(world.env, id).alive);
  await world.empty();
  const moment = await reins(world, ['replay', id, '--at', '1000']);
  expect(moment.stdout.trimEnd().split('\n').at(-1)).toBe('THE LAST LINE');
});
