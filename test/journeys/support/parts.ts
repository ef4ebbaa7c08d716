/** Which files of ours each part of the build holds (`scripts/bundle.mjs`). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from './cli.js';

const origins = JSON.parse(readFileSync(join(CLI, '../../parts/origins.json'), 'utf8')) as Record<string, string[]>;

/** A part is what it holds, in that order; packages that were put into it too. */
export function filesOf(url: string): string[] {
  const [head, part] = url.split('/dist/');
  const held = part === undefined ? undefined : origins[part];
  return held ? held.map((file) => `${head}/dist/${file}`) : [url];
}
