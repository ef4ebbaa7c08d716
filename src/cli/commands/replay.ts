/** `reins replay`: plays the recording of a session in the terminal, shows one moment of it, or exports it. */
import { join } from 'node:path';
import { ReinsError, type Size } from '../../contract/index.js';
import { FILES } from '../../disk/index.js';
import { findSession } from '../../sessions/index.js';
import { Screen } from '../../terminal/index.js';
import { openRecording } from '../../terminal/recording-read.js';
import type { Context } from '../context.js';
import { play, written } from '../player.js';

export interface ReplayFlags {
  speed?: string;
  at?: string;
  export?: string;
  chapters?: boolean;
}

export async function replay(context: Context, id: string, flags: ReplayFlags): Promise<number> {
  const place = findSession(context, id);
  const recording = await openRecording(join(place.dir, FILES.recording)).catch((error: unknown) => {
    throw new ReinsError('NO_RECORDING', { session: place.id }, { cause: error });
  });
  if (flags.export === '-') {
    for await (const piece of recording.cast()) await written(context, piece);
    return 0;
  }
  if (flags.export !== undefined) {
    await recording.exportCast(flags.export).catch((error: NodeJS.ErrnoException) => {
      throw new ReinsError('USAGE', {
        problem: `${flags.export} cannot be written: ${error.code ?? error.message}`,
        fix: 'name a file in a folder that exists and can be written to',
      });
    });
    context.channels.chrome(`Wrote ${flags.export}. Play it: asciinema play ${flags.export}`);
    return 0;
  }
  if (flags.at !== undefined) {
    const moment = await recording.at(timeOf(flags.at));
    context.channels.out(await rowsOf(moment, { colours: process.stdout.isTTY }));
    return 0;
  }
  if (flags.chapters) {
    const chapters = await recording.chapters();
    if (chapters.length === 0) context.channels.chrome('No chapters: nothing was asked, and there was no iteration.');
    for (const { timeMs, label } of chapters) context.channels.out(`${clockTime(timeMs)}\t${label}\n`);
    return 0;
  }
  return play(context, recording, speedOf(flags.speed));
}

function speedOf(text: string | undefined): number {
  const speed = text === undefined ? 1 : Number(text);
  if (!Number.isFinite(speed) || speed <= 0) {
    throw new ReinsError('USAGE', { problem: `--speed ${text} is no speed`, fix: 'like 2 for twice as fast' });
  }
  return speed;
}

/** `90`, `1:30` or `0:01:30` from the start. */
function timeOf(text: string): number {
  const parts = text.split(':').map(Number);
  if (parts.length > 3 || parts.some((part) => !Number.isFinite(part) || part < 0)) {
    throw new ReinsError('USAGE', { problem: `--at ${text} is no time`, fix: 'like 90 or 1:30' });
  }
  return parts.reduce((sum, part) => sum * 60 + part, 0) * 1000;
}

/** The other way round: what `--at` takes. */
function clockTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A moment as its rows, with their colours for a person: no modes, nothing to interpret. */
async function rowsOf(moment: { size: Size; bytes: Uint8Array }, how: { colours: boolean }): Promise<string> {
  const screen = new Screen({ size: moment.size, scrollback: 0 });
  screen.answering = false;
  screen.write(moment.bytes);
  const text = how.colours ? await screen.ansi() : (await screen.shot()).lines.join('\n');
  screen.close();
  return `${text.trimEnd()}\n`;
}
