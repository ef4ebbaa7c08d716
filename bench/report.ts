/** What a part found, and the page made of it. No dates: the page changes when the figures do. */
import { cpus, getPriority, totalmem } from 'node:os';
import type { Figure } from './stats.js';

export interface Claim {
  /** Number of the target, e.g. `T1`. */
  id: string;
  what: string;
  /** Ours beside what it is compared with. */
  found: string;
  /** The one number that is judged. */
  value: number;
  unit: string;
  /** Absent where only an aim was set. */
  must?: number;
  aim: number;
  better: 'more' | 'less';
}

export interface Findings {
  claims: Claim[];
  tables: { title: string; head: string[]; rows: string[][] }[];
  notes: string[];
}

export interface Part {
  name: string;
  title: string;
  run(): Promise<Findings>;
}

/** Three figures that mean something, never an exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 1000) return String(Math.round(value));
  return String(Number(value.toPrecision(value >= 100 ? 3 : 2)));
}

export const spread = ({ median, low, high }: Figure): string => `${short(median)} (${short(low)}–${short(high)})`;

export const times = (value: number): string => `${short(value)}x`;

export function verdict({ value, must, aim, better }: Claim): 'aim' | 'must' | 'missed' | 'aim missed' {
  const reached = (goal: number) => (better === 'more' ? value >= goal : value <= goal);
  if (reached(aim)) return 'aim';
  if (must === undefined) return 'aim missed';
  return reached(must) ? 'must' : 'missed';
}

const sign = (claim: Claim): string => (claim.better === 'more' ? '≥' : '≤');

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export function claimRow(claim: Claim): string[] {
  const goal = (value: number) => `${sign(claim)} ${short(value)}${claim.unit}`;
  return [
    claim.id,
    claim.what,
    claim.found,
    `**${short(claim.value)}${claim.unit}**`,
    claim.must === undefined ? '–' : goal(claim.must),
    goal(claim.aim),
    verdict(claim),
  ];
}

export function page(found: { part: Part; findings: Findings }[], facts: string[]): string {
  const claims = found.flatMap(({ findings }) => findings.claims);
  const head = ['#', 'Metric', 'Found', 'Judged', 'Must', 'Aim', 'Reached'];
  const parts = found.map(({ part, findings }) =>
    [
      `## ${part.title}`,
      ...findings.tables.map(({ title, head: names, rows }) => `${title}\n\n${table(names, rows)}`),
      ...(findings.notes.length > 0 ? [findings.notes.map((note) => `- ${note}`).join('\n')] : []),
    ].join('\n\n'),
  );
  return `${['# Benchmarks', INTRODUCTION, facts.map((fact) => `- ${fact}`).join('\n'), table(head, claims.map(claimRow)), ...parts].join('\n\n')}\n`;
}

const INTRODUCTION = `Written by \`npm run bench\`; do not edit. A figure counts only beside a peer, or the limit, measured in the same run: subjects
take turns, every figure is the median of the rounds with the smallest and the largest behind it, and a ratio is taken
round by round before its median. Everything is driven from outside: a small C program reads and types in a terminal of
its own, the same for us and for every peer.`;

/** `load`: how many processes wanted to run on average before we began. */
export function machine(load: number): string[] {
  const cores = cpus();
  const priority = getPriority();
  const busy = load > cores.length / 2 ? `: it was shared with other work, so look at the ratios` : '';
  return [
    `Load before the run ${short(load)}${busy}`,
    ...(priority === 0 ? [] : [`Run with priority ${priority} (nice), everything that was measured alike`]),
    `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.version}`,
  ];
}
