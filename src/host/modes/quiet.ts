/** How long an agent may be silent while it is at work, and the words of the setting that says so. */
import type { Adapter } from '../../adapters/index.js';
import { adapterSettings } from '../../config/quick.js';
import type { LimitSettings } from '../run/limits.js';
import type { SessionSpec } from '../spec.js';

/** The loop's own word counts for all agents; a session that an older build began has no word about it at all. */
export function quietOf({ config }: SessionSpec, adapter: Adapter): LimitSettings['quiet'] {
  const settings = adapterSettings(config, adapter.id);
  const key = (name: string) => `adapters.${adapter.id}.${name}`;
  const secs = config.event_loop.idle_timeout_secs;
  if (secs !== undefined) return { secs, by: 'event_loop.idle_timeout_secs' };
  return settings.idle_secs === undefined
    ? { secs: settings.quiet_timeout ?? 0, by: key('quiet_timeout') }
    : { secs: settings.idle_secs, by: key('idle_secs') };
}
