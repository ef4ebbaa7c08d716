/** T6: from the end of one agent to the start of the next, as `loop.ts` finds it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { output, program, quick } from './lab.js';
import { type Findings, type Part, short } from './report.js';

const ITERATIONS = quick ? 10 : 25;

const script = fileURLToPath(new URL('./loop.ts', import.meta.url));
const tsx = fileURLToPath(new URL('../node_modules/tsx/dist/cli.mjs', import.meta.url));

async function run(): Promise<Findings> {
  if (!existsSync(script)) return { claims: [], tables: [], notes: ['It is measured by a script that is not here.'] };
  const text = await output([process.execPath, tsx, script, String(ITERATIONS)], { REINS_CLI: program });
  const found = text
    .split('\n')
    .map((line) => /^\| (.+) \| (\d+) \| ([\d.]+) ms \| ([\d.]+) ms \|$/.exec(line))
    .filter((match) => match !== null)
    .map(([, what = '', , median, most]) => ({ what, median: Number(median), most: Number(most) }));
  const first = found[0];
  if (!first) throw new Error('loop.ts said nothing that could be read');
  return {
    claims: [
      {
        id: 'T6',
        what: 'the end of one agent to the start of the next',
        found: `${first.what}, ${ITERATIONS} iterations`,
        value: first.median,
        unit: ' ms',
        must: 50,
        aim: 20,
        better: 'less',
      },
    ],
    tables: [
      {
        title: '',
        head: ['What', 'ms, median', 'ms, 95 %'],
        rows: found.map(({ what, median, most }) => [what, short(median), short(most)]),
      },
    ],
    notes: ['The agent is a shell script of two lines, so that the time between is ours.'],
  };
}

export const nextAgent: Part = { name: 'loop', title: 'T6 From one agent to the next', run };
