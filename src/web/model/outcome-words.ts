/** What became of an inquiry, in one line: "Allowed by you, 14:03:11, told to the agent". */
import type { AnswerPhase } from './answers.js';
import type { SettledCard } from './store.js';

const GIVEN = {
  allow: 'Allowed by you',
  'allow-session': 'Allowed for the session by you',
  edit: 'Allowed as edited by you',
  deny: 'Denied by you',
  stop: 'Denied by you, and the turn stopped',
  answer: 'Answered by you',
  take: 'Answered by you as suggested',
  else: 'Answered by you with other words',
} as const;

const seconds = (at: string): string => {
  const when = new Date(at);
  return Number.isNaN(when.getTime()) ? '' : when.toLocaleTimeString('en-GB', { hour12: false });
};

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

export interface OutcomeWords {
  words: string;
  /** Refused, or nobody's answer: not shown as something achieved. */
  how: 'given' | 'elsewhere';
}

export function outcomeWords(
  phase: AnswerPhase,
  { settled, me }: { settled: SettledCard | undefined; me: string | undefined },
): OutcomeWords | undefined {
  if (phase.is === 'given') {
    const told = phase.kept
      ? 'kept until its session goes on'
      : settled !== undefined
        ? 'told to the agent'
        : 'on its way';
    return { words: `${GIVEN[phase.deed]}, ${seconds(phase.at)}, ${told}`, how: 'given' };
  }
  if (settled !== undefined) {
    const by = settled.by === undefined ? '' : settled.by === me ? ' by you' : ` by ${settled.by}`;
    return { words: `${capital(settled.how)}${by}, ${seconds(settled.at)}`, how: 'elsewhere' };
  }
  return phase.is === 'elsewhere' ? { words: capital(phase.message), how: 'elsewhere' } : undefined;
}
