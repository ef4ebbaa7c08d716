/**
 * Nothing a repository or the user's own Claude settings say opens the gate: each attack, headless and in the terminal
 * program, on both versions. A breach is a file that only the forbidden call, or code that starts unasked, could make.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeOf } from '../../src/link/index.js';
import { entries } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { ATTACKS, REWRITES } from './claude-attacks.js';
import { besieged, VERSIONS } from './claude-siege.js';
import { detachedMode, FULL, type Lab, runOnce, session, told } from './support.js';

const made = ({ world }: Lab, name: string) => existsSync(join(world.project, name));
const breaches = (lab: Lab) => ['B', 'S'].filter((name) => made(lab, name));

/** The terminal program, with nobody there: until the model has been told how its last call came out. */
async function interactive(lab: Lab, args: string[]): Promise<void> {
  const id = await detached(lab.world, ['run', '-i', '-b', 'claude', ...args, 'go']);
  await until(
    'the last turn',
    () => lab.server.left === 0 || breaches(lab).length > 0,
    () => JSON.stringify(entries(lab.world, id).slice(-8)),
    90_000,
  );
}

const MODES = {
  headless: async (lab: Lab, args: string[]) => void (await runOnce(lab, args)),
  interactive,
};

describe.each(VERSIONS)('claude %s', (version) => {
  describe.each(Object.keys(MODES) as (keyof typeof MODES)[])('%s', (mode) => {
    it.each(ATTACKS.map((attack) => [attack.name, attack] as const))('%s', async (_, attack) => {
      const lab = await besieged(version, attack);
      await MODES[mode](lab, []);
      expect(breaches(lab)).toEqual([]);
      expect(lab.server.left).toBe(0);
    });

    it('G1: a PermissionRequest hook against a deny rule under full trust', async () => {
      const lab = await besieged(version, ATTACKS[0]!);
      await MODES[mode](lab, [...FULL, '--set', 'rules.deny=["Bash(touch:*)"]']);
      expect(breaches(lab)).toEqual([]);
      expect(told(lab)).toContain('Bash(touch:*)');
    });

    it('the hook’s secret is not in the environment of the agent’s shells', async () => {
      const lab = await besieged(version, { name: 'env', turns: '[{bash: env}, {text: done}]' });
      await MODES[mode](lab, ['--set', 'rules.allow=["Bash(env)"]']);
      const secret = JSON.parse(
        readFileSync(join(placeOf(lab.world.env, await session(lab)).dir, 'hook', 'hook.json'), 'utf8'),
      );
      expect(told(lab)).toContain('REINS_SESSION=');
      expect(told(lab)).not.toContain('REINS_HOOK');
      expect(told(lab)).not.toContain(secret.secret);
    });

    it.each(REWRITES.map((attack) => [attack.name, attack] as const))('%s', async (_, attack) => {
      const lab = await besieged(version, attack, '[{bash: touch OK}, {text: done}]');
      await MODES[mode](lab, ['--set', 'rules.allow=["Bash(touch OK)", "Skill"]', ...detachedMode('deny')]);
      expect(breaches(lab)).toEqual([]);
      expect(made(lab, 'OK')).toBe(true);
    });
  });
});
