/**
 * Old keys of ralph.yml, by the table of seed 000:
 *   pty_mode: false                          → default_mode: autonomous
 *   pty_mode: true,  pty_interactive: true   → default_mode: interactive
 *   pty_mode: true,  pty_interactive: false  → default_mode: autonomous
 * An absent pty_mode was false and an absent pty_interactive true: `--pty` alone let the user type, `--observe` did not.
 */
import type { Layer } from './layer.js';
import { formatPath, isMap } from './path.js';
import { type Problem, problemAt } from './problems.js';

export const OLD_KEYS = ['pty_mode', 'pty_interactive'] as const;

export function modeFor(old: { pty_mode?: boolean; pty_interactive?: boolean }): 'autonomous' | 'interactive' {
  return (old.pty_mode ?? false) && (old.pty_interactive ?? true) ? 'interactive' : 'autonomous';
}

/** Replaces old keys in a layer, in place. A `default_mode` that is written as well wins. */
export function migrateLayer(layer: Layer): { notices: string[]; problems: Problem[] } {
  const notices: string[] = [];
  const problems: Problem[] = [];
  for (const path of [[], ['cli']] as string[][]) {
    const map = path.length === 0 ? layer.tree : layer.tree.cli;
    if (!isMap(map)) continue;
    const found = OLD_KEYS.filter((key) => Object.hasOwn(map, key));
    if (found.length === 0) continue;
    const wrong = found.filter((key) => typeof map[key] !== 'boolean');
    problems.push(...wrong.map((key) => problemAt(layer, { path: [...path, key], message: 'expected true or false' })));
    const mode = modeFor(map as { pty_mode?: boolean; pty_interactive?: boolean });
    const written = found.map((key) => formatPath([...path, key]));
    const place = layer.places.get(written[0]!);
    for (const key of found) delete map[key];
    if (wrong.length > 0) continue;
    const said = written.join(' and ');
    const cli = isMap(layer.tree.cli) ? layer.tree.cli : undefined;
    if (layer.tree.cli !== undefined && !cli) continue; // `cli` is no map: the schema says so
    if (cli?.default_mode !== undefined) {
      notices.push(`${layer.place.source}: ${said} no longer exists and is ignored, cli.default_mode is set`);
      continue;
    }
    layer.tree.cli = { ...cli, default_mode: mode };
    if (place) layer.places.set('cli.default_mode', place);
    notices.push(
      `${layer.place.source}: ${said} is now cli.default_mode: ${mode}; \`reins config migrate --write\` writes it as reins.yml`,
    );
  }
  return { notices, problems };
}
