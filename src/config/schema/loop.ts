/** The loop: what it works on, when it is done, when it gives up, which hats it knows (seeds 000 and 001). */
import { z } from 'zod';
import { Filled, Secs } from './shared.js';

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
  max_runtime_seconds: Secs.min(1).default(14_400).describe('Seconds before the loop gives up.'),
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
  gates: z
    .array(Gate)
    .default([])
    .describe('Commands that must pass before completion counts; what fails is told to the agent.'),
  share_folder: z
    .boolean()
    .default(false)
    .describe('Start also where another loop works in the same folder, unasked (`--share-folder`).'),
});

const Hat = z.strictObject({
  name: Filled.exactOptional().describe('The name shown; the id if not set.'),
  description: z.string().default('').describe('What this hat is for, in one line.'),
  triggers: z
    .array(Filled)
    .default([])
    .describe('Topics that make an iteration wear this hat; `build.*` fits several.'),
  publishes: z.array(Filled).default([]).describe('Topics it may publish.'),
  instructions: z.string().default('').describe('What is added to the prompt while it is worn.'),
  backend: Filled.exactOptional().describe('The agent that wears it; the session’s own if not set.'),
  max_activations: z.number().int().min(1).exactOptional().describe('How often it may be worn in one session.'),
});

export const Hats = z.record(Filled, Hat);

export const Events = z.record(
  Filled,
  z.strictObject({ description: z.string().default('').describe('What the topic means; told to the agent.') }),
);
