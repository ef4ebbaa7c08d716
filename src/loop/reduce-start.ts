/** What comes after an iteration, or after a start: the end, a pause, or the next iteration. Part of `reduce`. */
import { chooseNext, hatsFor } from './hats.js';
import { finishNow, pauseBefore, stallWarning } from './limits.js';
import { promptParts } from './prompt-parts.js';
import { findHat, type LoopSettings } from './settings.js';
import { isNotOurs, type LoopEvent } from './state.js';
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
  if (again) {
    putStarted(step, { ...again, attempt: again.attempt + 1 });
    return;
  }
  if (!step.state.begun) publishStart(step);
  const choice = chooseNext(step.state);
  if ('none' in choice) {
    finish(step, { outcome: 'limit', exitCode: 3, reason: choice.none, advice: 'raise its max_activations' });
    return;
  }
  if (choice.dropped.length > 0) drop(step, choice.dropped);
  if (choice.hat !== undefined && choice.hat !== step.state.hat) {
    put(step, { type: 'hat.worn', data: { hat: choice.hat, because: choice.because } });
  }
  putStarted(step, { ...choice, iteration: step.state.iteration + 1, attempt: 1 });
}

function publishStart(step: Step): void {
  const { startingEvent, hats } = step.state.settings;
  if (hats.length === 0) return;
  const data = { topic: startingEvent, payload: '', by: 'loop', iteration: 0, accepted: true } as const;
  put(step, { type: 'event.published', data: { ...data, ...unrouted(step.state.settings, startingEvent) } });
}

/** What the last hat would have published. Decided by the state, so that a host that dies here publishes it later, once. */
function publishDue(step: Step): void {
  const { last, settings } = step.state;
  if (last?.due === undefined || step.state.current) return;
  const reason = `default_publishes: hat ${last.hat} published no event`;
  const { iteration, due: topic } = last;
  const data = { topic, payload: '', by: 'loop', iteration, accepted: true, reason } as const;
  put(step, { type: 'event.published', data: { ...data, ...unrouted(settings, topic) } });
}

/** Whether it has to be said that no hat is triggered by an accepted topic. */
export function unrouted(settings: LoopSettings, topic: string): { unrouted?: true } {
  const isNobodys = settings.hats.length > 0 && topic !== settings.promise && hatsFor(settings, topic).length === 0;
  return isNobodys ? { unrouted: true } : {};
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
