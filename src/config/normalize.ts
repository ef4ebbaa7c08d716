/** Policies as written → one entry per kind, so that layers merge kind by kind. Only for layers the schema accepted. */
import type { Layer } from './layer.js';
import { formatPath, isMap } from './path.js';
import { spreadKinds } from './schema/tools.js';

export function normalizePolicies(layer: Layer): void {
  if (!isMap(layer.tree.tools)) return;
  for (const [name, tool] of Object.entries(layer.tree.tools)) {
    if (!isMap(tool)) continue;
    for (const when of ['attached', 'detached']) {
      if (tool[when] === undefined) continue;
      tool[when] = spreadKinds(tool[when]);
      const path = ['tools', name, when];
      const place = layer.places.get(formatPath([...path, 'tool']));
      if (place) layer.places.set(formatPath([...path, 'question']), place);
    }
  }
}
