/**
 * From ralph's tree to ours, as a list of small edits: the same list changes a loaded layer and, for `config migrate`, the
 * text of the file, so that the two cannot come to mean different things.
 */
import { getIn, isMap } from '../path.js';
import { IDLE, MOVED, RALPH_BACKENDS, SILENCE } from './keys.js';
import { shapeHat, shapeLoop } from './shapes.js';

export type Edit =
  | { do: 'move'; from: string[]; to: string[]; value: unknown }
  | { do: 'set'; path: string[]; value: unknown }
  /** `why`: what the notice says; a quiet one was used, or is nobody's concern. */
  | { do: 'drop'; path: string[]; why?: string | undefined; quiet?: true }
  /** It stays, and does nothing as things are. */
  | { do: 'tell'; path: string[]; why: string };

export type Tree = Record<string, unknown>;

/** Contract: `tree` is left as it is. */
export function ralphEdits(tree: Tree): Edit[] {
  const desk = new EditDesk(structuredClone(tree));
  for (const [from, to] of MOVED) {
    for (const found of present(desk.tree, from)) desk.move(found, fill(to, found));
  }
  shapeLoop(desk);
  for (const id of namesIn(desk.tree, ['hats'])) shapeHat(desk, id);
  numbers(desk);
  for (const [key, why] of IDLE) for (const path of present(desk.tree, key)) desk.drop(path, { why });
  // `_shared: &shared …` is only a place for an anchor.
  for (const key of Object.keys(desk.tree).filter((name) => name.startsWith('_'))) desk.drop([key], { quiet: true });
  agentArgs(desk);
  const backend = getIn(desk.tree, ['cli', 'backend']);
  if (getIn(desk.tree, ['cli', 'command']) !== undefined && RALPH_BACKENDS.includes(String(backend ?? 'auto'))) {
    desk.edits.push({ do: 'tell', path: ['cli', 'command'], why: 'it is for cli.backend: custom' });
  }
  return desk.edits;
}

/** Here `cli.args` are the custom command's; in ralph they are for whichever agent is named beside them. */
function agentArgs(desk: EditDesk): void {
  const [from, backend] = [['cli', 'args'], desk.get(['cli', 'backend'])];
  const args = desk.get(from);
  if (!Array.isArray(args) || args.length === 0 || !RALPH_BACKENDS.includes(String(backend))) return;
  if (backend === 'auto') {
    desk.edits.push({ do: 'tell', path: from, why: 'name the agent in cli.backend, or use adapters.<name>.args' });
    return;
  }
  const to = ['adapters', String(backend), 'args'];
  const before = desk.get(to);
  desk.move(from, to, [...(Array.isArray(before) ? before : []), ...args]);
}

export const wantsSilence = (tree: Tree): boolean => tree[SILENCE] === true;

/** Collects edits, each seen by the next. */
export class EditDesk {
  readonly edits: Edit[] = [];
  readonly tree: Tree;

  constructor(tree: Tree) {
    this.tree = tree;
  }

  get(path: string[]): unknown {
    return getIn(this.tree, path);
  }

  set(path: string[], value: unknown): void {
    this.#add({ do: 'set', path, value });
  }

  move(from: string[], to: string[], value: unknown = this.get(from)): void {
    this.#add({ do: 'move', from, to, value });
  }

  drop(path: string[], how: { why?: string | undefined; quiet?: true } = {}): void {
    this.#add({ do: 'drop', path, ...how });
  }

  #add(edit: Edit): void {
    this.edits.push(edit);
    applyTo(this.tree, edit);
  }
}

export function applyTo(tree: Tree, edit: Edit): void {
  if (edit.do === 'set') setIn(tree, edit.path, edit.value);
  if (edit.do === 'drop') deleteIn(tree, edit.path);
  if (edit.do === 'move') {
    deleteIn(tree, edit.from);
    setIn(tree, edit.to, edit.value);
  }
}

function setIn(tree: Tree, path: string[], value: unknown): void {
  let at = tree;
  for (const part of path.slice(0, -1)) {
    if (at[part] === undefined) at[part] = {};
    if (!isMap(at[part])) return; // no map where one belongs: the schema says so
    at = at[part] as Tree;
  }
  at[path.at(-1)!] = value;
}

function deleteIn(tree: Tree, path: string[]): void {
  const parent = getIn(tree, path.slice(0, -1));
  if (isMap(parent)) delete parent[path.at(-1)!];
}

const namesIn = (tree: Tree, path: string[]): string[] => {
  const map = getIn(tree, path);
  return isMap(map) ? Object.keys(map) : [];
};

/** Every path of the tree that a key with `*` stands for. */
function present(tree: Tree, key: string): string[][] {
  let found: string[][] = [[]];
  for (const part of key.split('.')) {
    found = found.flatMap((path) => {
      const names = namesIn(tree, path);
      return (part === '*' ? names : names.filter((name) => name === part)).map((name) => [...path, name]);
    });
  }
  return found;
}

const fill = (key: string, names: string[]): string[] =>
  key.split('.').map((part, at) => (part === '*' ? names[at]! : part));

const NUMBERS = [
  'cli.idle_timeout_secs',
  'adapters.*.timeout',
  'event_loop.max_iterations',
  'event_loop.max_runtime_seconds',
  'event_loop.max_cost_usd',
  'event_loop.max_consecutive_failures',
  'event_loop.cooldown_seconds',
  'event_loop.idle_timeout_secs',
  'hats.*.max_activations',
  'hats.*.timeout',
];

/** `"50"` where a number belongs: the quotes were not meant. */
function numbers(desk: EditDesk): void {
  for (const path of NUMBERS.flatMap((key) => present(desk.tree, key))) {
    const value = desk.get(path);
    if (typeof value === 'string' && /^\s*\d{1,15}(\.\d{1,6})?\s*$/.test(value)) desk.set(path, Number(value));
  }
}
