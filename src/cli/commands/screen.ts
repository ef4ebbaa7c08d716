/** `reins screen` and `reins send`: look at an agent's terminal without disturbing it, and put something into it. */
import { readFileSync } from 'node:fs';
import { ReinsError, type SendReceipt } from '../../contract/index.js';
import { findSession, tell } from '../../sessions/index.js';
import type { Context } from '../context.js';

export async function screen(
  context: Context,
  id: string,
  flags: { ansi?: boolean; json?: boolean; scrollback?: string },
): Promise<number> {
  const place = findSession(context, id);
  const scrollback = flags.scrollback === undefined ? 0 : Number(flags.scrollback);
  if (!Number.isInteger(scrollback) || scrollback < 0) {
    throw new ReinsError('USAGE', {
      problem: `--scrollback ${flags.scrollback} is no number of lines`,
      fix: 'like 100',
    });
  }
  if (flags.ansi) {
    const { lines, ansi = lines.join('\n') } = await tell(context, place, 'screen', { ansi: true, scrollback });
    context.channels.out(ansi.endsWith('\n') ? ansi : `${ansi}\n`);
    return 0;
  }
  const shot = await tell(context, place, 'screen', { scrollback });
  if (flags.json) context.channels.json(shot);
  else context.channels.out(`${shot.lines.join('\n').trimEnd()}\n`);
  return 0;
}

export async function send(
  context: Context,
  id: string,
  words: string[],
  flags: { keys?: string; json?: boolean; key?: string },
): Promise<number> {
  const place = findSession(context, id);
  if (flags.keys !== undefined) {
    if (words.length > 0)
      throw new ReinsError('USAGE', { problem: 'both text and --keys were given', fix: 'send one of them' });
    if (flags.keys.trim() === '')
      throw new ReinsError('USAGE', {
        problem: 'there are no keys',
        fix: `reins send ${place.id} --keys "Esc C-c Enter"`,
      });
    const receipt = await tell(context, place, 'keys', { keys: flags.keys });
    return told(context, receipt, flags);
  }
  const text = words.length === 1 && words[0] === '-' ? readFileSync(0, 'utf8') : words.join(' ');
  if (text.trim() === '')
    throw new ReinsError('USAGE', {
      problem: 'there is no message',
      fix: `reins send ${place.id} "go on", or - for stdin`,
    });
  const receipt = await tell(context, place, 'submit', {
    text,
    ...(flags.key === undefined ? {} : { key: flags.key }),
  });
  return told(context, receipt, flags);
}

function told(context: Context, receipt: SendReceipt, flags: { json?: boolean }): number {
  if (flags.json) context.channels.json(receipt);
  else {
    const why = receipt.reason ?? receipt.evidence;
    context.channels.chrome(`${receipt.verdict}${why ? ` (${why})` : ''}`);
  }
  return receipt.verdict === 'submitted' || receipt.verdict === 'queued' ? 0 : 1;
}
