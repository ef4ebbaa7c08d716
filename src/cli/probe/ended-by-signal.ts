/** A signal that would end us in the middle of something first lets it be cleared away. */
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Contract: once a signal came, `ended` is aborted, whatever the work still says is not heard any more, and the process
 * ends with 128 and the signal's number as soon as `clear` is done.
 */
export async function clearedOnSignal<T>(
  work: (ended: AbortSignal) => Promise<T>,
  clear: () => Promise<void>,
): Promise<T> {
  const ending = new AbortController();
  const end = (signal: NodeJS.Signals): void => {
    if (ending.signal.aborted) return;
    ending.abort();
    void clear().finally(() => process.exit(128 + constants.signals[signal]));
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work(ending.signal).finally(() => (ending.signal.aborted ? NEVER : undefined));
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

/** What nobody is to hear any more. */
export const NEVER = new Promise<never>(() => undefined);
