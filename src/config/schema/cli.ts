/** Which agent is started and how: the `cli` and `adapters` keys of seeds 000 and 001, and three of our own. */
import { z } from 'zod';
import { CONTROL_KEY } from '../../contract/index.js';
import { Filled, Secs, Text, Texts } from './shared.js';

export const Cli = z.strictObject({
  backend: Filled.default('auto').describe(
    'The agent: auto (the first one found), claude, gemini, kiro, codex, amp, or custom.',
  ),
  command: Filled.exactOptional().describe('The program of the custom backend; required there, ignored elsewhere.'),
  args: Texts.prefault([]).describe('Arguments of the custom backend, placed before the prompt.'),
  prompt_mode: z
    .enum(['arg', 'stdin'])
    .default('arg')
    .describe('How the custom backend gets its prompt: as an argument or on standard input.'),
  prompt_flag: Filled.exactOptional().describe(
    'The flag before the prompt in arg mode; without it the prompt is a positional argument.',
  ),
  acp: z
    .boolean()
    .default(false)
    .describe('The custom backend speaks the Agent Client Protocol, so Reins can gate its tool calls.'),
  acp_asks: z
    .boolean()
    .default(false)
    .describe(
      'Your word that a custom backend over ACP asks before it uses a tool. Not needed for opencode, qwen and copilot, which Reins tells to ask.',
    ),
  default_mode: z
    .enum(['autonomous', 'interactive'])
    .default('autonomous')
    .describe('Who drives when neither -i nor -a is given: Reins (autonomous) or you (interactive).'),
  idle_timeout_secs: Secs.default(30).describe(
    'Interactive mode: stop the agent after this long without output and without input; 0 = never.',
  ),
  detach_key: Filled.regex(CONTROL_KEY, { error: 'must be a control key, like C-]' })
    .default('C-]')
    .describe('The key that leaves `reins attach`; the session lives on.'),
  clipboard: z
    .enum(['driver', 'off'])
    .default('driver')
    .describe(
      'Whose clipboard a supervised program may write to (OSC 52): that of who drives, or nobody’s. None can read one.',
    ),
});

export const Adapter = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether `backend: auto` may choose this agent.'),
  timeout: Secs.default(0).describe(
    'Seconds one iteration may last, whatever the agent does, before it is stopped; 0 = no limit.',
  ),
  quiet_timeout: Secs.default(300).describe(
    'Seconds without any output before an agent is stopped, in a loop or in a turn of a conversation; six times as long while one of its tools runs. 0 = never.',
  ),
  first_output_secs: Secs.default(0).describe(
    'Seconds an agent may stay silent after its start before it counts as hung; 0 = as long as it likes.',
  ),
  idle_secs: Secs.optional().describe('The older name of `quiet_timeout`; where it is written, it counts.'),
  args: Texts.prefault([]).describe('Arguments added to every start of this agent, after ours.'),
  module: Filled.exactOptional().describe(
    'A module of your own that says how this agent is started, read and asked: its whole path (docs/api.md).',
  ),
  env: z.record(z.string(), Text).prefault({}).describe('Environment variables added for this agent.'),
});

export const Adapters = z.record(Filled, Adapter);
