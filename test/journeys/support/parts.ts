/** Which files of ours each part of the build holds, and their bytes in it (`scripts/bundle.mjs`). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from './cli.js';

const origins = JSON.parse(readFileSync(join(CLI, '../../parts/origins.json'), 'utf8')) as Record<
  string,
  Record<string, number>
>;
const sizes = new Map(Object.values(origins).flatMap((held) => Object.entries(held)));

/** A part is what it holds, in that order; packages that were put into it too. */
export function filesOf(url: string): string[] {
  const [head, part] = url.split('/dist/');
  const held = part === undefined ? undefined : origins[part];
  return held ? Object.keys(held).map((file) => `${head}/dist/${file}`) : [url];
}

/** Bytes of our own code in these files. */
export function weightOf(files: string[]): number {
  return files.reduce((sum, url) => sum + (sizes.get(url.split('/dist/')[1] ?? '') ?? 0), 0);
}
