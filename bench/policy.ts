/**
 * T16: what it takes to judge one call, over the everyday commands of the tests and over hostile ones as long as they may be. The unit that
 * counts is the call; that hostile ones end in steps that grow with their length is shown by half the length beside the whole.
 */
import { existsSync, mkdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EVERYDAY, EVERYDAY_RULES } from '../src/policy/everyday.cases.js';
import { dir, quick, ROUNDS, room } from './lab.js';
import { type Findings, type Part, short, spread } from './report.js';
import { figure } from './stats.js';

type PolicyRoom = typeof import('../src/policy/index.js');

const LONGEST = 60_000;
const EVERYDAY_TURNS = quick ? 3 : 20;

const HOSTILE: Record<string, string> = {
  words: 'ls a',
  redirections: 'ls > a',
  substitutions: 'ls $(ls)',
  quotes: `ls 'a'"b"`,
  braces: 'ls {a,b}',
  'a sed script': "sed 's/a/b/",
};

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

const of = (unit: string, length: number): string => {
  const [program = '', ...rest] = unit.split(' ');
  return `${program} ${`${rest.join(' ')} `.repeat(Math.floor((length - 5) / (rest.join(' ').length + 1)))}`;
};

async function run(): Promise<Findings> {
  const { loadShell, makeResolver, route } = await room<PolicyRoom>('policy');
  const tools = { shell: await loadShell(), resolvePath: makeResolver(linkTarget), exists: existsSync };
  const cwd = join(dir, 'policy');
  mkdirSync(cwd, { recursive: true });
  const rule = (effect: 'allow' | 'deny') => (text: string) => ({ effect, text, source: 'reins.yml' });
  const settings = {
    rules: [...['Bash(rm:*)', 'Read(.env)', 'Edit(.git/**)'].map(rule('deny')), ...EVERYDAY_RULES.map(rule('allow'))],
    grants: [],
    tools: { defaults: {}, named: {} },
    trust: { value: 'guarded', source: 'default' },
    onNoAnswer: { value: 'deny', source: 'default' },
    never: { value: [], source: 'default' },
    cwd,
    home: dir,
  } as unknown as Parameters<PolicyRoom['route']>[2];
  const judged = (command: string): number => {
    const start = performance.now();
    route(
      { kind: 'run', tool: 'Bash', input: { command }, exclusive: false },
      { present: true, reason: 'viewer' },
      settings,
      tools,
    );
    return performance.now() - start;
  };
  // The first ones make the machine's code.
  for (let turn = 0; turn < 3; turn++) for (const [command] of EVERYDAY) judged(command);
  const everyday: number[] = [];
  for (let turn = 0; turn < EVERYDAY_TURNS; turn++) for (const [command] of EVERYDAY) everyday.push(judged(command));
  const rows = Object.entries(HOSTILE).map(([name, unit]) => {
    const taken = (length: number) => figure(Array.from({ length: ROUNDS }, () => judged(of(unit, length))));
    const [half, whole] = [taken(LONGEST / 2), taken(LONGEST)];
    return { name, half, whole, grows: whole.median / half.median };
  });
  const call = figure(everyday);
  const worst = rows.reduce((a, b) => (a.grows > b.grows ? a : b));
  return {
    claims: [
      {
        id: 'T16',
        what: 'one Bash call judged, everyday commands',
        found: `${spread(call)} ms, ${everyday.length} calls`,
        value: call.median,
        unit: ' ms',
        must: 1,
        aim: 0.3,
        better: 'less',
      },
      {
        id: 'T16',
        what: `a hostile command of ${LONGEST / 1000} KB beside one of half its length, the worst of ${rows.length} kinds`,
        found: `${worst.name}: ${spread(worst.whole)} ms, half of it ${spread(worst.half)} ms`,
        value: worst.grows,
        unit: 'x half',
        // Twice is what grows with the length; the rest is the machine.
        must: 3,
        aim: 2.2,
        better: 'less',
      },
    ],
    tables: [
      {
        title: `Hostile commands, ms, median of ${ROUNDS}:`,
        head: ['Made of', `${LONGEST / 2000} KB`, `${LONGEST / 1000} KB`, 'grows'],
        rows: rows.map(({ name, half, whole, grows }) => [name, spread(half), spread(whole), `${short(grows)}x`]),
      },
    ],
    notes: [`${EVERYDAY.length} everyday commands under ${EVERYDAY_RULES.length} allow and 3 deny rules.`],
  };
}

export const policy: Part = { name: 'policy', title: 'T16 One call judged', run };
