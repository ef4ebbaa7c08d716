/**
 * The signs Reins builds on, one row per agent: what each means, and the words for a table. A sign that no longer holds for
 * a version is the drift that breaks a driver in silence.
 */
export const SIGNS = {
  starts: 'starts headless and ends with a record of its turn',
  stream: 'its one-way output is understood: text, tool call, result',
  asks: 'headless and guarded, a tool call is asked about before it runs',
  obeys: 'an allowed call runs, a denied one does not and the model reads why',
  ready: 'its terminal program is seen to be ready',
  submit: 'a message typed into it is proven to have arrived',
  dialog: 'its own permission dialog is an inquiry',
  answers: 'an answer from elsewhere settles that dialog',
  transcript: 'its conversation is read from its own transcript',
  stop: 'a stop leaves no process behind',
} as const;

export type Sign = keyof typeof SIGNS;

export interface SignSeen {
  sign: Sign;
  ok: boolean;
  /** Why not, or what proved it. */
  detail?: string;
}

export interface ProbedAgent {
  agent: string;
  version: string;
  program: string;
  seconds: number;
  signs: SignSeen[];
}

export interface ProbeReport {
  reins: string;
  ok: boolean;
  agents: ProbedAgent[];
}
