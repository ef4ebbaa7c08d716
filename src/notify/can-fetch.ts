/** Whether somebody who is not there can be fetched by what is configured, and how that is called. Pure. */
import { type NotifyConfig, notifiersOf } from './notifiers.js';
import { isQuiet } from './quiet-hours.js';

/**
 * Why somebody counts as reachable, or undefined. In quiet hours nobody is fetched, and waiting for them would be in vain.
 * Who is not told of inquiries cannot answer them.
 */
export function canFetch(notify: NotifyConfig, now = Date.now()): string | undefined {
  if (!notify.on.includes('inquiry')) return undefined;
  const isNight = isQuiet(notify.quiet_hours, now);
  return notifiersOf(notify).find((notifier) => notifier.answers && (notifier.always || !isNight))?.name;
}
