/**
 * The loop's rule: a state and a fact in; the next state, the entries to journal and the effects to carry out out, in
 * that order. No I/O and no clock. The state is nothing but the entries applied, so a killed host loses no decision
 * that it had written. Contract: after `finish` every fact changes nothing and wants nothing.
 */
import { ALREADY_COUNTED, GARBLED, isOwn, type OwnEntry } from './entries.js';
import type { Effect, Fact, FactOf } from './facts.js';
import { publishRefusal } from './hats.js';
import { spentFinish, stopFinish } from './limits.js';
import { figures, gatesRan, iterationEnded } from './reduce-iteration.js';
import { recovered } from './reduce-outage.js';
import { begin, meant, startIteration } from './reduce-start.js';
import { isNotOurs, type LoopState } from './state.js';
import { finish, put, type Step, stopAgent } from './step.js';

/** An agent that publishes more than this in one iteration is caught in a loop of its own. */
const MOST_EVENTS = 100;
const LONGEST_TOPIC = 200;

export interface Reduced {
  state: LoopState;
  /** To append to the journal before the effects are carried out. */
  entries: OwnEntry[];
  effects: Effect[];
}

export function reduce(state: LoopState, fact: Fact): Reduced {
  if (state.ended && state.live) return { state, entries: [], effects: [] };
  const step: Step = { state, at: fact.at, entries: [], effects: [] };
  if (fact.kind === 'started') started(step, fact);
  else if (state.live) told(step, fact);
  else if (fact.kind === 'guidance') guided(step, fact);
  return { state: step.state, entries: step.entries.filter(isOwn), effects: step.effects };
}

function started(step: Step, { at, stop }: FactOf<'started'>): void {
  if (step.state.live) return;
  put(step, { type: 'session.started', data: {} });
  if (stop) stopAsked(step, { ...stop, at });
  else begin(step);
}

function guided(step: Step, { id, text }: FactOf<'guidance'>): void {
  put(step, { type: 'guidance.given', data: { id, text } });
}

function told(step: Step, fact: Exclude<Fact, { kind: 'started' }>): void {
  switch (fact.kind) {
    case 'event':
      published(step, fact);
      break;
    case 'garbled':
      garbled(step, fact);
      break;
    case 'usage':
      used(step, fact);
      break;
    case 'limit':
      limited(step, fact);
      break;
    case 'reached':
      recovered(step);
      break;
    case 'denied':
      put(step, { type: 'loop.denied', data: { level: 'info', text: 'denied for want of a person' } });
      break;
    case 'guidance':
      guided(step, fact);
      break;
    case 'parked':
      if (step.state.live && !step.state.ended && !step.state.parked)
        put(step, { type: 'loop.parked', data: { level: 'info', text: fact.why } });
      break;
    case 'resumed':
      if (step.state.parked) put(step, { type: 'loop.resumed', data: { level: 'info', text: 'going on' } });
      break;
    case 'iteration-ended':
      iterationEnded(step, fact);
      return;
    case 'gates-ran':
      gatesRan(step, fact);
      return;
    case 'stop-asked':
      stopAsked(step, fact);
      return;
    case 'tick':
      break;
  }
  timePassed(step);
}

const isRunning = ({ state }: Step): boolean => state.phase === 'working' || state.phase === 'stopping';

/** Every fact brings the time with it: limits and the ends of pauses do not wait for a tick. */
function timePassed(step: Step): void {
  const { state, at } = step;
  const { wait } = state;
  if (state.phase === 'working') {
    const end = spentFinish(state, at);
    if (end) stopAgent(step, end, 'stop');
  } else if (state.phase === 'waiting' && wait && !state.parked) {
    const end = isNotOurs(wait) ? undefined : spentFinish(state, at);
    if (end) finish(step, end);
    else if (at >= wait.until) startIteration(step);
  }
}

function published(step: Step, fact: FactOf<'event'>): void {
  const { topic, payload, by } = fact;
  const { iteration } = step.state;
  const reason = refusal(step.state, fact);
  const data = { topic, payload, by, iteration, accepted: reason === undefined };
  const more = reason === undefined ? meant(step.state.settings, topic) : { reason };
  put(step, { type: 'event.published', data: { ...data, ...more } });
}

/** An event that vanishes without a word costs an iteration, and the next one makes the same mistake. */
function garbled(step: Step, { mistakes }: FactOf<'garbled'>): void {
  if (mistakes.length === 0 || !step.state.current) return;
  put(step, { type: 'loop.garbled', data: { level: 'warn', text: `${GARBLED}${mistakes.join('; ')}.` } });
}

function refusal(state: LoopState, { topic, payload }: FactOf<'event'>): string | undefined {
  const { current, settings } = state;
  if (topic.trim() === '' || topic.length > LONGEST_TOPIC) {
    return `An event was dropped: its topic is empty or longer than ${LONGEST_TOPIC} characters.`;
  }
  const notMine = publishRefusal(state, topic);
  if (notMine !== undefined) return notMine;
  if (topic === settings.promise) {
    return current ? undefined : 'Completion was claimed while no iteration was running: not counted.';
  }
  if (current?.carried.some((other) => other.topic === topic && other.payload === payload)) return ALREADY_COUNTED;
  if ((current?.kept.length ?? 0) >= MOST_EVENTS || state.pending.length >= MOST_EVENTS) {
    return `Event ${topic} was dropped: more than ${MOST_EVENTS} events are waiting.`;
  }
  return undefined;
}

function used(step: Step, fact: FactOf<'usage'>): void {
  const had = step.state.current?.usage;
  if (!had || !isRunning(step)) return;
  const grown =
    (fact.costUsd ?? 0) > had.costUsd ||
    (fact.inputTokens ?? 0) > had.inputTokens ||
    (fact.outputTokens ?? 0) > had.outputTokens;
  if (grown) put(step, { type: 'state.changed', data: { state: 'working', because: 'usage', ...figures(fact) } });
}

function limited(step: Step, { message, until }: FactOf<'limit'>): void {
  if (step.state.phase !== 'working') return;
  const when = until === undefined ? '' : ` (until ${new Date(until).toISOString()})`;
  const facts = { message, ...(until === undefined ? {} : { until }) };
  put(step, { type: 'loop.limited', data: { level: 'warn', text: `usage limit: ${message}${when}`, ...facts } });
}

function stopAsked(step: Step, fact: FactOf<'stop-asked'>): void {
  const goal = stopFinish(fact);
  if (!isRunning(step)) {
    finish(step, goal);
    return;
  }
  const atOnce = fact.how === 'kill' || fact.signal === 'SIGQUIT';
  stopAgent(step, goal, atOnce ? 'kill' : 'stop');
}
