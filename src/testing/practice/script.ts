/**
 * What the practice agent plays: scenarios as data. Owns the shape of a step, reading a scenario file, and choosing a
 * scenario by flag or by the words of a prompt; the scenarios themselves stand in `scenarios.ts`.
 *
 * A scenario file is a JSON list of steps, played in order for each prompt:
 *   [ {"say": "Let me look."}, {"think": "hm"}, {"wait": 200},
 *     {"tool": "Bash", "input": {"command": "date"}},
 *     {"tools": [{"tool": "Read", "input": {"file_path": "a"}}, {"tool": "Bash", "input": {"command": "ls"}}]},
 *     {"ask": [{"question": "Which one?", "options": ["red", "blue"]}]},
 *     {"say": "You said {{answer}}; it printed {{result}}", "when": "allowed"},
 *     {"event": "build.done", "payload": "all green"}, {"exit": 0} ]
 * Fields in braces: prompt, result (of the last tool), answer (of the last question) and note (beside it), arg. `when` looks at the
 * last tool or question: allowed, denied. `withdrawAfter` (ms) takes a pending permission back, as agents do. `ungated`
 * ("unasked", "anyway", {"runs": {…}}) is an agent whose gate is open.
 */
import { readFileSync } from 'node:fs';
import { scenarios } from './scenarios.js';

export interface PracticeTool {
  tool: string;
  input: Record<string, unknown>;
  withdrawAfter?: number;
  /** A gate that does not hold: runs without asking, runs whatever the answer is, runs something else than was asked. */
  ungated?: 'unasked' | 'anyway' | { runs: Record<string, unknown> };
}

export interface PracticeQuestion {
  question: string;
  header?: string;
  /** Empty: only free text can answer. */
  options: (string | { label: string; description?: string })[];
  multiSelect?: boolean;
}

export type PracticeStep = { when?: 'allowed' | 'denied' } & (
  | { say: string }
  | { think: string }
  | { wait: number }
  | PracticeTool
  | { tools: PracticeTool[] }
  | { ask: PracticeQuestion[] }
  | { event: string; payload?: string }
  /** Ends the process at once with this code. */
  | { exit: number }
  /** Ends the turn with an error result, as an API failure does. */
  | { error: string; status?: number }
  /** What the result will say this turn cost, in USD. */
  | { cost: number | string }
  /** A bad habit by name (misbehave.ts), with its number if it takes one. */
  | { misbehave: string; n?: number }
);

export interface Scenario {
  name: string;
  /** One line for `/help` and error messages. */
  about: string;
  steps: (prompt: string, arg: string) => PracticeStep[];
  /** Words of a short prompt that lead here. */
  words?: RegExp;
  /** Happens before the agent shows anything, when chosen by flag. */
  early?: boolean;
}

export interface Chosen {
  scenario: Scenario;
  arg: string;
}

const STEP_KEYS = 'say think wait tool tools ask event exit error cost misbehave'.split(' ');

/** Reads a scenario file or inline JSON; throws an Error whose message names the place. */
export function parseSteps(json: string, name: string): PracticeStep[] {
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (error) {
    throw new Error(`${name}: not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(data)) throw new Error(`${name}: a scenario is a list of steps`);
  for (const [index, step] of data.entries()) {
    const keys = step && typeof step === 'object' ? Object.keys(step) : [];
    if (!keys.some((key) => STEP_KEYS.includes(key)))
      throw new Error(`${name}: step ${index + 1} has none of: ${STEP_KEYS.join(', ')}`);
  }
  return data as PracticeStep[];
}

/** `NAME`, `NAME ARG`, `FILE.json` or inline JSON. Throws with the list of names for anything else. */
export function scenarioByFlag(flag: string): Chosen {
  if (flag.trimStart().startsWith('[')) return fixed('inline', parseSteps(flag, 'inline scenario'));
  if (flag.endsWith('.json')) return fixed(flag, parseSteps(readFileSync(flag, 'utf8'), flag));
  const found = byName(flag);
  if (found) return found;
  const names = scenarios.map((scenario) => scenario.name).join(', ');
  throw new Error(`unknown scenario '${flag.slice(0, 80)}'. There are: ${names}; or a file ending in .json`);
}

/** A prompt longer than this was written by a program (a loop's preamble): its words mean nothing. */
const SPOKEN_CHARS = 200;

export function scenarioByPrompt(prompt: string): Chosen {
  const marked = /\[\[([^\]\n]{1,200})\]\]/.exec(prompt)?.[1];
  const explicit = (marked && byName(marked)) || byName(prompt.trim().split('\n')[0]!);
  if (explicit) return explicit;
  const named = scenarios
    .filter(({ name }) => name.includes('-') && new RegExp(`(^|[^\\w-])${name}($|[^\\w-])`).test(prompt))
    .sort((a, b) => b.name.length - a.name.length)[0];
  const spoken = prompt.length <= SPOKEN_CHARS ? scenarios.find(({ words }) => words?.test(prompt)) : undefined;
  return { scenario: named ?? spoken ?? scenarios[0]!, arg: '' };
}

function byName(text: string): Chosen | undefined {
  const [first = '', ...rest] = text.trim().split(/\s+/);
  const scenario = scenarios.find(({ name }) => name === first.toLowerCase());
  const words = scenario?.name.startsWith('consult') === true;
  // `echo my words` is a prompt for echo; `fail to do this` is not a wish to fail.
  if (!scenario || (rest.length > 1 && scenario.name !== 'echo' && !words)) return undefined;
  return { scenario, arg: words ? rest.join(' ') : (rest[0] ?? '') };
}

function fixed(name: string, steps: PracticeStep[]): Chosen {
  return { scenario: { name, about: 'a scenario of yours', steps: () => steps }, arg: '' };
}
