/** Whether somebody who is not there can be fetched by what is configured, and how that is called. Pure. */
import { channelsOf, type NotifyConfig } from './channels.js';
import { isQuiet } from './quiet-hours.js';

/**
 * Why somebody counts as reachable, or undefined. In quiet hours nobody is fetched, and waiting for them would be in vain.
 * Who is not told of inquiries cannot answer them.
 */
export function canFetch(notify: NotifyConfig, now = Date.now()): string | undefined {
  if (!notify.on.includes('inquiry')) return undefined;
  const isNight = isQuiet(notify.quiet_hours, now);
  return channelsOf(notify).find((channel) => channel.answers && (channel.always || !isNight))?.name;
}
