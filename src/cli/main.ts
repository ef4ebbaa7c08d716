#!/usr/bin/env node
/**
 * The command line's first step. The two commonest questions are answered before anything heavy is loaded; everything
 * else is in program.ts.
 */
import { readFileSync } from 'node:fs';

const first = process.argv[2];
if (first === '--version' || first === '-V') {
  const about = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  process.stdout.write(`${about.version}\n`);
} else {
  const { main } = await import('./program.js');
  await main(process.argv.slice(2));
}
