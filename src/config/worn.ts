/**
 * Who wears a hat, and within which bounds, as the config says it: its agent with its own command or arguments, its time,
 * what it may not call. Without the schema: a host needs it too. A spec that an earlier build wrote has none of the keys.
 */
import type { Config } from './schema.js';

export interface WornAgent {
  /** As in cli.backend; absent: the session's own agent. */
  adapter?: string;
  /** `cli` as this agent is to be started by it. */
  cli: Config['cli'];
  /** Behind the session's own. */
  args: string[];
  /** Rules as in rules.deny. */
  deny: string[];
  timeoutSecs?: number;
}

export function wornAgent(config: Config, id: string | undefined): WornAgent {
  const hat = id !== undefined && Object.hasOwn(config.hats, id) ? config.hats[id] : undefined;
  const bounds = {
    deny: id === undefined ? deniedToAll(config) : (hat?.disallowed_tools ?? []),
    ...(hat?.timeout === undefined ? {} : { timeoutSecs: hat.timeout }),
  };
  const backend = hat?.backend;
  if (typeof backend !== 'object') {
    return { ...(backend === undefined ? {} : { adapter: backend }), cli: config.cli, args: [], ...bounds };
  }
  const { command, type, agent, args } = backend;
  if (command === undefined) {
    const named = agent === undefined ? [] : ['--agent', agent];
    return { ...(type === undefined ? {} : { adapter: type }), cli: config.cli, args: [...named, ...args], ...bounds };
  }
  const { prompt_flag: _session, ...cli } = config.cli;
  return {
    adapter: 'custom',
    cli: {
      ...cli,
      backend: 'custom',
      command,
      args,
      prompt_mode: backend.prompt_mode ?? 'arg',
      ...(backend.prompt_flag === undefined ? {} : { prompt_flag: backend.prompt_flag }),
      // What the session's own command speaks says nothing about this one.
      acp: false,
      acp_asks: false,
    },
    args: [],
    ...bounds,
  };
}

/** An iteration without a hat may do nothing that no hat may: to hand the work to nobody must not be a way round it. */
function deniedToAll({ hats }: Config): string[] {
  const [first, ...others] = Object.values(hats).map((hat) => hat.disallowed_tools ?? []);
  return (first ?? []).filter((text) => others.every((denied) => denied.includes(text)));
}

/** How the loop calls that agent: a command of a hat's own has no other name. */
export function wornName(config: Config, id: string): string | undefined {
  const backend = config.hats[id]?.backend;
  return typeof backend === 'object' && backend.command !== undefined ? `hat:${id}` : wornAgent(config, id).adapter;
}
