/** What comes after an iteration, or after a start: the end, a pause, or the next iteration. Part of `reduce`. */
import { onceEach } from './evolve-parts.js';
import { chooseNext, hatsFor } from './hats.js';
import { activationsAdvice, finishNow, pauseBefore, stallWarning } from './limits.js';
import { promptParts } from './prompt-parts.js';
import { findHat, type LoopSettings } from './settings.js';
import { type Current, isNotOurs, type LoopEvent } from './state.js';
import { finish, put, type Step } from './step.js';

/** The session begins, or goes on where its journal ended. */
export function begin(step: Step): void {
  const { state, at } = step;
  if (state.phase === 'judging' && state.current) {
    step.effects.push({ do: 'run-gates', iteration: state.current.iteration, gates: state.settings.gates });
  } else if (state.phase === 'waiting' && state.wait && isNotOurs(state.wait) && state.wait.until > at) {
    step.effects.push({ do: 'wait', ...state.wait });
  } else if (state.phase === 'waiting') {
    startIteration(step);
  } else {
    proceed(step);
  }
}

/** Between iterations: ends, waits, or starts the next one. */
export function proceed(step: Step): void {
  const { at } = step;
  if (!step.state.settings.once) publishDue(step);
  const end = finishNow(step.state, at);
  if (end) {
    finish(step, end);
    return;
  }
  const warning = stallWarning(step.state);
  if (warning !== undefined) put(step, { type: 'loop.stalled', data: { level: 'warn', text: warning } });
  const wait = pauseBefore(step.state, at);
  if (wait && wait.until > at) {
    const text = `waiting until ${new Date(wait.until).toISOString()}: ${wait.why}`;
    put(step, { type: 'loop.waiting', data: { level: wait.kind === 'cooldown' ? 'info' : 'warn', text, ...wait } });
    step.effects.push({ do: 'wait', ...wait });
    return;
  }
  startIteration(step);
}

export function startIteration(step: Step): void {
  const again = step.state.current;
  if (again && isWearable(step.state.settings, again)) {
    putStarted(step, { ...again, attempt: again.attempt + 1 });
    return;
  }
  if (again) put(step, { type: 'notice', data: { level: 'warn', text: anewText(again) } });
  if (!step.state.begun) publishStart(step);
  // What it was given waits with the rest: whoever is triggered by it now takes it up.
  const pending = onceEach([...(again?.events ?? []), ...step.state.pending]);
  const choice = chooseNext({ ...step.state, pending });
  if ('none' in choice) {
    const advice = activationsAdvice(step.state, choice.raise);
    finish(step, { outcome: 'limit', exitCode: 3, reason: choice.none, advice });
    return;
  }
  if (choice.dropped.length > 0) drop(step, choice.dropped);
  if (choice.hat !== undefined && choice.hat !== step.state.hat) {
    put(step, { type: 'hat.worn', data: { hat: choice.hat, because: choice.because } });
  }
  const which = again ?? { iteration: step.state.iteration + 1, attempt: 0 };
  putStarted(step, { ...choice, iteration: which.iteration, attempt: which.attempt + 1 });
}

/** Whether an interrupted iteration can go on as what it was: the hats may have changed since. */
function isWearable(settings: LoopSettings, { hat, coordinator }: Current): boolean {
  if (hat !== undefined) return findHat(settings, hat) !== undefined;
  return settings.hats.length > 0 === (coordinator === true);
}

function anewText({ iteration, hat, coordinator }: Current): string {
  const why =
    hat === undefined ? (coordinator ? 'there are no hats any more' : 'there are hats now') : `hat ${hat} is gone`;
  return `Iteration ${iteration} was interrupted and runs again, but not as it was: ${why}. What it was given is kept.`;
}

function publishStart(step: Step): void {
  const { startingEvent, hats } = step.state.settings;
  if (hats.length === 0) return;
  const data = { topic: startingEvent, payload: '', by: 'loop', iteration: 0, accepted: true } as const;
  put(step, { type: 'event.published', data: { ...data, ...meant(step.state.settings, startingEvent) } });
}

/** What the last hat would have published. Decided by the state, so that a host that dies here publishes it later, once. */
function publishDue(step: Step): void {
  const { last, settings } = step.state;
  if (last?.due === undefined || step.state.current) return;
  const reason = `default_publishes: hat ${last.hat} published no event`;
  const { iteration, due: topic } = last;
  const data = { topic, payload: '', by: 'loop', iteration, accepted: true, reason } as const;
  put(step, { type: 'event.published', data: { ...data, ...meant(settings, topic) } });
}

/** What an accepted event is now, for whoever reads it under other settings: a claim, or one that triggers no hat. */
export function meant(settings: LoopSettings, topic: string): { claims: boolean; unrouted?: true } {
  const claims = topic === settings.promise;
  const isNobodys = settings.hats.length > 0 && !claims && hatsFor(settings, topic).length === 0;
  return { claims, ...(isNobodys ? { unrouted: true } : {}) };
}

function drop(step: Step, events: LoopEvent[]): void {
  const topics = events.map((event) => event.topic).join(', ');
  const text = `No hat may be worn for ${topics} any more (max_activations): dropped.`;
  put(step, { type: 'loop.dropped', data: { level: 'warn', text, events: events.map((event) => event.id) } });
}

interface StartedIteration {
  iteration: number;
  attempt: number;
  hat?: string;
  coordinator?: true;
  events: LoopEvent[];
}

function putStarted(step: Step, { iteration, attempt, hat, coordinator, events }: StartedIteration): void {
  const { settings } = step.state;
  const backend = findHat(settings, hat)?.backend ?? settings.backend;
  const data = {
    iteration,
    ...(settings.maxIterations === undefined ? {} : { max: settings.maxIterations }),
    ...(hat === undefined ? {} : { hat }),
    ...(coordinator ? { coordinator } : {}),
    agent: backend,
    prompt_file: promptFile(iteration, attempt),
    ...(attempt > 1 ? { attempt } : {}),
    ...(events.length > 0 ? { events: events.map((event) => event.id) } : {}),
  };
  put(step, { type: 'iteration.started', data });
  for (const { id, text } of step.state.guidance) {
    put(step, { type: 'guidance.given', data: { id, text, delivered_in: iteration } });
  }
  const prompt = promptParts(step.state, step.state.current!);
  const who = { ...(hat === undefined ? {} : { hat }), ...(coordinator ? { coordinator } : {}) };
  step.effects.push({ do: 'start', iteration, attempt, ...who, backend, prompt });
}

/** Where the host stores an iteration's prompt, inside the session's directory. */
export function promptFile(iteration: number, attempt: number): string {
  const name = String(iteration).padStart(3, '0');
  return `prompts/${attempt > 1 ? `${name}-${attempt}` : name}.md`;
}
