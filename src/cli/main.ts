#!/usr/bin/env node
/**
 * The command line's first step. The commonest question is answered before anything heavy is loaded, and the host of a
 * command that wants one is begun; everything else is in program.ts.
 */
import { readFileSync } from 'node:fs';

const first = process.argv[2];
if (first === '--version' || first === '-V') {
  const about = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  // A closed or full stdout is no stack trace.
  process.stdout.on('error', () => process.exit(1));
  process.stdout.write(`${about.version}\n`);
} else {
  if (first === 'exec' || first === 'run') {
    const { beginAhead } = await import('./host-ahead.js');
    beginAhead(process.argv.slice(2), process.env);
  }
  const { main } = await import('./program.js');
  await main(process.argv.slice(2));
}
