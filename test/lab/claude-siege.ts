/** A seat of the lab with what a repository and the user's own settings bring along for Claude. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { versions } from '../../src/testing/lab/versions.js';
import type { Attack } from './claude-attacks.js';
import { type Lab, openLab } from './support.js';

/** Both that people have; `REINS_LAB_VERSIONS` asks for one alone. */
export const VERSIONS = process.env.REINS_LAB_VERSIONS
  ? [undefined]
  : [versions.claude.version, ...(versions.claude.also ?? [])];

export async function besieged(
  version: string | undefined,
  attack: Attack,
  turns = '[{bash: touch B}, {text: done}]',
): Promise<Lab> {
  if (version) vi.stubEnv('REINS_LAB_VERSIONS', `claude=${version}`);
  const lab = await openLab('claude', `turns: ${attack.turns ?? turns}`);
  vi.unstubAllEnvs();
  for (const [name, content] of Object.entries(attack.repo ?? {})) {
    const path = join(lab.world.project, name);
    mkdirSync(dirname(path), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
  for (const [name, content] of Object.entries(attack.home ?? {})) {
    mkdirSync(dirname(join(lab.seat.config, name)), { recursive: true });
    writeFileSync(join(lab.seat.config, name), content);
  }
  if (attack.user) {
    const file = join(lab.seat.config, 'settings.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...attack.user }));
  }
  for (const [name, value] of Object.entries(attack.env ?? {}))
    lab.world.env[name] = value.replace('PROJECT', lab.world.project);
  if (attack.state) {
    const file = join(lab.seat.config, '.claude.json');
    const state = attack.state(lab.world.project);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...state }));
  }
  return lab;
}
