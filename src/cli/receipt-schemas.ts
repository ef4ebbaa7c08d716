/** The JSON Schemas' zod side for commands that do one thing and say what came of it, and for findings about the config. */
import { z } from 'zod';
import { Emitted, Guided, Paused, Stopped } from '../contract/schemas.js';

const HatFinding = z.object({ path: z.string(), text: z.string(), fix: z.string() });

export const RECEIPTS = {
  /** `stop` and `kill`. */
  stop: z.object({ session: z.string(), ...Stopped.shape }),
  /** `pause` and `resume`. */
  pause: z.object({ paused: z.boolean(), ...Paused.shape }),
  guide: Guided,
  emit: Emitted,
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
