/** What an adapter from outside has to look like, in words for whoever wrote it. Pure; also what `reins/testing` checks. */
import type { Door, LaunchPlan } from './adapter.js';

/** Nobody else may be called so. */
export const BUILT_IN = ['claude', 'kiro', 'gemini', 'codex', 'amp', 'custom', 'practice'] as const;

const DOORS: readonly unknown[] = ['stream', 'control', 'tui'] satisfies Door[];
const REFUSALS: readonly unknown[] = ['ungated', 'no-door', 'no-command', 'deny', 'args'];

type Loose = Record<string, unknown>;
const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isFunction = (value: unknown): boolean => typeof value === 'function';

const lacking = (of: Loose, what: string, checks: Record<string, [(value: unknown) => boolean, string]>): string[] =>
  Object.entries(checks).flatMap(([key, [fits, words]]) => (fits(of[key]) ? [] : [`${what} ${key} is not ${words}`]));

const orNothing = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value);

export function adapterProblems(value: unknown): string[] {
  if (!isObject(value)) return ['it has no adapter as its default export'];
  const problems = lacking(value, 'its', {
    id: [(id) => typeof id === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(id), 'a name of small letters, digits and -'],
    label: [isText, 'a text'],
    command: [isText, 'a program'],
    install: [isText, 'a text'],
    door: [isFunction, 'a function'],
    plan: [isFunction, 'a function'],
    takesName: [orNothing(isFunction), 'a function'],
    consultation: [orNothing(isFunction), 'a function'],
    folder: [orNothing(Array.isArray), 'a list'],
  });
  const taken: readonly unknown[] = [...BUILT_IN, 'auto'];
  return taken.includes(value.id)
    ? [...problems, `${String(value.id)} comes with Reins and cannot be replaced`]
    : problems;
}

const isRefusal = (value: unknown): boolean =>
  isObject(value) && REFUSALS.includes(value.refused) && isText(value.reason);

export function doorProblem(door: unknown): string | undefined {
  return DOORS.includes(door) || isRefusal(door)
    ? undefined
    : 'its door is neither stream, control or tui nor a refusal';
}

export function planProblems(plan: unknown): string[] {
  if (!isObject(plan)) return ['its plan is none'];
  if ('refused' in plan) return isRefusal(plan) ? [] : ['its refusal has no reason, or one nobody knows'];
  const texts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
  return lacking(plan, 'its plan’s', {
    command: [isText, 'a program'],
    args: [texts, 'a list of texts'],
    env: [isObject, 'a map'],
    io: [(io) => io === 'pty' || io === 'pipe', 'pty or pipe'],
    stdin: [(stdin) => stdin === 'closed' || stdin === 'open' || (isObject(stdin) && isText(stdin.file)), 'known'],
    files: [
      (files) => Array.isArray(files) && files.every((file) => isText(file?.path) && typeof file.content === 'string'),
      'a list of files',
    ],
    notes: [texts, 'a list of texts'],
  });
}

/** What would ask before a call at this door; words where nothing would. */
export function gateProblem(plan: LaunchPlan, door: Door): string | undefined {
  const asks =
    door === 'tui'
      ? plan.tui?.hook !== undefined || plan.companion !== undefined
      : plan.protocol !== undefined || (door === 'stream' && plan.hook !== undefined);
  if (asks) return undefined;
  return `it brings no gate for its ${door} door (${door === 'tui' ? 'a hook' : 'a protocol that asks'})`;
}
