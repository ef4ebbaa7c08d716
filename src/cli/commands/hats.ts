/** `reins hats graph`: who wears what when, as text, Mermaid or JSON; with what is wrong in it. */
import type { LoadedConfig } from '../../config/index.js';
import { checkHats, type HatFinding, type HatSettings, loopSettingsFrom, renderGraph } from '../../loop/index.js';
import { hatFindingLine, loadSettings, type SettingsAsk } from '../../sessions/run.js';
import type { Context } from '../context.js';

export interface GraphView {
  starting_event: string;
  completion_promise: string;
  hats: HatSettings[];
  errors: HatFinding[];
  warnings: HatFinding[];
  text: string;
  mermaid: string;
}

export function graphOf({ config }: LoadedConfig): GraphView {
  const settings = loopSettingsFrom(config);
  const { promise, startingEvent, hats } = settings;
  return {
    starting_event: startingEvent,
    completion_promise: promise,
    hats,
    ...checkHats(settings),
    ...renderGraph(settings),
  };
}

export async function graph(
  context: Context,
  flags: Pick<SettingsAsk, 'config' | 'set'> & { mermaid?: boolean; json?: boolean },
): Promise<number> {
  const { channels } = context;
  const { loaded } = loadSettings(context, flags);
  const view = graphOf(loaded);
  if (flags.json) channels.json(view);
  else if (!flags.mermaid) channels.out(view.text);
  else if (view.mermaid === '') channels.chrome(view.text.trimEnd());
  else channels.out(view.mermaid);
  for (const finding of view.errors) channels.complain(`error: ${hatFindingLine(loaded, finding)}`);
  for (const finding of view.warnings) channels.chrome(`warning: ${hatFindingLine(loaded, finding)}`);
  return view.errors.length === 0 ? 0 : 10;
}
