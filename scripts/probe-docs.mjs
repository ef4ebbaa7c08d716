// docs/agents.md from what the real agents did just now: installs the pinned ones into the cache if they are not there.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { status, stdout } = spawnSync(
  process.execPath,
  [join(root, 'dist', 'cli', 'main.js'), 'doctor', '--probe', '--pinned', '--markdown'],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
);
// A sign that does not hold is a finding and belongs on the page; without a page there is nothing to write.
if (!stdout.startsWith('# Agents')) process.exit(status || 1);
writeFileSync(join(root, 'docs', 'agents.md'), stdout);
process.exit(status ?? 1);
