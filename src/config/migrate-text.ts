/**
 * Rewrites the text of a ralph.yml or an old reins.yml as today's reins.yml, comments kept, for `reins config migrate`.
 * A file that needs nothing comes back byte for byte. A ralph.yml that never said so meant `trust: full`; a reins.yml
 * means guarded, so the word is written down: the move changes nothing but the name.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Document, Pair, Scalar, YAMLMap } from 'yaml';
import { migrateLayer, modeFor, OLD_KEYS } from './migrate.js';
import { formatPath } from './path.js';
import { throwProblems } from './problems.js';
import { dropIn } from './ralph/layer.js';
import { editDocument } from './ralph/text.js';
import { isMap, isScalar, parseDocument, stringify } from './yaml.js';
import { parseYamlLayer, type YamlLayer } from './yaml-text.js';

export interface MigratedText {
  text: string;
  /** One line per change; empty: the text is the same. */
  changes: string[];
}

const TRUST_COMMENT = ' as ralph.yml had it; `guarded` makes every tool call an inquiry';

/** `user`: ralph's own file for the user, which says nothing about trust. */
export type MigratedFrom = 'ralph' | 'reins' | 'user';

/** Throws CONFIG_INVALID for what is no YAML, or where an old key is neither true nor false. */
export function migrateText(text: string, from: MigratedFrom = 'ralph'): MigratedText {
  const { layer, empty } = readLayer(text, `${from}.yml`);
  const doc = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
  const changes: string[] = [];
  for (const path of [[], ['cli']]) changes.push(...renameOldKeys(doc, path));
  if (from !== 'reins') {
    changes.push(...editDocument(doc, layer.tree, empty));
    dropIn(layer);
  }
  if (from === 'ralph' && layer.tree.trust === undefined) {
    layer.tree.trust = 'full';
    const trust = doc.createPair('trust', 'full');
    (trust.value as Scalar).comment = TRUST_COMMENT;
    if (isMap(doc.contents)) {
      doc.delete('trust'); // written without a value
      doc.contents.items.push(trust as never);
    } else doc.contents = doc.createNode({ trust: 'full' }) as never;
    changes.push('trust: full is written down, as a ralph.yml means it');
  }
  // As wide as the widest line there was, so that nothing is broken that was not; folded texts (`>`) may flow anew.
  const lineWidth = text.split('\n').reduce((widest, line) => Math.max(widest, line.length + 1), 80);
  if (changes.length === 0) return { text, changes };
  const written = textOf(doc, lineWidth);
  // The comments are worth much, the meaning is worth more.
  const isSame = written !== undefined && isDeepStrictEqual(readLayer(written, 'reins.yml').layer.tree, layer.tree);
  return { text: isSame ? written : stringify(layer.tree, { lineWidth }), changes };
}

/** Nothing where the library cannot write what it could read, as a `!!set` with a value. */
function textOf(doc: ReturnType<typeof parseDocument>, lineWidth: number): string | undefined {
  try {
    return doc.toString({ lineWidth });
  } catch {
    return undefined; // then it is written from what it means
  }
}

/** As it means, old keys of the first seed replaced. */
function readLayer(text: string, name: string): Pick<YamlLayer, 'layer' | 'empty'> {
  const { layer, empty, problems } = parseYamlLayer({ text, kind: 'project', name, file: name });
  throwProblems(problems);
  throwProblems(migrateLayer(layer).problems);
  return { layer, empty };
}

function renameOldKeys(doc: Document, path: string[]): string[] {
  const map = path.length === 0 ? doc.contents : doc.getIn(path, true);
  if (!isMap(map)) return [];
  const found = OLD_KEYS.flatMap((key) => pairOf(map, key) ?? []);
  const first = found[0];
  if (!first) return [];
  const mode = modeFor(Object.fromEntries(OLD_KEYS.map((key) => [key, map.get(key) as boolean | undefined] as const)));
  const said = found.map((pair) => formatPath([...path, keyOf(pair)])).join(' and ');
  const isSet = doc.getIn(['cli', 'default_mode']) !== undefined;
  for (const pair of found) {
    if (pair === first && !isSet && path.length > 0) {
      // In place, so that the comments around the old key stay around the new one.
      (pair.key as Scalar).value = 'default_mode';
      (pair.value as Scalar).value = mode;
      delete (pair.value as Scalar).source;
    } else map.delete(keyOf(pair));
  }
  if (!isSet && path.length === 0) doc.setIn(['cli', 'default_mode'], mode);
  return [isSet ? `${said} is dropped, cli.default_mode is set` : `${said} became cli.default_mode: ${mode}`];
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function keyOf(pair: Pair): string {
  return String((pair.key as Scalar).value);
}
