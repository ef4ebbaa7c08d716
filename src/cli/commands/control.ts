/** `reins stop|kill|interrupt|pause|resume|resize|guide|emit`: one command to one host, and what came of it. */
import { readFileSync } from 'node:fs';
import { ReinsError, SESSION_MARK } from '../../contract/index.js';
import { findSession, guideSession, stopSession, tell } from '../../sessions/index.js';
import type { Context } from '../context.js';
import { processCount } from '../table.js';

export async function stop(
  context: Context,
  id: string,
  flags: { how: 'stop' | 'kill'; json?: boolean },
): Promise<number> {
  const { channels } = context;
  const { how } = flags;
  const place = findSession(context, id);
  if (place.alive) channels.chrome(`${how === 'stop' ? 'Stopping' : 'Killing'} ${place.id}…`);
  const tellLine = (line: string) => channels.chrome(line);
  const report = await stopSession(context, place, { how, why: `reins ${how}`, tell: tellLine });
  if (!place.alive) channels.chrome(`Session ${place.id} ${deadWords(report.processes.length)}.`);
  if (flags.json) channels.json({ session: place.id, ...report });
  else for (const end of report.processes) channels.out(`${end.pid}\t${end.how}\t${end.command}\n`);
  if (report.left > 0) channels.complain(`${processCount(report.left)} could not be ended.`);
  return report.left > 0 ? 1 : 0;
}

const deadWords = (count: number): string =>
  count === 0 ? 'has ended already' : `had lost its host; ended ${processCount(count)} it had left`;

export async function interrupt(context: Context, id: string): Promise<number> {
  await tell(context, findSession(context, id), 'interrupt');
  return 0;
}

export async function pause(context: Context, id: string, flags: { on: boolean; json?: boolean }): Promise<number> {
  const { pids } = await tell(context, findSession(context, id), flags.on ? 'pause' : 'resume');
  if (flags.json) context.channels.json({ paused: flags.on, pids });
  else context.channels.chrome(`${flags.on ? 'Paused' : 'Resumed'} ${processCount(pids.length)}.`);
  return 0;
}

export async function resize(context: Context, id: string, size: string): Promise<number> {
  const [cols = 0, rows = 0] = /^\d{1,4}x\d{1,4}$/.test(size) ? size.split('x').map(Number) : [];
  if (!isSide(cols) || !isSide(rows))
    throw new ReinsError('USAGE', { problem: `${size} is no size`, fix: 'write COLSxROWS, from 1x1 to 1000x1000' });
  await tell(context, findSession(context, id), 'resize', { cols, rows });
  return 0;
}

/** As many columns or rows as a host takes. */
const isSide = (count: number): boolean => count >= 1 && count <= 1000;

export async function guide(context: Context, id: string, words: string[], flags: { json?: boolean }): Promise<number> {
  const text = words.join(' ').trim();
  if (text === '')
    throw new ReinsError('USAGE', { problem: 'there is no guidance', fix: `reins guide ${id} "mind the tests"` });
  const place = findSession(context, id);
  const receipt = await guideSession(context, place, text);
  if (flags.json) context.channels.json(receipt);
  else if (receipt.kept) {
    const what = `Guidance ${receipt.id} is kept for when it goes on, in iteration ${receipt.iteration}`;
    context.channels.chrome(`${what}: reins run --continue ${place.id}`);
  } else context.channels.chrome(`Guidance ${receipt.id} goes into the prompt of iteration ${receipt.iteration}.`);
  return 0;
}

/** From inside an agent's shell: the session is the one whose mark the process carries. */
export async function emit(
  context: Context,
  topic: string,
  words: string[],
  flags: { json?: boolean },
): Promise<number> {
  const id = context.env[SESSION_MARK];
  if (!id) throw new ReinsError('OUTSIDE_SESSION');
  const payload = words.length === 1 && words[0] === '-' ? readFileSync(0, 'utf8') : words.join(' ');
  const { emitFromInside } = await import('../../sessions/emit.js');
  const receipt = await emitFromInside(context, id, { topic, payload });
  if (flags.json) context.channels.json(receipt);
  else if (!receipt.accepted) context.channels.complain(`Not accepted: ${receipt.reason}`);
  else context.channels.chrome(`published ${topic}${receipt.reason === undefined ? '' : ` (${receipt.reason})`}`);
  return receipt.accepted ? 0 : 1;
}
