/** `reins consult --dry-run`: what a consultant would be given for an open inquiry, to the letter. Nothing is started. */
import { type CommandResult, ReinsError, sessionOf } from '../../contract/index.js';
import { type Place, placeOf } from '../../link/index.js';
import { settledBefore, tell } from '../../sessions/index.js';
import type { Context } from '../context.js';
import { harmless } from '../table.js';

export async function consult(
  context: Context,
  id: string,
  flags: { dryRun?: boolean; json?: boolean },
): Promise<number> {
  if (!flags.dryRun)
    throw new ReinsError('USAGE', {
      problem: 'consulting is the policy’s business (auto), not a command',
      fix: `reins consult --dry-run ${id} shows what a consultant would be given`,
    });
  const told = await tell(context, livingPlace(context, id), 'pack', { inquiry: id });
  if (flags.json) context.channels.json(told);
  else {
    for (const line of about(told)) context.channels.chrome(harmless(line));
    if (told.prompt !== '') context.channels.out(told.prompt);
  }
  return 0;
}

/** Where the host of an inquiry is; throws what became of it where there is none. */
function livingPlace(context: Context, id: string): Place {
  const session = sessionOf(id);
  const place = session ? placeOf(context.env, session) : undefined;
  if (place?.barred !== undefined) throw new ReinsError('STATE_DIR', { dir: place.dir, reason: place.barred });
  if (!place?.alive) throw settledBefore(id, place);
  return place;
}

/** Beside the pack, which alone goes to stdout. */
function about({ consultant, away, digest, bytes, sources, left_out: left, price }: CommandResult<'pack'>): string[] {
  const who = `${consultant.adapter}${consultant.model === undefined ? '' : ` (${consultant.model})`}`;
  const usd = price.usd === undefined ? 'price unknown' : `about ${price.usd} USD`;
  return [
    ...(away.length === 0 ? [`${who} would be asked.`] : []),
    ...away.map((why) => `! nobody is asked: ${why}`),
    ...(bytes === 0
      ? []
      : [
          `${bytes} bytes, ${sources.length} sources, sha256 ${digest}`,
          `about ${price.input_tokens} tokens, ${usd} (${price.basis})`,
        ]),
    ...left.map((what) => `left out: ${what}`),
    '',
  ];
}
