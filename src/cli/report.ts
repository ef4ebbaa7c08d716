/**
 * What a loop came to, in a few lines: at its end, and by `reins logs --summary`. A line appears only where there is something
 * to say, so that one quick iteration has none of it.
 */
import type { Place } from '../link/index.js';
import { type Summary, summaryOf } from '../sessions/index.js';
import type { Context } from './context.js';
import { duration, harmless } from './table.js';

const MOST_DENIED = 5;
const MOST_FILES = 3;
const LONGEST = 200;
/** Cut, it would be of no use. */
const ALLOW = '  allow  ';

/** Behind the end of a loop's story; nothing while it goes on. */
export async function tellReport(context: Context, place: Place): Promise<void> {
  if (context.channels.format === 'json') return;
  // Its host may take a moment to go: what it wrote about its end is what counts.
  const summary = await summaryOf({ ...place, alive: false });
  if (summary.state !== 'ended') return;
  for (const line of reportLines(summary, { whole: false })) context.channels.chrome(line);
}

/** `whole`: also what the end of the run has just said. */
export function reportLines(summary: Summary, { whole }: { whole: boolean }): string[] {
  const { changes, gates, hats, waits } = summary;
  // Of one iteration it stands right above.
  const denied = whole || summary.iterations > 1 ? summary.denied : [];
  const lines = [
    ...(whole ? headLines(summary) : []),
    ...(changes && (changes.files > 0 || changes.commits > 0) ? [`changed  ${changesText(changes)}`] : []),
    ...(gates.length > 0 ? [`gates    ${gates.map(gateText).join(', ')}`] : []),
    ...(hats.length > 0 ? [`hats     ${hats.map(({ hat, turns }) => `${hat} ${turns}`).join(', ')}`] : []),
    ...(waits.length > 0 ? [`waited   ${waits.map(waitText).join(', ')}`] : []),
    ...denied.slice(0, MOST_DENIED).flatMap(deniedLines),
    ...(denied.length > MOST_DENIED ? [`denied   and ${denied.length - MOST_DENIED} more`] : []),
  ];
  return lines.map((line) => harmless(line)).map((line) => `  ${line.startsWith(ALLOW) ? line : cut(line)}`);
}

function headLines(summary: Summary): string[] {
  const { outcome, reason = '', iterations, failed, cost_usd: cost, legs, started_at: from, ended_at: to } = summary;
  const { parent, children = [] } = summary;
  const how = outcome === undefined ? 'running' : reason.startsWith(outcome) ? reason : `${outcome}: ${reason}`;
  const seconds = from && to ? (Date.parse(to) - Date.parse(from)) / 1000 : undefined;
  const facts = [
    `${counted(iterations, 'iteration')}${failed > 0 ? ` (${failed} failed)` : ''}`,
    ...(seconds === undefined ? [] : [duration(seconds)]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(4)}`]),
    ...(legs > 1 ? [`continued ${counted(legs - 1, 'time')}`] : []),
  ];
  return [
    `loop     ${summary.session}${summary.name ? ` ${summary.name}` : ''}: ${how}`,
    `work     ${facts.join(' · ')}`,
    ...(parent === undefined ? [] : [`below    ${parent}, whose agent started it`]),
    ...(children.length === 0 ? [] : [`started  ${children.join(', ')}`]),
  ];
}

function changesText({ files, added, removed, commits, most }: NonNullable<Summary['changes']>): string {
  const names = most.slice(0, MOST_FILES).map(({ path }) => path);
  const more = files > names.length ? ', …' : '';
  const made = commits > 0 ? ` · ${counted(commits, 'commit')}` : '';
  return `${counted(files, 'file')} +${added} −${removed}${made}${names.length > 0 ? ` (${names.join(', ')}${more})` : ''}`;
}

const gateText = ({ gate, passed, failed }: Summary['gates'][number]): string =>
  [gate, passed > 0 ? `passed ${counted(passed, 'time')}` : '', failed > 0 ? `failed ${counted(failed, 'time')}` : '']
    .filter((part) => part !== '')
    .join(' ');

const KINDS: Record<string, string> = {
  limit: 'for a usage limit',
  outage: 'in an outage',
  backoff: 'after failures',
  cooldown: 'between iterations',
  person: 'for a person',
};

const waitText = ({ kind, seconds }: Summary['waits'][number]): string => `${duration(seconds)} ${KINDS[kind] ?? kind}`;

function deniedLines({ what, count, allow }: Summary['denied'][number]): string[] {
  const line = `denied   ${what}${count > 1 ? `, ${counted(count, 'time')}` : ''}`;
  return allow === undefined ? [line] : [line, `${ALLOW}${allow}`];
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
const cut = (line: string): string => (line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line);
