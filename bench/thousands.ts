/** T17: `ls` and `inbox` with thousands of ended sessions and sixty live ones, beside the same with none at all. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { atEnd, dir, env, output, program, quick, ROUNDS, timed } from './lab.js';
import { type Findings, type Part, spread, times } from './report.js';
import { alternate, figure, ratio } from './stats.js';

const ENDED = quick ? 500 : 5000;
const LIVE = quick ? 8 : 60;

/** State directories of its own: one that is empty, one that is full. */
function place(name: string): NodeJS.ProcessEnv {
  const state = join(dir, `state-${name}`);
  mkdirSync(state, { mode: 0o700 });
  return { ...env, XDG_STATE_HOME: state };
}

async function fill(full: NodeJS.ProcessEnv): Promise<void> {
  const at = join(full.XDG_STATE_HOME!, 'reins', 'sessions');
  const node = process.execPath;
  await output([node, program, 'exec', '--', 'true'], full);
  const [model] = readdirSync(at);
  const spec = JSON.parse(readFileSync(join(at, model!, 'session.json'), 'utf8')) as object;
  const journal = readFileSync(join(at, model!, 'journal.jsonl'));
  // What began a moment ago may just be starting, and is looked at each time: these are old.
  const created_at = new Date(Date.now() - 3_600_000).toISOString();
  for (let index = 0; index < ENDED; index += 1) {
    const id = `e${String(index).padStart(7, '0')}`;
    mkdirSync(join(at, id), { mode: 0o700 });
    writeFileSync(join(at, id, 'session.json'), JSON.stringify({ ...spec, id, name: `old-${index}`, created_at }));
    writeFileSync(join(at, id, 'journal.jsonl'), journal);
  }
  const ids: string[] = [];
  for (let index = 0; index < LIVE; index += 1) {
    const id = (
      await output([node, program, 'exec', '-d', '--name', `live-${index}`, '--', 'sleep', '600'], full)
    ).trim();
    ids.push(id);
    atEnd(() => output([node, program, 'kill', id], full));
  }
  // The rows are written when the start is over.
  const isWritten = (id: string) => existsSync(join(at, id, 'row.json'));
  while (!ids.every(isWritten)) await wait(50);
  // The first look writes down which are over.
  await output([node, program, 'ls'], full);
}

async function run(): Promise<Findings> {
  const [none, full] = [place('none'), place('full')];
  await fill(full);
  const subjects = ['ls', 'inbox'].flatMap((command) =>
    [
      { name: `${command}, none`, env: none },
      { name: `${command}, full`, env: full },
    ].map((one) => ({ name: one.name, once: () => timed([process.execPath, program, command], { env: one.env }) })),
  );
  const { taken, failed } = await alternate(subjects, ROUNDS * 2);
  const of = (name: string) => taken.get(name) ?? [];
  const claims = ['ls', 'inbox'].map((command) => ({
    id: 'T17',
    what: `\`${command}\` with ${ENDED} ended and ${LIVE} live sessions`,
    found: `${spread(figure(of(`${command}, full`)))} ms, with none ${spread(figure(of(`${command}, none`)))} ms`,
    value: ratio(of(`${command}, full`), of(`${command}, none`)).median,
    unit: 'x',
    must: 3,
    aim: 1.5,
    better: 'less' as const,
  }));
  return {
    claims,
    tables: [
      {
        title: '',
        head: ['Command', 'ms', 'beside none'],
        rows: claims.map(({ what, found, value }) => [what, found, times(value)]),
      },
    ],
    notes: [
      'Live ones that are at rest have written down their row; any other is asked by a link of its own.',
      ...[...failed].map(([name, why]) => `${name} could not be measured: ${why}.`),
    ],
  };
}

export const thousands: Part = { name: 'thousands', title: 'T17 Thousands of sessions', run };
