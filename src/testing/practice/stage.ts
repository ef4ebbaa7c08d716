/** What the steps of one turn share, and the two ways a turn speaks. Apart, because steps and bad habits both need it. */
import type { Face, PracticeCall } from './face.js';
import type { Chosen } from './script.js';
import type { PracticeSession } from './session.js';

export interface Turn {
  prompt: string;
  chosen: Chosen;
  face: Face;
  session: PracticeSession;
  signal: AbortSignal;
}

/** Everything the steps of one turn share. */
export interface Stage extends Turn {
  result: string;
  answer: string;
  /** What stood beside the answer. */
  note: string;
  allowed: boolean;
  words: string[];
  costUsd: number;
  calls: number;
  denials: PracticeCall[];
}

export async function say(text: string, stage: Stage): Promise<void> {
  stage.words.push(text);
  await stage.face.say(text, stage.signal);
  stage.session.record(assistant({ type: 'text', text }));
}

export async function think(text: string, stage: Stage): Promise<void> {
  await stage.face.think(text, stage.signal);
  stage.session.record(assistant({ type: 'thinking', thinking: text, signature: '' }));
}

/** A transcript row of the assistant's. */
export const assistant = (block: unknown) => ({ type: 'assistant', message: { role: 'assistant', content: [block] } });
