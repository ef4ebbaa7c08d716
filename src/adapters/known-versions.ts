/**
 * Which versions of each agent Reins was tried with, and what is known to be less with others: data, one entry per agent.
 * A version that is not in here works through what does not rest on its screen (control, stream, hooks) and on its screen
 * with positive evidence only; whoever starts it is told so (decision 027). What a version needs is a constant in its
 * adapter, beside the code that gives it.
 */
import { isBelow, parseVersion } from './version.js';

interface VersionTable {
  /** Both ends tried; an end that names no patch stands for all of them. Oldest first. */
  tried: readonly { from: string; to: string }[];
  /** Known to work with less: below a version, and what is less. */
  less?: readonly { below: string; reason: string }[];
}

const TABLES: Record<string, VersionTable> = {
  // 2.1.325: alternate screen, OSC 7501 when asked, pages without numbers, auto mode by default (claude.ts, claude-tui.ts).
  claude: {
    tried: [
      { from: '2.1.101', to: '2.1.197' },
      { from: '2.1.325', to: '2.1.325' },
    ],
  },
  codex: {
    tried: [{ from: '0.165', to: '0.166' }],
    less: [
      {
        below: '0.165.0',
        reason:
          'its terminal program is refused under guarded, and with full trust does not say what it does (no OSC 7501): it counts as ready only after a first turn, so start it with a prompt',
      },
    ],
  },
  gemini: {
    tried: [
      { from: '0.45', to: '0.45' },
      { from: '0.61', to: '0.61' },
    ],
    less: [
      {
        below: '0.45.0',
        reason:
          'its conversations cannot be named beforehand (no --session-id), so what is said in its terminal is not on record and cannot be continued',
      },
    ],
  },
};

/** What is known about one version of one agent. `tried`: nothing to say. */
export type VersionStanding = { kind: 'tried' } | { kind: 'less' | 'untried'; reason: string };

/** Undefined: there is nothing to compare, because the agent has no table or names no version. */
export function standingOf(adapter: string, version: string | undefined): VersionStanding | undefined {
  const table = Object.hasOwn(TABLES, adapter) ? TABLES[adapter] : undefined;
  const parsed = parseVersion(version);
  if (!table || !parsed) return undefined;
  const number = parsed.join('.');
  if (table.tried.some((range) => isWithin(number, range))) return { kind: 'tried' };
  const less = table.less?.find(({ below }) => isBelow(number, below));
  if (less) return { kind: 'less', reason: less.reason };
  const [first] = table.tried;
  const last = table.tried.at(-1);
  const place = isBelow(number, first!.from) ? 'older than' : isAbove(number, last!.to) ? 'newer than' : 'between';
  return { kind: 'untried', reason: `it is ${place} the versions Reins was tried with (${rangesOf(table)})` };
}

/** `2.1.101 to 2.1.197, 2.1.325`; undefined for an agent without a table. */
export function triedVersions(adapter: string): string | undefined {
  return Object.hasOwn(TABLES, adapter) ? rangesOf(TABLES[adapter]!) : undefined;
}

export function versionsWithLess(adapter: string): readonly { below: string; reason: string }[] {
  return (Object.hasOwn(TABLES, adapter) && TABLES[adapter]?.less) || [];
}

const rangesOf = ({ tried }: VersionTable): string =>
  tried.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join(', ');

const isWithin = (number: string, { from, to }: { from: string; to: string }): boolean =>
  isBelow(number, from) === false && !isAbove(number, to);

/** Compared as far as the bound goes: 0.61.3 is not above 0.61. */
function isAbove(number: string, bound: string): boolean {
  const cut = number.split('.').slice(0, bound.split('.').length).join('.');
  return cut !== bound && isBelow(cut, bound) === false;
}
