/** Claude Code since 2.1.325: a sub-agent works in the background by default, and reports after its turn had a result. */
import { expect, it } from 'vitest';
import { all, entry } from '../journeys/support/journal.js';
import { file, openLab, runOnce } from './support.js';

const HELPED = `turns:
  - tool: {name: Agent, input: {description: Help, prompt: help me, subagent_type: general-purpose}}
  - {text: I wait for it.}
  - {text: Now all is done.}
subagent: [{bash: echo helped > helped.txt}, {text: the helper is done}]`;

it('claude, guarded: what a helper in the background asks is asked and answered, and its report is heard', async () => {
  const lab = await openLab('claude', HELPED);
  const ended = await runOnce(lab, ['--set', 'rules.allow=["Bash(echo helped:*)", "Agent"]']);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Now all is done.') });
  expect(file(lab, 'helped.txt')).toBe('helped\n');
  expect((await entry(lab.world, 'inquiry.closed')).data).toMatchObject({ how: 'delivered' });
  const unknown = (await all(lab.world, 'notice')).filter(({ data }) => data.code === 'unknown-output');
  expect(unknown).toEqual([]);
});
