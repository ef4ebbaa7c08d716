/** The JSON Schemas' zod side for commands that do one thing and say what came of it, and for findings about the config. */
import { z } from 'zod';
import { ProcessEnd } from '../contract/schemas.js';

const HatFinding = z.object({ path: z.string(), text: z.string(), fix: z.string() });

export const RECEIPTS = {
  /** `stop` and `kill`. */
  stop: z.object({
    session: z.string(),
    processes: z.array(ProcessEnd),
    left: z.number().int().describe('processes that could not be ended'),
  }),
  /** `pause` and `resume`. */
  pause: z.object({ paused: z.boolean(), pids: z.array(z.number().int()) }),
  guide: z.object({
    id: z.string(),
    iteration: z.number().int().describe('the iteration whose prompt it goes into'),
  }),
  emit: z.object({ accepted: z.boolean(), reason: z.string().optional() }),
  /** `config check`. */
  check: z.object({
    ok: z.boolean(),
    files: z.array(z.string()),
    errors: z.array(z.string()),
    warnings: z.array(z.string()),
  }),
  /** `hats graph`. */
  hats: z.object({
    starting_event: z.string(),
    completion_promise: z.string(),
    hats: z.array(z.object({ id: z.string(), triggers: z.array(z.string()), publishes: z.array(z.string()) })),
    errors: z.array(HatFinding),
    warnings: z.array(HatFinding),
    text: z.string(),
    mermaid: z.string(),
  }),
};
