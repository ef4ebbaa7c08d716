/** The settings of one agent. Without the schema: a host needs this and nothing else of the room, and lives for days. */
import type { AdapterConfig, Config } from './schema.js';

/** What the schema makes of an empty entry; a test keeps the two the same. */
const UNSET: AdapterConfig = {
  enabled: true,
  timeout: 0,
  quiet_timeout: 300,
  first_output_secs: 0,
  args: [],
  env: {},
};

/** Defaults included, also when the config does not name the agent. */
export function adapterSettings(config: Config, adapter: string): AdapterConfig {
  const found = Object.hasOwn(config.adapters, adapter) ? config.adapters[adapter] : undefined;
  return found ?? { ...UNSET, args: [], env: {} };
}
