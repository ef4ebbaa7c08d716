/** Which agent a session runs on: the one that was named, or the first one found in the documented order. */
import { adapterNamed, adapters, Detector, type Found, isFound, noneFound, notFound } from '../adapters/index.js';
import { adapterSettings, type Config } from '../config/index.js';
import { ReinsError } from '../contract/index.js';
import type { Context } from './context.js';

/** Contract: throws BACKEND_UNKNOWN, CUSTOM_NEEDS_COMMAND, AGENT_NOT_FOUND or AGENT_NONE_FOUND. */
export async function chooseAgent(context: Context, config: Config, cwd: string): Promise<Found> {
  const { backend, command } = config.cli;
  const detector = new Detector({
    env: context.env,
    cwd,
    enabled: (id) => adapterSettings(config, id).enabled,
    ...(command === undefined ? {} : { customCommand: command }),
  });
  try {
    if (backend === 'auto') {
      const { found, missing } = await detector.first();
      if (!found) throw noneFound(missing);
      return found;
    }
    if (!adapterNamed(backend)) {
      const known = adapters.map((adapter) => adapter.id).join(', ');
      throw new ReinsError('BACKEND_UNKNOWN', { backend, known: `auto, ${known}` });
    }
    if (backend === 'custom' && !command) throw new ReinsError('CUSTOM_NEEDS_COMMAND');
    const one = await detector.one(backend);
    if (!isFound(one)) throw notFound(one);
    return one;
  } finally {
    detector.close();
  }
}
