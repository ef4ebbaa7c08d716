/**
 * T18: what an iteration costs that does nothing, beside a shell loop that starts the same agent as often; and whether the
 * host of a long loop grows. The agent of the second part looks at its parent, which is the host.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dir, env, program, quick, ROUNDS } from './lab.js';
import { type Findings, type Part, short, spread, times } from './report.js';
import { alternate, figure, ratio } from './stats.js';

const ITERATIONS = quick ? 50 : 300;
const MANY = quick ? 200 : 1000;
/** The first ones load what all later ones use. */
const WARM = 100;
const MOST_SECS = 600;

const LIMIT_EXIT = 3;

/** Milliseconds until it has ended with this code. */
function lasted(argv: string[], expected: number): Promise<number> {
  const [command = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const options = { env, cwd: join(dir, 'nothing'), stdio: 'ignore', timeout: MOST_SECS * 1000 } as const;
    const child = spawn(command, args, options);
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === expected) resolve(Number(process.hrtime.bigint() - start) / 1e6);
      else reject(new Error(`${argv.join(' ')} ended with ${code}`));
    });
  });
}

function loop(agent: string[], iterations: number): Promise<number> {
  const [command = '', ...args] = agent;
  const set = [`cli.command=${command}`, `cli.args=${JSON.stringify(args)}`].flatMap((one) => ['--set', one]);
  const limits = ['--max-iterations', String(iterations), '--max-runtime', String(MOST_SECS)];
  const run = ['run', '-b', 'custom', '--trust', 'full', ...limits, ...set, '-p', 'x'];
  return lasted([process.execPath, program, ...run], LIMIT_EXIT);
}

function shellLoop(agent: string[], iterations: number): Promise<number> {
  const words = agent.map((word) => `'${word}'`).join(' ');
  return lasted(['/bin/sh', '-c', `i=0; while [ $i -lt ${iterations} ]; do ${words} x; i=$((i+1)); done`], 0);
}

/** As little as a host made of Node could do: it starts the agent, hears what it says and that it is gone, and again. */
const NODE_LOOP = `const { spawn } = require('node:child_process');
const [times, command, ...args] = process.argv.slice(2);
const once = () => new Promise((resolve) => {
  const agent = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  agent.stdout.resume();
  agent.stderr.resume();
  agent.on('close', resolve);
});
(async () => { for (let n = 0; n < Number(times); n += 1) await once(); })();
`;

function nodeLoop(agent: string[], iterations: number): Promise<number> {
  return lasted([process.execPath, join(dir, 'nothing', 'loop.cjs'), String(iterations), ...agent, 'x'], 0);
}

interface Beside {
  ours: number[];
  bare: number[];
  node: number[];
}

async function beside(agent: string[]): Promise<Beside> {
  const found = await alternate(
    [
      { name: 'ours', once: () => loop(agent, ITERATIONS) },
      { name: 'bare', once: () => shellLoop(agent, ITERATIONS) },
      { name: 'node', once: () => nodeLoop(agent, ITERATIONS) },
    ],
    ROUNDS,
  );
  for (const why of found.failed.values()) throw new Error(why);
  const each = (name: string) => (found.taken.get(name) ?? []).map((ms) => ms / ITERATIONS);
  return { ours: each('ours'), bare: each('bare'), node: each('node') };
}

/** MB that the host has more after many iterations than after the first hundred. */
async function growth(): Promise<{ before: number; after: number }> {
  const [agent, sizes] = [join(dir, 'nothing', 'weighs.sh'), join(dir, 'nothing', 'sizes')];
  writeFileSync(agent, `sed -n 's/^VmRSS:[[:space:]]*\\([0-9]*\\) kB/\\1/p' /proc/$PPID/status >> ${sizes}\n`);
  await loop(['/bin/sh', agent], MANY);
  const all = readFileSync(sizes, 'utf8')
    .trim()
    .split('\n')
    .map((kb) => Number(kb) / 1024);
  if (all.length !== MANY) throw new Error(`${all.length} sizes of ${MANY}`);
  const [before, after] = [all.slice(WARM, WARM + 50), all.slice(-50)].map((some) => figure(some).median);
  return { before: before!, after: after! };
}

async function run(): Promise<Findings> {
  mkdirSync(join(dir, 'nothing'));
  const shell = join(dir, 'nothing', 'agent.sh');
  writeFileSync(shell, 'echo nothing\n');
  writeFileSync(join(dir, 'nothing', 'loop.cjs'), NODE_LOOP);
  const sh = await beside(['/bin/sh', shell]);
  const node = await beside([process.execPath, '-e', '0']);
  const grown = await growth();
  const row = (name: string, { ours, bare, node: least }: Beside) => [
    ...[name, spread(figure(ours)), spread(figure(bare)), short(figure(ours).median - figure(bare).median)],
    ...[times(ratio(ours, bare).median), spread(figure(least)), times(ratio(ours, least).median)],
  ];
  return {
    claims: [
      {
        id: 'T18',
        what: `an iteration that does nothing, ${ITERATIONS} of them, beside a bare shell loop; a shell agent`,
        found: `${spread(figure(sh.ours))} ms, bare ${spread(figure(sh.bare))} ms`,
        value: ratio(sh.ours, sh.bare).median,
        unit: 'x',
        must: 2,
        aim: 1.3,
        better: 'less',
      },
      {
        id: 'T18',
        what: `growth of the host from iteration ${WARM} to ${MANY}`,
        found: `${short(grown.before)} MB, then ${short(grown.after)} MB`,
        value: grown.after - grown.before,
        unit: ' MB',
        must: 10,
        aim: 2,
        better: 'less',
      },
    ],
    tables: [
      {
        title: 'ms per iteration, start and end of `reins run` included:',
        head: ['Agent', 'reins', 'bare shell loop', 'ours on top', 'ratio', 'bare Node loop', 'ratio'],
        rows: [row('`/bin/sh` with one `echo`', sh), row('`node -e 0`', node)],
      },
    ],
    notes: [
      '`node -e 0` stands for the lightest agent there could be: the CLIs themselves take 140 ms to 2 s to start.',
      'The bare Node loop starts the agent, reads what it says and waits for its end, and does nothing else: no host made of Node is below it. ' +
        'What is ours on top of that is the journal, the prompt, the viewer, and the look at the processes of the machine that proves that nothing was left running.',
    ],
  };
}

export const nothing: Part = { name: 'nothing', title: 'T18 A loop that does nothing', run };
