/**
 * A session with 200 000 entries, counted in bytes read by its host and in memory allowed, never in seconds: it goes on,
 * is attached to, followed and shown, and nobody reads or holds it whole.
 */
import { appendFileSync, closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { calls } from './support/agents.js';
import { type CliOptions, reins, startReins } from './support/cli.js';
import { entries, entry, onlySession, sessionDir } from './support/journal.js';
import { worker } from './support/loop.js';
import { linkTo } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const LONG = 200_000;
/** The journal as objects takes several times as much. */
const LITTLE_MEMORY: CliOptions = { env: { NODE_OPTIONS: '--max-old-space-size=48' } };

function lengthen(world: World, id: string): { file: string; last: number } {
  const file = join(sessionDir(world, id), 'journal.jsonl');
  const first = entries(world, id).at(-1)!;
  for (let count = 1; count <= LONG; count += 1000) {
    const lines = Array.from({ length: 1000 }, (_, index) => {
      const text = `line ${count + index} ${'of a long story '.repeat(10)}\n`;
      return JSON.stringify({ ...first, seq: first.seq + count + index, type: 'agent.text', data: { text } });
    });
    appendFileSync(file, `${lines.join('\n')}\n`);
  }
  return { file, last: first.seq + LONG };
}

const endOf = (file: string): string => {
  const bytes = readFileSync(file);
  return bytes.toString('utf8', Math.max(0, bytes.length - 64 * 1024));
};

/** Bytes a process has read in its life, as the system counts them. */
const bytesRead = (pid: number): number =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? Number.NaN);

test('a journal of 200 000 entries is gone on with, attached to and shown in bounded parts', async () => {
  const world = newWorld();
  const run = worker(
    world,
    `while (fs.existsSync('hold')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); say('working'); done();`,
  );
  expect(await reins(world, [...run, '--max-iterations', '1', '-p', 'go'])).toMatchObject({ code: 3 });
  const id = await onlySession(world);
  const { file, last } = lengthen(world, id);
  const size = statSync(file).size;
  expect(size).toBeGreaterThan(50_000_000);

  world.write('hold', '');
  const goOn = ['run', '-d', '--continue', id, '--max-iterations', '3'];
  expect(await reins(world, goOn, LITTLE_MEMORY)).toMatchObject({ code: 0 });
  onTestFinished(async () => void (await reins(world, ['kill', id])));
  await until('the second iteration', () => calls(world, 'worker').length === 2);
  const started = (await entry(world, 'session.started', { session: id, is: ({ seq }) => seq > last })).data;
  expect(started.continues).toBe(true);
  const host = started.host_pid;
  // Its past is gone through for the loop, for the agent's events and for the last words; all else is kept from one more time.
  expect(bytesRead(host)).toBeLessThan(4.5 * size);

  const cost = async (what: () => Promise<void>): Promise<number> => {
    const before = bytesRead(host);
    await what();
    return bytesRead(host) - before;
  };
  // From the end, from the middle, and as the past of what one has seen.
  const client = await linkTo(world, id);
  const asked = await cost(async () => {
    const ask = async (args: Record<string, number>) =>
      (await client.command('entries', args)).entries.map(({ seq }) => seq);
    expect((await ask({ limit: 2 })).at(-1)).toBeGreaterThan(last);
    expect(await ask({ since: 100_000, limit: 2 })).toEqual([100_001, 100_002]);
    expect(await ask({ before: 100_000, limit: 2 })).toEqual([99_998, 99_999]);
  });
  expect(asked).toBeLessThan(size / 25);

  const attached = await cost(async () => {
    const late = startReins(world, ['attach', id], LITTLE_MEMORY);
    await until(
      'its end is shown',
      () => late.stdout.includes(`line ${LONG} `),
      () => late.stderr,
    );
    expect(late.stderr).toContain(`… earlier: reins logs ${id}`);
    expect(late.stdout).not.toContain(`line ${LONG - 2000} `);
    late.child.kill('SIGINT');
    expect(await late.done).toMatchObject({ code: 0 });
  });
  expect(attached).toBeLessThan(size / 25);

  // Everything, to who wants everything: page by page.
  const copy = join(world.root, 'copy.jsonl');
  const stdout = openSync(copy, 'w');
  const everything = ['logs', '-f', id, '--since', '10', '--format', 'json'];
  const follower = startReins(world, everything, { ...LITTLE_MEMORY, stdout });
  await until('the whole story', () => endOf(copy).includes(`"seq":${last},`));
  follower.child.kill('SIGINT');
  expect(await follower.done).toMatchObject({ code: 0 });
  closeSync(stdout);
  const seqs = readFileSync(copy, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs.slice(0, LONG)).toEqual(Array.from({ length: LONG }, (_, index) => index + 11));

  await reins(world, ['kill', id]);
  const shown = await reins(world, ['logs', id, '--since', String(last - 3), '--format', 'json'], LITTLE_MEMORY);
  expect(
    shown.stdout
      .split('\n')
      .slice(0, 3)
      .map((line) => JSON.parse(line).seq),
  ).toEqual([last - 2, last - 1, last]);
  const whole = await reins(world, ['logs', id], LITTLE_MEMORY);
  expect(whole).toMatchObject({ code: 0, signal: null });
  expect(whole.stdout.match(/^line /gm)?.length).toBe(LONG);
});
