/** `reins demo`: a guided first look with the practice agent. No key, no network, every feature can be tried. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decisionsAt } from '../../host/index.js';
import { livingPlaces, specOf } from '../../sessions/index.js';
import { findExecutable } from '../../terminal/find.js';
import type { Context } from '../context.js';
import { hubBeside } from '../hub-beside.js';
import { practiceConsultant } from '../practice-consultant.js';
import { run } from './run.js';

const FOLDER = 'reins-demo-';
const TOUR = 'Show me around: the tour.';
const NIGHT = 'Build the shop. We run PostgreSQL everywhere.';

export async function demo(context: Context, flags: { autonomous?: boolean }): Promise<number> {
  tidyUp(context);
  const cwd = mkdtempSync(join(tmpdir(), FOLDER));
  const interactive = process.stdout.isTTY === true && flags.autonomous !== true;
  const { channels } = context;
  channels.chrome('Reins demo. The practice agent is a small script: no model, no key, no network.');
  channels.chrome(`It works in ${cwd}. ${interactive ? 'Leave with Ctrl-] (it goes on), or type /exit.' : ''}`);
  const reins = ownName(context);
  channels.chrome(`Next: ${reins} ls · ${reins} run -b practice "tour" · ${reins} doctor`);
  const { link, close } = await hubBeside(context);
  if (link !== undefined) {
    channels.chrome('');
    channels.chrome(
      'The same on a page, for as long as the demo runs: what the agent asks can be answered there, too.',
    );
    channels.chrome(`  ${link}`);
  }
  channels.chrome('');
  const code = await tour(context, cwd, interactive)
    .then(async (first) => (first === 0 ? night(context, cwd) : first))
    .finally(() => tidyUp(context))
    .finally(close);
  channels.chrome('');
  channels.chrome(`That was the practice agent. Now with yours: cd into a project, then ${reins} run -i`);
  return code;
}

const PRACTICE = { backend: 'practice', once: true, agentArgs: [] };

const tour = (context: Context, cwd: string, interactive: boolean): Promise<number> =>
  run(context, [TOUR], {
    ...PRACTICE,
    cwd,
    name: 'demo',
    ...(interactive ? { interactive: true, idleTimeout: 0 } : { autonomous: true }),
  });

/** Nobody is there, and another agent answers. What it decided is for show: nobody is to come across it later. */
async function night(context: Context, cwd: string): Promise<number> {
  const { channels } = context;
  const reins = ownName(context);
  const folder = mkdtempSync(join(cwd, 'night-'));
  channels.chrome('');
  channels.chrome('Now it is 3 a.m. The agent has a question, and nobody is there. You said before (in reins.yml):');
  channels.chrome('  tools: {defaults: {detached: {question: auto}}}   # nobody there: ask another agent');
  channels.chrome(`Its goal: ${NIGHT}`);
  channels.chrome('');
  const env = { ...context.env, PRACTICE_SCENARIO: 'ask-single', PRACTICE_CONSULT: 'consult PostgreSQL 0.8' };
  const set = ['tools.defaults.detached.question=auto', ...practiceConsultant];
  try {
    const asked = { ...PRACTICE, cwd: folder, name: 'demo-night', autonomous: true, nonInteractive: true, set };
    const code = await run({ ...context, env }, [NIGHT], asked);
    channels.chrome('');
    channels.chrome(
      'The other agent got the question, your goal and nothing else: no tools, no project. It had to quote what',
    );
    channels.chrome(
      `its answer rests on. In the morning: ${reins} digest · who is asked with your agents: ${reins} doctor`,
    );
    return code;
  } finally {
    decisionsAt(folder, context.env).forget();
  }
}

/**
 * What the practice agent made is of no use to anyone; a session that goes on still needs its folder. One that was left with
 * Ctrl-] and ended later is found by the next demo.
 */
function tidyUp({ env }: Context): void {
  const used = livingPlaces(env).flatMap((place) => (place.alive ? (specOf(place)?.cwd ?? []) : []));
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(FOLDER))) {
    const folder = join(tmpdir(), name);
    if (used.includes(folder)) continue;
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Somebody else's.
    }
  }
}

/** As it can be typed here: a checkout that was never installed has no `reins` on PATH. */
function ownName({ env, cwd }: Context): string {
  if (findExecutable('reins', { path: env.PATH, cwd }).ok && !env.npm_lifecycle_event) return 'reins';
  const program = fileURLToPath(new URL('../main.js', import.meta.url));
  return `node ${program.startsWith(`${cwd}/`) ? program.slice(cwd.length + 1) : program}`;
}
