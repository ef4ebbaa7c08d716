/** The JSON Schemas' zod side for commands that do one thing and say what came of it, and for findings about the config. */
import { z } from 'zod';
import { Device, Emitted, Guided, Paused, Stopped } from '../contract/schemas.js';

const HatFinding = z.object({ path: z.string(), text: z.string(), fix: z.string() });

const Tree = z.object({
  name: z.string(),
  branch: z.string(),
  folder: z.string(),
  state: z
    .enum(['ready', 'unfinished', 'gone'])
    .describe('unfinished: whoever made it was killed; gone: its folder is'),
  commit: z.string().optional().describe('its branch is on; absent without a branch'),
  ahead: z.number().int().describe('commits the branch here does not have'),
  behind: z.number().int(),
  strays: z.number().int().describe('commits in its folder that are neither on its branch nor here'),
  unmerged: z.number().int().describe('commits that are on no other branch, tag or remote'),
  merged: z.boolean().describe('the branch here has all of its commits'),
  dirty: z.number().int().nullable().describe('files that are not committed; null where git cannot say'),
  submodules: z.array(z.string()).describe('that hold commits or changes which are nowhere else'),
  sessions: z.array(z.string()).describe('that were started with it and are on record'),
  live: z.array(z.string()).describe('that work in it now'),
});

export const RECEIPTS = {
  worktrees: z.array(Tree),
  'worktree-merge': z.object({
    name: z.string(),
    branch: z.string(),
    into: z.string(),
    how: z.enum(['nothing', 'forward', 'merge']),
    commit: z.string(),
    commits: z.number().int(),
    dirty: z.number().int().nullable(),
  }),
  'worktree-rm': z.array(z.object({ name: z.string(), commit: z.string().optional() })),
  /** `stop` and `kill`. */
  stop: z.object({ session: z.string(), ...Stopped.shape }),
  /** `pause` and `resume`. */
  pause: z.object({ paused: z.boolean(), ...Paused.shape }),
  /** `devices` and `devices rename`. */
  devices: z.array(Device),
  device: Device,
  'devices-revoke': z.object({ id: z.string(), revoked: z.literal(true) }),
  pair: z.object({
    link: z.string().describe('lets one browser in, once'),
    until: z.string(),
    running: z.boolean().describe('a hub is there to take it'),
    right: Device.shape.right,
    namespaces: z.array(z.string()),
    session: z.string().optional(),
  }),
  serve: z.object({
    url: z.string(),
    address: z.string(),
    pid: z.number().int(),
    log: z.string(),
    link: z.string().optional(),
    link_until: z.string().optional(),
  }),
  guide: Guided,
  emit: Emitted,
  /** `notify test`; `src/notify/trial.ts` makes it. */
  notify: z.array(
    z.object({
      notifier: z.string(),
      kind: z.enum(['command', 'webhook']),
      answers: z.boolean().describe('it may answer inquiries'),
      ok: z.boolean(),
      ms: z.number().int(),
      detail: z.string(),
      fix: z.string().optional(),
    }),
  ),
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
