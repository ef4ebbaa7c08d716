/**
 * Lists of what is to do, as agents keep them: whole with each call (TodoWrite, codex's update_plan, gemini's write_todos), or
 * thing by thing under a name that the result gives (Claude's TaskCreate and TaskUpdate).
 */
import { fieldsOf } from './chat-calls.js';
import type { Todo } from './chat-types.js';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const stateOf = (status: unknown): Todo['state'] =>
  status === 'completed' ? 'done' : status === 'in_progress' ? 'doing' : 'open';

const WHOLE = new Set(['TodoWrite', 'update_plan', 'write_todos', 'todowrite']);

/** The list, where the call is one. */
export function todosOf(tool: string, input: unknown): Todo[] | undefined {
  if (!WHOLE.has(tool)) return undefined;
  const fields = fieldsOf(input);
  const list = fields.todos ?? fields.plan;
  if (!Array.isArray(list)) return undefined;
  return list.map(fieldsOf).map((one) => ({
    text: text(one.content) || text(one.step) || text(one.description) || text(one.title),
    state: stateOf(one.status),
  }));
}

const BY_THING = new Set(['TaskCreate', 'TaskUpdate', 'TaskList']);
export const isListedByThing = (tool: string): boolean => BY_THING.has(tool);

/** More than anybody reads: an agent that notes for ever must not fill a page's memory. */
const MOST = 500;

/** The things of one agent, by its own names for them. */
export class TodoThings {
  readonly #things = new Map<string, Todo>();

  /** What the list is after this call succeeded; undefined if the call says nothing about it that is understood. */
  after(tool: string, input: unknown, result: string): Todo[] | undefined {
    const fields = fieldsOf(input);
    if (tool === 'TaskCreate') {
      // The hook's words, or those the model is told.
      const name = /"id": ?"(\w+)"/.exec(result)?.[1] ?? /^Task #(\w+) /.exec(result)?.[1];
      if (name === undefined || this.#things.size >= MOST) return undefined;
      this.#things.set(name, { text: text(fields.subject), state: 'open' });
    } else if (tool === 'TaskUpdate') {
      const name = text(fields.taskId);
      const old = this.#things.get(name);
      // It was made before what is loaded here.
      if (!old) return undefined;
      const state = fields.status === undefined ? old.state : stateOf(fields.status);
      if (fields.status === 'deleted') this.#things.delete(name);
      else this.#things.set(name, { text: text(fields.subject) || old.text, state });
    } else if (!this.#listed(result)) return undefined;
    return [...this.#things.values()].map((one) => ({ ...one }));
  }

  /** The agent looked at its own list: that is how it stands. */
  #listed(result: string): boolean {
    const tasks = tasksIn(result);
    if (!tasks) return false;
    this.#things.clear();
    for (const { id, subject, status } of tasks.slice(0, MOST))
      this.#things.set(text(id), { text: text(subject), state: stateOf(status) });
    return true;
  }
}

function tasksIn(result: string): Record<string, unknown>[] | undefined {
  try {
    const { tasks } = fieldsOf(JSON.parse(result));
    return Array.isArray(tasks) && tasks.length > 0 ? tasks.map(fieldsOf) : undefined;
  } catch {
    // As the model is told it: `#1 [in_progress] First`.
    const lines = [...result.matchAll(/^#(\w+) \[(\w+)\] (.*?)(?: \[blocked by [^\]]*\])?$/gm)];
    return lines.length > 0 ? lines.map(([, id, status, subject]) => ({ id, status, subject })) : undefined;
  }
}
