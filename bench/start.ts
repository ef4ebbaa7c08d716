/** T5: how long a command takes to start and end, beside Node alone. */
import { dir, onPath, program, quick, timed } from './lab.js';
import { type Findings, type Part, spread, times } from './report.js';
import { alternate, figure, ratio } from './stats.js';

const STARTS = quick ? 5 : 15;

async function run(): Promise<Findings> {
  const node = process.execPath;
  const commands: [name: string, argv: string[]][] = [
    ['node -e 0', [node, '-e', '0']],
    ['reins --version', [node, program, '--version']],
    ['reins exec -- true', [node, program, 'exec', '--', 'true']],
    ['reins exec --no-pty -- true', [node, program, 'exec', '--no-pty', '--', 'true']],
    ['reins ls', [node, program, 'ls']],
    ...(onPath('script')
      ? [['script -qc true', ['script', '-qc', 'true', `${dir}/typescript`]] as [string, string[]]]
      : []),
  ];
  const subjects = commands.map(([name, argv]) => ({ name, once: () => timed(argv) }));
  const { taken, failed } = await alternate(subjects, STARTS);
  const bare = taken.get('node -e 0') ?? [];
  const of = (name: string) => taken.get(name) ?? [];
  const claim = (name: string, must: number, aim: number) => ({
    id: 'T5',
    what: `\`${name}\`, from start to end`,
    found: `${spread(figure(of(name)))} ms, \`node -e 0\` ${spread(figure(bare))} ms`,
    value: ratio(of(name), bare).median,
    unit: 'x node',
    must,
    aim,
    better: 'less' as const,
  });
  return {
    claims: [claim('reins --version', 1.5, 1.2), claim('reins exec -- true', 6, 4)],
    tables: [
      {
        title: '',
        head: ['Command', 'ms', 'beside `node -e 0`'],
        rows: [...taken].map(([name, values]) => [
          `\`${name}\``,
          spread(figure(values)),
          times(ratio(values, bare).median),
        ]),
      },
    ],
    notes: [
      '`reins exec` is two Node processes that load side by side: the command line, and the host that outlives it.',
      ...[...failed].map(([name, why]) => `${name} could not be measured: ${why}.`),
    ],
  };
}

export const start: Part = { name: 'start', title: 'T5 Start', run };
