// Writes what is generated from the code: docs/errors.md, docs/config.md, a table in docs/protocol.md, schema/reins.schema.json, man/reins.1. `--check` only
// compares; the house test does the same, so that documents cannot drift.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../dist/cli/context.js';
import { manPage } from '../dist/cli/man.js';
import { describedProgram } from '../dist/cli/program.js';
import { generated } from '../dist/testing/generated.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
let stale = 0;
for (const [name, text] of Object.entries({
  ...generated((name) => readFileSync(join(root, name), 'utf8')),
  'man/reins.1': manPage(await describedProgram(), version()),
})) {
  const file = join(root, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale += 1;
  if (process.argv.includes('--check')) console.error(`${name} is out of date: npm run docs`);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.error(`wrote ${name}`);
  }
}
if (process.argv.includes('--check') && stale > 0) process.exit(1);
