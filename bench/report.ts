/**
 * What a part found, and the page made of it. A part can be run alone: what the others found before stays on the page, each
 * row with its day and how busy the machine was.
 */
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

/** A part as it stands on the page: its rows of the table, and its section. */
export interface Shown {
  rows: string[][];
  section: string;
}

/** `when`: the day and the circumstances, behind the name of the part by which its rows are found again. */
export const shown = (part: Part, { claims, tables, notes }: Findings, when: string): Shown => ({
  rows: claims.map((claim) => [...claimRow(claim), `${part.name}, ${when}`]),
  section: [
    `## ${part.title}`,
    ...tables.map(({ title, head, rows }) => [title, table(head, rows)].filter((text) => text !== '').join('\n\n')),
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
  ].join('\n\n'),
});

/** What an earlier run left on the page of one part. */
export function shownBefore(text: string, { name, title }: Part): Shown | undefined {
  const section = text
    .split(/^(?=## )/m)
    .find((one) => one.startsWith(`## ${title}\n`))
    ?.trimEnd();
  if (section === undefined) return undefined;
  const lines = text.split('\n').filter((line) => line.startsWith('| T'));
  const rows = lines.map((line) => line.slice(2, -2).split(' | '));
  return {
    section,
    rows: rows.filter((cells) => cells.length === HEAD.length && cells.at(-1)!.startsWith(`${name}, `)),
  };
}

const HEAD = ['#', 'Metric', 'Found', 'Judged', 'Must', 'Aim', 'Reached', 'Part, measured'];

export function page(parts: Shown[], facts: string[]): string {
  const rows = parts.flatMap((part) => part.rows);
  const sections = parts.map(({ section }) => section);
  return `${['# Benchmarks', INTRODUCTION, facts.map((fact) => `- ${fact}`).join('\n'), table(HEAD, rows), ...sections].join('\n\n')}\n`;
}

const INTRODUCTION = `Written by \`npm run bench\`; do not edit. A figure counts only beside a peer, or the limit, measured in the same run: subjects
take turns, five times, every figure is the median of the rounds with the smallest and the largest behind it, and a ratio is taken
round by round before its median. Everything is driven from outside: a small C program reads and types in a terminal of
its own, the same for us and for every peer. \`npm run bench -- NAME\` measures one part anew and leaves the others as they were.
Peers that are not installed are named in their part; ttyd, where the system has none: \`bench/get-ttyd.sh FOLDER\`, then
\`PATH=FOLDER:$PATH npm run bench\`.`;

/** `load`: how many processes wanted to run on average before it began. */
export function circumstances(load: number, now = new Date()): string {
  const busy = load > cpus().length / 2 ? ' (shared with other work)' : '';
  return `${now.toISOString().slice(0, 10)}, load ${short(load)}${busy}`;
}

export function machine(): string[] {
  const cores = cpus();
  const priority = getPriority();
  return [
    ...(priority === 0 ? [] : [`Run with priority ${priority} (nice), everything that was measured alike`]),
    `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.version}`,
  ];
}
