/**
 * What ralph's files hold that has another name here, or no use: facts about ralph-orchestrator's public configs, both its
 * flat first version and the nested one. What has the same name and meaning here is not listed; the schema knows it.
 * `*` stands for any one name. A key that neither this table nor the schema knows is a mistake, and is said to be one.
 */
import type { Path } from '../path.js';

/** Old place → new place; where both are written the old one wins, as in ralph. */
export const MOVED: readonly (readonly [from: string, to: string])[] = [
  ['agent', 'cli.backend'],
  ['prompt_file', 'event_loop.prompt_file'],
  ['prompt_text', 'event_loop.prompt'],
  ['completion_promise', 'event_loop.completion_promise'],
  ['max_iterations', 'event_loop.max_iterations'],
  ['max_runtime', 'event_loop.max_runtime_seconds'],
  ['max_cost', 'event_loop.max_cost_usd'],
  ['event_loop.cooldown_delay_seconds', 'event_loop.cooldown_seconds'],
  ['hats.*.subscribes_to', 'hats.*.triggers'],
];

const NEVER_COMMITS = 'Reins never commits for you';
const ONE_BY_ONE = 'hats are worn one at a time';
const WHOLE_TIME = 'adapters.<name>.timeout';
const MODEL = 'adapters.<name>.args, as in [--model, NAME]';

/** Known to ralph and without effect here; the second word says what to use instead, or why not. */
export const IDLE: readonly (readonly [key: string, why?: string])[] = [
  // Other subsystems of ralph's.
  ['verbose'],
  ['quiet', '`reins -q run`'],
  ['event_loop.verbose'],
  ['memories'],
  ['tasks'],
  ['skills'],
  ['features', 'a loop of its own folder: `reins run --worktree`'],
  ['hooks', 'nothing of them is run; event_loop.gates run commands before the end counts'],
  ['backpressure', 'nothing of it is run; event_loop.gates run commands before the end counts'],
  ['RObot', 'nobody is messaged; `reins inbox` and `reins guide` reach the loop'],
  ['tui', '`reins run --tui`'],
  ['cli.experimental_tui', '`reins run --tui`'],
  ['cli.quiet', '`reins -q run`'],
  ['cli.color_mode', 'NO_COLOR'],
  ['cli.agent'],
  ['agent_priority', 'the first agent found in the documented order is used'],
  ['agent_args', 'adapters.<name>.args'],
  // The loop.
  ['event_loop.checkpoint_interval', NEVER_COMMITS],
  ['checkpoint_interval', NEVER_COMMITS],
  ['git_checkpoint', NEVER_COMMITS],
  ['event_loop.persistent', 'a loop ends with its promise; `reins run --continue` goes on'],
  ['event_loop.cancellation_promise'],
  ['event_loop.enforce_hat_scope', 'always so here'],
  ['event_loop.mutation_score_warn_threshold'],
  ['event_loop.workflow_guards'],
  ['event_loop.execution_mode', ONE_BY_ONE],
  ['event_loop.event_policy'],
  ['event_loop.state_machine'],
  ['event_loop.phase_config'],
  // Hats.
  ['hats.*.scratchpad', 'core.scratchpad is for all'],
  ['hats.*.concurrency', ONE_BY_ONE],
  ['hats.*.aggregate', ONE_BY_ONE],
  ['hats.*.event_filter'],
  ['hats.*.phase_triggers'],
  // Agents.
  ['adapters.*.tool_permissions', '`trust` and `rules` say what an agent may do'],
  ['adapters.*.max_retries', 'event_loop.max_consecutive_failures'],
  // The flat first version.
  ['max_tokens', 'event_loop.max_cost_usd'],
  ['retry_delay', 'a failed iteration is tried again after a pause that grows'],
  ['context_window'],
  ['context_threshold'],
  ['archive_prompts', 'every prompt is kept with its session'],
  ['enable_metrics', '`reins logs`'],
  ['metrics_interval'],
  ['dry_run', '`reins run --dry-run`'],
  ['iteration_telemetry'],
  ['output_preview_length'],
  ['max_prompt_size'],
  ['allow_unsafe_paths'],
  ['output_format', '`reins --format`'],
  ['output_verbosity', '`reins -q run`'],
  // Read by no version of ralph's, which passes over what it does not know, and yet in many files: right words in a wrong place.
  ['cli.timeout', WHOLE_TIME],
  ['cli.model', MODEL],
  ['adapters.*.model', MODEL],
  ['event_loop.max_runtime', 'event_loop.max_runtime_seconds'],
  ['event_loop.timeout', WHOLE_TIME],
  ['event_loop.timeout_seconds', WHOLE_TIME],
  ['core.memories'],
  ['core.tasks'],
  ['core.skills'],
  ['guardrails', 'core.guardrails'],
  ['project', 'event_loop.prompt_file and core.specs_dir say where things are'],
  ['hats.*.prompt_suffix', 'hats.<name>.instructions'],
  ['hats.*.prompt', 'hats.<name>.instructions'],
  ['hats.*.model', 'hats.<name>.backend: {args: [--model, NAME]}'],
];

/** Has a use of its own: it says that the notice is not wanted. */
export const SILENCE = '_suppress_warnings';

/** Turned into something else by the shape they have (`shapes.ts`). */
const SHAPED = ['hats.*.extra_instructions', 'hats.*.backend_args', 'hats.*.args', 'event_loop.starting_hat'];

/** Names that stand in ralph's files for a program of its own, whatever `command` says beside them. */
export const RALPH_BACKENDS: readonly string[] = [
  ...['claude', 'kiro', 'kiro-acp', 'gemini', 'codex', 'amp', 'copilot', 'opencode', 'pi', 'roo', 'forge', 'cursor'],
  ...['qwen', 'acp', 'q', 'auto'],
];

const KNOWN: readonly string[][] = [
  ...MOVED.map(([from]) => from),
  ...IDLE.map(([key]) => key),
  ...SHAPED,
  SILENCE,
  'core.scratchpad.enabled',
  'core.scratchpad.path',
].map((key) => key.split('.'));

/** A key of ralph's, something below one, or a map on the way to one. */
export function isRalphKey(path: Path): boolean {
  if (String(path[0]).startsWith('_')) return true;
  return KNOWN.some((known) => known.slice(0, path.length).every((part, at) => part === '*' || part === path[at]));
}

/** For "did you mean": the keys of ralph's that may stand directly below a path. */
export function ralphKeysBelow(path: Path): string[] {
  const below = KNOWN.filter(
    (known) => known.length > path.length && path.every((part, at) => known[at] === '*' || known[at] === part),
  );
  return [...new Set(below.map((known) => known[path.length]!).filter((key) => key !== '*'))];
}
