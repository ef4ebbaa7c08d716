/** `reins digest`: what happened while you were away. Answers that another agent gave in your place come first. */
import { type Digest, type DigestAnswer, digestOf } from '../../sessions/digest.js';
import type { Context } from '../context.js';
import { duration, harmless } from '../table.js';
import { whenOf } from '../when.js';

/** Of each list, so many are shown; `--json` has more. */
const MOST_SHOWN = 20;

export async function digest(context: Context, flags: { since?: string; json?: boolean }): Promise<number> {
  const now = Date.now();
  const found = digestOf(context, { now, ...(flags.since === undefined ? {} : { since: whenOf(flags.since, now) }) });
  for (const { session, reason } of found.unread)
    context.channels.complain(`! ${session} cannot be read: ${harmless(reason)}`);
  if (flags.json) context.channels.json(found);
  else context.channels.out(`${text(found, now).join('\n')}\n`);
  return 0;
}

export function text(found: Digest, now: number): string[] {
  const { counts } = found;
  const since = `${new Date(found.since).toLocaleString('sv').slice(0, 16)} (${duration((now - Date.parse(found.since)) / 1000)} ago)`;
  return [
    `Since ${since}, ${found.because}: ${counts.sessions} ${counts.sessions === 1 ? 'session' : 'sessions'}, ${counts.ended} ended, ${counts.running} running, ${counts.inquiries} asked, ${counts.open} open.`,
    ...section('Answered for you by another agent', found.consultant.map(answerLines)),
    ...section('You answered before the consultant', found.overruled.map(answerLines)),
    ...section('Answered from earlier decisions', found.memory.map(answerLines)),
    ...section('Answered from outside', found.notifier.map(answerLines)),
    ...section('Questions settled by rules and defaults', found.settled.map(answerLines)),
    ...section(
      'Corrected and revoked',
      found.corrections.map(({ decision, question, from, to, reason }) => [
        `${decision}  ${question}: ${from} → ${to ?? 'revoked'}${reason === undefined ? '' : ` (${reason})`}`,
      ]),
    ),
    ...section(
      'Noticed',
      found.notes.map(({ session, text }) => [`${session}  ${text}`]),
    ),
    ...section(
      'Denied, because nobody was there',
      found.denied.map(({ what, count, allow }) => [
        `${count}× ${what}`,
        ...(allow === undefined ? [] : [`to allow it: ${allow}`]),
      ]),
    ),
    ...section(
      'Waits for you (reins inbox)',
      found.open.map(({ inquiry, what, stage }) => [
        `${inquiry}  ${what}${stage === undefined ? '' : ` (${stage === 'deferred' ? 'parked' : stage})`}`,
      ]),
    ),
    ...section(
      'Ended',
      found.sessions
        .filter(({ ended_at }) => ended_at !== undefined)
        .map(({ session, name, outcome, exit_code, reason, parent }) => [
          `${session}  ${name}${below(parent)}: ${outcome} (${exit_code}), ${reason}`,
        ]),
    ),
    ...section(
      'Running',
      found.sessions
        .filter(({ state }) => state === 'running')
        .map(({ session, name, agent, cwd, parent }) => [`${session}  ${name}${below(parent)} (${agent}) in ${cwd}`]),
    ),
    ...suggestions(found),
    '',
    `Cost: agents ${usd(counts.agents_usd)}, consultations ${usd(counts.consultations_usd)}${tally(counts.consultations)}.`,
  ].map(harmless);
}

const below = (parent: string | undefined): string => (parent === undefined ? '' : `, started by ${parent}`);

const usd = (amount: number): string => `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;

function tally(counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([how, count]) => `${count} ${how}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function section(title: string, items: string[][]): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(-MOST_SHOWN);
  const more = items.length > shown.length ? [`  … and ${items.length - shown.length} earlier (--json)`] : [];
  return [
    '',
    `${title}:`,
    ...more,
    ...shown.flatMap(([first = '', ...rest]) => [`  ${first}`, ...rest.map((line) => `      ${line}`)]),
  ];
}

function answerLines({ inquiry, question, answer, by, model, confidence, reason, cites = [] }: DigestAnswer): string[] {
  const sure = confidence === undefined ? '' : `, confidence ${confidence}`;
  return [
    `${inquiry}  ${question} → ${answer}`,
    `by ${by}${model === undefined ? '' : ` (${model})`}${sure}${reason === undefined ? '' : `: ${reason}`}`,
    ...cites.map(
      ({ name, quote, changed }) =>
        `rests on ${name}${quote === undefined ? '' : `: “${quote}”`}${changed ? ' (changed by the asking agent)' : ''}`,
    ),
  ];
}

function suggestions({
  counts: {
    suggestions: { made, taken, not_taken },
  },
  offer,
}: Digest): string[] {
  if (made + taken + not_taken === 0) return [];
  const line =
    offer === undefined
      ? []
      : [`  to let the consultant answer when nobody is there: --set ${offer}, or the same in reins.yml`];
  return ['', `Suggestions: ${made} made, ${taken} taken, ${not_taken} not taken.`, ...line];
}
