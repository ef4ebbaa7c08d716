/** The loop: what it works on, when it is done, when it gives up, which hats it knows (seeds 000 and 001). */
import { z } from 'zod';
import { Filled, LongSecs, Secs, Text, Texts } from './shared.js';

const Gate = z.strictObject({
  name: Filled.describe('How the gate is called in the journal and in the next prompt.'),
  run: Filled.describe('The command; it passes if it exits with 0.'),
  timeout_secs: z.number().min(1).max(86_400).default(300).describe('Seconds the command may last.'),
});

export const EventLoop = z.strictObject({
  prompt: Filled.exactOptional().describe('The work, in words.'),
  prompt_file: Filled.exactOptional().describe('The work, in a file; without it PROMPT.md, if there is one.'),
  completion_promise: Filled.default('LOOP_COMPLETE').describe('The text by which the agent says that it is done.'),
  max_iterations: z.number().int().min(1).default(100).describe('Iterations before the loop gives up.'),
  max_runtime_seconds: LongSecs.default(14_400).describe('Seconds before the loop gives up.'),
  max_cost_usd: z
    .number()
    .positive()
    .exactOptional()
    .describe('US dollars before the loop gives up, where agents tell.'),
  max_consecutive_failures: z
    .number()
    .int()
    .min(1)
    .default(5)
    .describe('Failed iterations in a row before it gives up.'),
  max_outage_minutes: z
    .number()
    .min(0)
    .default(120)
    .describe(
      'Minutes that an outage of the model or the network is waited out; not counted as failures. 0 = a failure like any other.',
    ),
  stall_iterations: z
    .number()
    .int()
    .min(0)
    .default(5)
    .describe('Iterations in a row without any change before the loop counts as stalled; 0 = never.'),
  starting_event: Filled.default('task.start').describe('The event that starts the first iteration.'),
  cooldown_seconds: Secs.default(0).describe('Seconds of rest between iterations.'),
  idle_timeout_secs: Secs.exactOptional().describe(
    'Seconds without any output before an iteration’s agent is stopped, whichever agent it is; 0 = as long as it likes.',
  ),
  required_events: z.array(Filled).default([]).describe('Topics that must have been published before the end counts.'),
  strict_promise: z
    .boolean()
    .default(false)
    .describe('Only the promise alone on the last line counts, not `✅ LOOP_COMPLETE.` or `<promise>…</promise>`.'),
  gates: z
    .array(Gate)
    .default([])
    .describe('Commands that must pass before completion counts; what fails is told to the agent.'),
  share_folder: z
    .boolean()
    .default(false)
    .describe('Start also where another loop works in the same folder, unasked (`--share-folder`).'),
});

/** An agent of the hat's own: one of ours with further arguments, or any command. */
const HatBackend = z
  .strictObject({
    type: Filled.exactOptional().describe(
      'The agent, as in cli.backend; the session’s own if neither it nor a command is set.',
    ),
    command: Filled.exactOptional().describe('The program of a custom agent.'),
    args: Texts.prefault([]).describe('Arguments added, before the prompt.'),
    prompt_mode: z
      .enum(['arg', 'stdin'])
      .exactOptional()
      .describe('How the command gets its prompt; cli.prompt_mode’s words.'),
    prompt_flag: Filled.exactOptional().describe('The flag before the prompt, if there is one.'),
    agent: Filled.exactOptional().describe('kiro: which of its agents.'),
  })
  .refine((backend) => backend.command === undefined || backend.type === undefined || backend.type === 'custom', {
    error: 'type names an agent already: leave out the command, or write type: custom',
  });

const Hat = z.strictObject({
  name: Filled.exactOptional().describe('The name shown; the id if not set.'),
  description: z.string().default('').describe('What this hat is for, in one line.'),
  triggers: z
    .array(Filled)
    .default([])
    .describe('Topics that make an iteration wear this hat; `build.*` fits several.'),
  publishes: z.array(Filled).default([]).describe('Topics it may publish.'),
  default_publishes: Filled.exactOptional().describe('The topic published for it where it published none.'),
  instructions: z.string().default('').describe('What is added to the prompt while it is worn.'),
  backend: z
    .union([Filled, HatBackend], { error: 'expected the name of an agent, or a map with type or command' })
    .exactOptional()
    .describe('The agent that wears it; the session’s own if not set. A name as in cli.backend, or a map.'),
  timeout: Secs.exactOptional().describe('Seconds one iteration may last while it is worn; 0 = no limit.'),
  disallowed_tools: z
    .array(Filled)
    .default([])
    .describe('Calls that never happen while it is worn, as in rules.deny: `Edit`, `Bash(git push:*)`.'),
  max_activations: z.number().int().min(1).exactOptional().describe('How often it may be worn in one session.'),
});

export const Hats = z.record(Filled, Hat);

export const Events = z.record(
  Filled,
  z.strictObject({
    description: z.string().default('').describe('What the topic means; told to the agent.'),
    on_trigger: z.string().default('').describe('What the hat that it puts on should do; told to the agent.'),
    on_publish: z.string().default('').describe('When and how to publish it; told to the agent.'),
  }),
);

export const Core = z.strictObject({
  guardrails: z.array(Text).default([]).describe('Rules that stand in every prompt.'),
  scratchpad: Filled.exactOptional().describe('The file for notes between iterations; named in the prompt.'),
  specs_dir: Filled.exactOptional().describe('The folder with the specifications; named in the prompt.'),
});
