/**
 * What the loop adds between one agent's end and the next one's start. The agent is a shell that says one line, so
 * nearly all of the time between is ours: reading its end, looking for what it left running, git, journal, prompt.
 * Measured twice: by the agents' own clocks (their last act to the next one's first), and by the journal.
 * Usage: npx tsx bench/loop.ts [iterations]; needs a build, REINS_CLI names another one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLI = process.env.REINS_CLI ?? join(import.meta.dirname, '../dist/cli/main.js');
const iterations = Number(process.argv[2] ?? 30);

interface Row {
  ts: string;
  type: string;
}

function measure(where: 'plain folder' | 'git repository'): void {
  const root = mkdtempSync(join(tmpdir(), 'bench-loop-'));
  try {
    const project = join(root, 'project');
    mkdirSync(project);
    const times = join(root, 'times');
    const agent = join(root, 'agent.sh');
    writeFileSync(
      agent,
      `date +%s%N >> ${times}\necho one line\necho $$ > ${project}/changed\ndate +%s%N >> ${times}\n`,
    );
    const env = { PATH: process.env.PATH ?? '', HOME: root, XDG_STATE_HOME: join(root, 'state'), LANG: 'C.UTF-8' };
    if (where === 'git repository') execFileSync('git', ['init', '-q', project], { env });
    const set = ['cli.command=/bin/sh', `cli.args=["${agent}"]`].flatMap((one) => ['--set', one]);
    const args = ['run', '-b', 'custom', '--trust', 'full', '--max-iterations', String(iterations), ...set, '-p', 'x'];
    const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { cwd: project, env, encoding: 'utf8' });
    if (status !== 3) throw new Error(`the run ended with ${status}: ${stderr}`);
    const nanos = readFileSync(times, 'utf8').trim().split('\n').map(Number);
    const between = nanos.slice(2).flatMap((at, index) => (index % 2 === 0 ? [(at - nanos[index + 1]!) / 1e6] : []));
    report(`loop, end to start by the agents' clocks, ${where}`, between);
    report(`loop, agent.ended to agent.started in the journal, ${where}`, journalGaps(join(root, 'state')));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function journalGaps(state: string): number[] {
  const sessions = join(state, 'reins', 'sessions');
  const file = join(sessions, readdirSync(sessions)[0]!, 'journal.jsonl');
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  let ended = Number.NaN;
  return rows.flatMap(({ type, ts }) => {
    if (type === 'agent.ended') ended = Date.parse(ts);
    return type === 'agent.started' && Number.isFinite(ended) ? [Date.parse(ts) - ended] : [];
  });
}

function report(name: string, values: number[]): void {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);
  console.log(`| ${name} | ${values.length} | ${at(0.5)} ms | ${at(0.95)} ms |`);
}

console.log('| what | times | median | 95 % |\n|---|---|---|---|');
measure('plain folder');
measure('git repository');
