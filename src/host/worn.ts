/**
 * The session as the agent of one hat sees it: started by that hat's command or with its arguments, under the calls that
 * hat may not make. Deny rules beat trust there too (decision 014), for as long as the hat is worn and no longer.
 */
import { wornAgent } from '../config/worn.js';
import type { SessionRule, SessionSpec } from './spec.js';

export interface Worn {
  /** Which adapter it is started by. */
  adapter: string;
  spec: SessionSpec;
  /** Beyond the session's own. */
  rules: SessionRule[];
  /** Seconds an iteration may take, where the hat says so; and the key that does. */
  whole?: { secs: number; by: string };
}

export function worn(spec: SessionSpec, hat: string | undefined): Worn {
  const { adapter = spec.agent!.adapter, cli, args, deny, timeoutSecs } = wornAgent(spec.config, hat);
  const key = `hats.${hat ?? '*'}.disallowed_tools`;
  const source = `${key}${spec.sources[key] ? `, ${spec.sources[key]}` : ''}`;
  const rules = deny.map((text): SessionRule => ({ effect: 'deny', text, source }));
  return {
    adapter,
    rules,
    spec: {
      ...spec,
      config: { ...spec.config, cli },
      agent_args: [...spec.agent_args, ...args],
      rules: [...spec.rules, ...rules],
    },
    ...(timeoutSecs === undefined ? {} : { whole: { secs: timeoutSecs, by: `hats.${hat}.timeout` } }),
  };
}
