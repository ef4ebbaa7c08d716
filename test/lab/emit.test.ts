/** L7: events published from the real agents' own shells: codex's is a sandbox and a login shell, which takes PATH away. */
import { expect, test } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { all } from '../journeys/support/journal.js';
import { AGENTS, FULL, openLab, told } from './support.js';

const SCENARIO = `
turns:
  - bash: reins emit from.reins one && ralph emit from.ralph two && "$REINS_EMIT" from.path three
  - {text: "It said: {{result}}\\nLOOP_COMPLETE"}
`;

test.each(AGENTS)('%s: reins, ralph and $REINS_EMIT publish from its shell', async (agent) => {
  const lab = await openLab(agent, SCENARIO);
  lab.world.write('ralph.yml', 'event_loop: {max_iterations: 2}\n');
  const ended = await reins(lab.world, ['run', '-b', agent, ...FULL, 'go']);
  const published = (await all(lab.world, 'event.published')).map(
    ({ data }) => `${data.by} ${data.topic} ${data.payload}`,
  );
  expect(published, `${ended.stderr}\n${told(lab)}`).toEqual([
    'emit from.reins one',
    'emit from.ralph two',
    'emit from.path three',
  ]);
  expect(ended.code).toBe(0);
  expect(told(lab)).toContain('published from.path');
});
