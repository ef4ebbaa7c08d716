/** A seat of the lab whose agent has never been told to trust the project's folder. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabAgent } from '../../src/testing/index.js';
import type { Lab } from './support.js';

const UNTRUSTED: Record<LabAgent, (lab: Lab) => void> = {
  claude({ seat }) {
    const file = join(seat.config, '.claude.json');
    const { projects: _trusted, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify(rest));
  },
  codex({ seat }) {
    const file = join(seat.config, 'config.toml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\[projects\.[^\]]*\]\ntrust_level = "trusted"\n/, ''));
  },
  gemini({ seat }) {
    rmSync(join(seat.config, 'trustedFolders.json'));
  },
};

/** Takes back what the lab accepted for this folder. */
export function untrust(lab: Lab): void {
  UNTRUSTED[lab.agent](lab);
  // Codex asks about trust only where there is a repository.
  execFileSync('git', ['init', '-q'], { cwd: lab.world.project });
}
