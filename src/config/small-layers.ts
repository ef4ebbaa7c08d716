/**
 * The layers above the files: environment variables, `--set`, flags. Their values are YAML scalars or flow collections,
 * so `true`, `5` and `[a, b]` mean what they mean in a file; anything else is text, colons and all.
 */
import type { Env } from '../contract/index.js';
import { type Layer, leaves } from './layer.js';
import { formatPath, nest, parsePath } from './path.js';
import { clip, type Problem } from './problems.js';
import { isScalar, isSeq, isMap as isYamlMap, parseDocument } from './yaml.js';
import { nestsDeeperThan } from './yaml-nesting.js';

const PREFIX = 'REINS_CFG__';
/** A value on a command line; longer ones belong into a file. */
const LONGEST_VALUE = 65_536;
const DEEPEST = 20;

interface SmallLayers {
  layers: Layer[];
  problems: Problem[];
}

export function environmentLayers(env: Env): SmallLayers {
  const found: SmallLayers = { layers: [], problems: [] };
  for (const name of Object.keys(env)
    .filter((each) => each.startsWith(PREFIX))
    .sort()) {
    const path = name.slice(PREFIX.length).split('__');
    if (path.some((part) => part === '')) {
      found.problems.push(`environment ${clip(name, 100)}: names no key; write ${PREFIX}cli__backend for cli.backend`);
    } else add(found, { kind: 'environment', source: `environment ${name}`, path, text: env[name] ?? '' });
  }
  if (env.REINS_TRUST) {
    add(found, { kind: 'environment', source: 'environment REINS_TRUST', path: ['trust'], text: env.REINS_TRUST });
  }
  return found;
}

export function setLayers(sets: readonly string[]): SmallLayers {
  const found: SmallLayers = { layers: [], problems: [] };
  for (const set of sets) {
    const match = /^((?:"(?:[^"\\]|\\.)*"|[^"=])+)=(.*)$/s.exec(set);
    const path = match && parsePath(match[1]!.trim());
    if (!match || !path) {
      found.problems.push(`flag --set ${clip(set, 100)}: expected key=value, as in --set cli.backend=claude`);
    } else add(found, { kind: 'set', source: `flag --set ${formatPath(path)}`, path, text: match[2]! });
  }
  return found;
}

/** What flags of their own set (`--idle-timeout`); `names` says which flag set which key. */
export function flagLayer(tree: object, names: Readonly<Record<string, string>>): Layer {
  const place = { source: 'flag' };
  const places = new Map([...leaves(tree)].map(({ path }) => [formatPath(path), place]));
  for (const [key, flag] of Object.entries(names)) places.set(key, { source: `flag ${flag}` });
  return { kind: 'flag', tree: structuredClone(tree) as Record<string, unknown>, places, place };
}

function add(
  found: SmallLayers,
  item: { kind: 'environment' | 'set'; source: string; path: string[]; text: string },
): void {
  const { kind, source, path, text } = item;
  if (path.includes('__proto__') || path.length > DEEPEST) {
    found.problems.push(`${source}: unknown key`);
    return;
  }
  const value = parseValue(text);
  if (value === null) return; // `key=null`: as if it had not been said, like a key without a value in a file
  const place = { source };
  const tree = nest(path, value) as Record<string, unknown>;
  found.layers.push({ kind, tree, places: new Map([[formatPath(path), place]]), place, raw: { path, text } });
}

function parseValue(text: string): unknown {
  if (text.trim() === '' || text.length > LONGEST_VALUE || nestsDeeperThan(text, DEEPEST)) return text;
  const doc = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const isBlock = (isYamlMap(doc.contents) || isSeq(doc.contents)) && !doc.contents.flow;
  // `fix: the bug`, `- a`, `@home`, `# 1`, `*star`: YAML to a parser, plain words to whoever typed them.
  const isWords = isScalar(doc.contents) && doc.contents.type === 'PLAIN' && typeof doc.contents.value === 'string';
  if (doc.errors.length > 0 || doc.warnings.length > 0 || isBlock || isWords || doc.contents === null)
    return text.trim();
  try {
    return doc.toJS({ maxAliasCount: 0 });
  } catch {
    return text; // an alias without an anchor
  }
}
