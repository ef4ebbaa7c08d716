/** A host is dead and can tell nobody: whoever noticed does it in its place, once, with a bound. */
import { randomBytes } from 'node:crypto';
import { redactor, secretsFrom } from '../log/index.js';
import { type DeliverPorts, deliver } from './deliver.js';
import { type NotifyConfig, notifiersOf } from './notifiers.js';
import { endedNote, type ToldSession } from './payload.js';
import { isQuiet } from './quiet-hours.js';

/** Whoever noticed waits for it, and is on its way out. */
const WITHIN_MS = 5_000;
const ENDED = {
  outcome: 'failed' as const,
  exit_code: 137,
  reason: 'its host died',
  counts: { iterations: 0, inquiries: 0, denied: 0 },
};

/** Contract: resolves, never rejects; with whom it could not tell. */
export async function tellDied(config: NotifyConfig, session: ToldSession, ports: DeliverPorts): Promise<string[]> {
  if (!config.on.includes('died')) return [];
  const now = ports.now();
  const isNight = isQuiet(config.quiet_hours, now);
  const redact = redactor(secretsFrom(ports.env));
  const unsent = endedNote({ session, details: config.details, redact }, ENDED, true);
  const signal = AbortSignal.timeout(WITHIN_MS);
  const told = notifiersOf(config)
    .filter(({ always }) => always || !isNight)
    .map(async (notifier) => {
      const id = `${session.id}-${randomBytes(8).toString('hex')}`;
      const note = { v: 1 as const, id, at: new Date(now).toISOString(), ...unsent };
      const { how } = await deliver(ports, { notifier, note, attempt: 1, signal });
      return how === 'failed' ? [notifier.name] : [];
    });
  return (await Promise.all(told)).flat();
}
