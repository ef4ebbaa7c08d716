/** Values that ralph writes in another shape than we do: texts for lists, maps for texts, two keys for one. */
import { isMap } from '../path.js';
import type { EditDesk } from './edits.js';
import { RALPH_BACKENDS } from './keys.js';

/** Where ralph keeps its notes when nobody says. */
const SCRATCHPAD = '.ralph/agent/scratchpad.md';

export function shapeLoop(desk: EditDesk): void {
  for (const path of [
    ['core', 'guardrails'],
    ['event_loop', 'required_events'],
  ])
    asList(desk, path);
  const notes = desk.get(['core', 'scratchpad']);
  if (isMap(notes)) {
    if (notes.enabled === false) desk.drop(['core', 'scratchpad'], { quiet: true });
    else desk.set(['core', 'scratchpad'], notes.path ?? SCRATCHPAD);
  }
  startingHat(desk);
}

/** The old way to say where to begin: by the hat, not by its event. */
function startingHat(desk: EditDesk): void {
  const hat = desk.get(['event_loop', 'starting_hat']);
  if (hat === undefined) return;
  const triggers = desk.get(['hats', String(hat), 'triggers']);
  const topic = Array.isArray(triggers) ? triggers.find((each) => !String(each).includes('*')) : undefined;
  if (topic === undefined || desk.get(['event_loop', 'starting_event']) !== undefined) {
    desk.drop(['event_loop', 'starting_hat'], { why: 'event_loop.starting_event says where to begin' });
  } else desk.move(['event_loop', 'starting_hat'], ['event_loop', 'starting_event'], topic);
}

export function shapeHat(desk: EditDesk, id: string): void {
  const hat = ['hats', id];
  if (!isMap(desk.get(hat))) return;
  for (const key of ['triggers', 'publishes', 'disallowed_tools']) asList(desk, [...hat, key]);
  for (const key of ['default_publishes', 'name', 'description']) {
    // Nothing, written down.
    if (desk.get([...hat, key]) === '') desk.drop([...hat, key], { quiet: true });
  }
  moreInstructions(desk, hat);
  for (const key of ['backend_args', 'args']) {
    const args = desk.get([...hat, key]);
    if (args !== undefined) addArgs(desk, [...hat, 'backend'], { key: [...hat, key], args });
  }
  const backend = desk.get([...hat, 'backend']);
  if (!isMap(backend) || backend.command === undefined || backend.type === undefined) return;
  // ralph looks at the type first: where that names a program of its own, the command says nothing.
  if (RALPH_BACKENDS.includes(String(backend.type))) {
    desk.drop([...hat, 'backend', 'command'], { why: 'its type names the agent' });
  } else if (backend.type !== 'custom') desk.drop([...hat, 'backend', 'type'], { quiet: true });
}

function asList(desk: EditDesk, path: string[]): void {
  const value = desk.get(path);
  if (typeof value === 'string') desk.set(path, value === '' ? [] : [value]);
}

function moreInstructions(desk: EditDesk, hat: string[]): void {
  const path = [...hat, 'extra_instructions'];
  const more = desk.get(path);
  if (more === undefined) return;
  const parts = (Array.isArray(more) ? more : [more]).filter((part) => typeof part === 'string');
  const first = desk.get([...hat, 'instructions']);
  const joined = [...(typeof first === 'string' && first !== '' ? [first] : []), ...parts]
    .map((part) => part.replace(/\n$/, ''))
    .join('\n');
  desk.drop(path, { quiet: true });
  if (joined !== '') desk.set([...hat, 'instructions'], `${joined}\n`);
}

/** Arguments of the hat's own, behind those of its agent. */
function addArgs(desk: EditDesk, at: string[], given: { key: string[]; args: unknown }): void {
  const more = Array.isArray(given.args) ? given.args : [given.args];
  if (more.length === 0) {
    desk.drop(given.key, { quiet: true });
    return;
  }
  const backend = desk.get(at);
  if (typeof backend === 'string') desk.set(at, { type: backend });
  const before = desk.get([...at, 'args']);
  desk.move(given.key, [...at, 'args'], [...(Array.isArray(before) ? before : []), ...more]);
}
