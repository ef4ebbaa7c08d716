/**
 * What floods through a terminal: log lines with and without colours, and frames drawn by cursor addressing, as a busy
 * agent and its tools write them. The same bytes on every machine: randomness from a seed.
 */
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dir, quick } from './lab.js';

export const FLOOD_MB = quick ? 10 : 50;

const BLOCK_BYTES = 64 * 1024;
const WORDS =
  'compiled module server request handled cache miss retry worker session checkout naïve Größe 日本 ✓'.split(' ');

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const below = (next: () => number, limit: number): number => Math.floor(next() * limit);

function logLine(next: () => number, coloured: boolean): string {
  const words = Array.from({ length: 4 + below(next, 9) }, () => WORDS[below(next, WORDS.length)]).join(' ');
  const stamp = `12:${String(below(next, 60)).padStart(2, '0')}:${String(below(next, 60)).padStart(2, '0')}.${below(next, 1000)}`;
  if (!coloured) return `${stamp} INFO ${words} ${below(next, 100_000)}\r\n`;
  return `\x1b[2m${stamp}\x1b[0m \x1b[${31 + below(next, 6)};1mINFO\x1b[0m ${words} \x1b[38;5;${below(next, 256)}m${below(next, 100_000)}\x1b[0m\r\n`;
}

/** One repaint of a whole screen, row by row. */
function frame(next: () => number): string {
  let text = '\x1b[?2026h\x1b[H';
  for (let row = 1; row <= 24; row++) {
    const words = Array.from({ length: 6 }, () => WORDS[below(next, WORDS.length)]).join(' ');
    text += `\x1b[${row};1H\x1b[${32 + below(next, 5)}m│\x1b[0m ${words.slice(0, 70)}\x1b[K`;
  }
  return `${text}\x1b[24;1H\x1b[?2026l\r\n`;
}

/** A file of so many bytes; three blocks of lines, then one of frames. */
export function floodFile(megabytes = FLOOD_MB): string {
  const file = join(dir, `flood-${megabytes}`);
  if (existsSync(file)) return file;
  const next = random(megabytes);
  const fd = openSync(file, 'w');
  const blocks = Array.from({ length: 32 }, (_, at) => {
    let text = '';
    while (text.length < BLOCK_BYTES) text += at % 4 === 3 ? frame(next) : logLine(next, at % 2 === 0);
    return Buffer.from(text);
  });
  for (let left = megabytes * 1e6, at = 0; left > 0; at++) {
    const block = blocks[at % blocks.length]!;
    left -= writeSync(fd, block);
  }
  closeSync(fd);
  return file;
}
