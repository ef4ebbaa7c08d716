/** What is said when an interactive session is over: which it was, why, and how to get it back. */
import { adapterNamed } from '../adapters/index.js';
import type { SessionSpec } from '../host/index.js';
import type { EndWords } from './viewing.js';

export interface EndedSession {
  id: string;
  spec: Pick<SessionSpec, 'mode' | 'agent' | 'idle_timeout_secs'>;
}

/** Someone who reads for half a minute must not lose their agent without a word of how to come back. */
export function wayBack({ id, spec }: EndedSession, exit: number, reason: string): EndWords {
  const resumes = adapterNamed(spec.agent?.adapter ?? '')?.resumes === true;
  const isIdle = spec.idle_timeout_secs > 0 && reason.startsWith('idle ');
  const noLimit = isIdle ? ' --idle-timeout 0' : '';
  const words = [
    `[${id} has ended${exit === 0 ? '' : `: ${reason}`}]`,
    resumes ? `Go on with it: reins run -i --continue ${id}${noLimit}` : `What it did: reins logs ${id}`,
    ...(isIdle && !resumes ? ['Next time: reins run -i --idle-timeout 0'] : []),
  ];
  return { as: exit === 0 ? 'chrome' : 'complaint', text: words.join('\n') };
}
