/** Plays a scenario: which turn a request gets. Counts turns, fills in what was said, knows nothing of any API. */
import { isAbsolute, join } from 'node:path';
import { hostileText } from '../practice/habits.js';
import type { LabBlock, LabQuestion, LabScenario, LabTurn } from './scenario.js';

export interface Heard {
  /** The last thing the person said. */
  prompt: string;
  /** What the last tools returned; empty if the last message is the person's. */
  result: string;
}

/** A block as every API can say it: text, thinking, or a call of one of our three kinds. */
export type Spoken =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'bash'; command: string }
  | { kind: 'write'; path: string; content: string }
  | { kind: 'ask'; questions: Required<LabQuestion>[] }
  | { kind: 'tool'; name: string; input: Record<string, unknown> };

export type ModelReply = Omit<LabTurn, 'blocks'> & { said: Spoken[]; turn: number };

export class Script {
  readonly #scenario: LabScenario;
  readonly #cwd: string;
  readonly #given: number[];

  constructor(given: { scenario: LabScenario; cwd: string }) {
    this.#scenario = given.scenario;
    this.#cwd = given.cwd;
    this.#given = given.scenario.turns.map(() => 0);
  }

  /** How many turns are still to come; a test can prove that all were played. */
  get left(): number {
    return this.#scenario.turns.filter(
      (turn, index) => turn.times !== 'always' && this.#given[index]! < (turn.times ?? 1),
    ).length;
  }

  next(heard: Heard): ModelReply {
    const index = this.#scenario.turns.findIndex((turn, at) => {
      const spent = turn.times !== 'always' && this.#given[at]! >= (turn.times ?? 1);
      return !spent && (turn.when === undefined || new RegExp(turn.when, 'i').test(heard.prompt));
    });
    const turn = this.#scenario.turns[index];
    if (!turn) return { said: [{ kind: 'text', text: this.#scenario.end ?? 'The scenario is over.' }], turn: -1 };
    this.#given[index] = this.#given[index]! + 1;
    const { blocks, ...manner } = turn;
    return { ...manner, said: blocks.map((block) => this.#spoken(block, heard)), turn: index };
  }

  #spoken(block: LabBlock, heard: Heard): Spoken {
    const fill = (text: string) =>
      text.replace(/\{\{(prompt|result)\}\}/g, (_all, name: 'prompt' | 'result') => heard[name]);
    if ('text' in block) return { kind: 'text', text: fill(block.text) };
    if ('thinking' in block) return { kind: 'thinking', text: fill(block.thinking) };
    if ('bash' in block) return { kind: 'bash', command: fill(block.bash) };
    if ('hostile' in block) return { kind: 'text', text: hostileText() };
    if ('tool' in block) return { kind: 'tool', name: block.tool.name, input: named(block.tool.input, heard) };
    if ('ask' in block) return { kind: 'ask', questions: block.ask.map(whole) };
    const { path, content } = block.write;
    return { kind: 'write', path: isAbsolute(path) ? path : join(this.#cwd, path), content: fill(content) };
  }
}

/** `"{{id}}"` in a tool's input is the number that the last result calls an ID (codex's running commands have one). */
function named(input: Record<string, unknown>, { result }: Heard): Record<string, unknown> {
  const id = Number(/\bID (\d+)\b/.exec(result)?.[1]);
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, value === '{{id}}' ? id : value]));
}

const whole = (question: LabQuestion): Required<LabQuestion> => ({
  header: 'Question',
  multi: false,
  ...question,
  options: (question.options ?? []).map((option) =>
    typeof option === 'string' ? { label: option, description: option } : option,
  ),
});
