/** A recording of a test, in a folder of its own, and what can be read from it. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { HandClock, type Size } from '../contract/index.js';
import { Recording } from './recording.js';
import { Screen } from './screen.js';

export const MB = 1024 * 1024;
export let dir: string;
export let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'reins-recording-'));
  path = join(dir, 'terminal.cast');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

export interface Stage {
  clock: HandClock;
  screen: Screen;
  recording: Recording;
  troubles: string[];
  /** How often it went on after one. */
  again(): number;
  play(output: string | Uint8Array, afterMs?: number): void;
  end(): Promise<void>;
}

/** A recording beside a screen, fed as a host feeds them. */
export function stage(options: { size?: Size; maxBytes?: number; at?: string; clock?: HandClock } = {}): Stage {
  const clock = options.clock ?? new HandClock();
  const size = options.size ?? { cols: 40, rows: 8 };
  const screen = new Screen({ size, clock });
  screen.answering = false;
  const troubles: string[] = [];
  let again = 0;
  const recording = new Recording({
    path: options.at ?? path,
    size,
    maxBytes: options.maxBytes ?? 64 * MB,
    clock,
    keyframe: () => screen.snapshot({ scrollback: 0 }),
    onTrouble: (reason) => troubles.push(reason),
    onAgain: () => {
      again += 1;
    },
  });
  return {
    clock,
    screen,
    recording,
    troubles,
    again: () => again,
    play(output, afterMs = 10) {
      clock.advance(afterMs);
      const bytes = typeof output === 'string' ? Buffer.from(output, 'utf8') : output;
      screen.write(bytes);
      recording.output(bytes);
    },
    async end() {
      await recording.close();
      screen.close();
    },
  };
}

export async function shown(drawn: { size: Size; bytes: Uint8Array }): Promise<string[]> {
  const screen = new Screen({ size: drawn.size });
  screen.write(drawn.bytes);
  const { lines } = await screen.shot();
  screen.close();
  return lines;
}

export async function sizeOnDisk(): Promise<number> {
  let sum = 0;
  for (const name of await readdir(dir)) sum += (await stat(join(dir, name))).size;
  return sum;
}
