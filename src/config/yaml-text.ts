/**
 * YAML text to a plain tree with the place of every path. Our own walk instead of the library's `toJS`, because it finds
 * duplicate keys in linear time, bounds what aliases can multiply, and collects every position on the way. A key without
 * a value counts as not written; it is only remembered, so that a misspelled one is still found. `<<: *anchor` brings in the
 * keys of another map, as ralph's first version and most readers of YAML do, although the language itself has dropped it.
 */
import type { Alias, Document, Node, ParsedNode } from 'yaml';
import { formatPlace, type Layer, type LayerKind, type SourcePlace } from './layer.js';
import { formatPath, type Path } from './path.js';
import type { Problem } from './problems.js';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from './yaml.js';
import { nestsDeeperThan } from './yaml-nesting.js';

/** Nodes of the tree, aliases resolved: far above any real config, far below what would hurt. */
const MOST_NODES = 50_000;
/** Aliases in one file: finding an alias' anchor walks the document, so their number bounds the time. */
const MOST_ALIASES = 200;
/** Levels of nesting in the tree; the schema has seven. */
const DEEPEST = 40;
/** Levels the parser is shown at all: at a few thousand it does not throw but takes the whole process down. */
const DEEPEST_TEXT = 200;

export interface YamlLayer {
  layer: Layer;
  /** Paths that were written without a value. */
  empty: Path[];
  problems: Problem[];
}

export function parseYamlLayer(source: { text: string; kind: LayerKind; name: string; file: string }): YamlLayer {
  const place: SourcePlace = { source: source.name, file: source.file };
  const layer: Layer = { kind: source.kind, tree: {}, places: new Map(), place };
  const lines = new LineCounter();
  if (nestsDeeperThan(source.text, DEEPEST_TEXT)) {
    return { layer, empty: [], problems: [`${source.name}: nested too deeply to be read`] };
  }
  const doc = parseDocument(source.text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    // At `silent` the library says nothing of a second document, and whatever is written there would not count.
    logLevel: 'error',
  });
  const walk = new Walk({ doc, lines, place });
  for (const { pos, code, message } of [...doc.errors, ...doc.warnings]) {
    walk.complain(pos[0], code === 'MULTIPLE_DOCS' ? 'a second document begins here; a file is one' : message);
  }
  if (walk.problems.length === 0) {
    const tree = walk.node(doc.contents, []);
    if (tree !== undefined && (typeof tree !== 'object' || Array.isArray(tree))) {
      walk.complain(0, 'a config file is a map of keys');
    } else if (tree !== undefined) layer.tree = tree as Record<string, unknown>;
  }
  layer.places = walk.places;
  return { layer, empty: walk.empty, problems: walk.problems };
}

class Walk {
  readonly problems: Problem[] = [];
  readonly places = new Map<string, SourcePlace>();
  readonly empty: Path[] = [];
  readonly #doc: Document.Parsed;
  readonly #lines: LineCounter;
  readonly #place: SourcePlace;
  readonly #targets = new Map<Alias, Node | undefined>();
  #nodes = 0;

  constructor(of: { doc: Document.Parsed; lines: LineCounter; place: SourcePlace }) {
    this.#doc = of.doc;
    this.#lines = of.lines;
    this.#place = of.place;
  }

  complain(offset: number, message: string): void {
    this.problems.push(`${formatPlace({ ...this.#place, ...this.#at(offset) })}: ${message}`);
  }

  #at(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  /** The value of a node; undefined for nothing. Contract: after a problem the value is of no use. */
  node(node: Node | null | undefined, path: Path): unknown {
    if (!this.#fits(node, path)) return undefined;
    if (isAlias(node)) {
      const target = this.#target(node);
      return target && this.node(target, path);
    }
    if (isMap(node)) return this.#map(node as Pairs, path);
    if (isSeq(node)) return node.items.map((item, index) => this.#item(item as Node, [...path, index]));
    return isScalar(node) ? (node.value ?? undefined) : undefined;
  }

  /** Counts it; complains once. */
  #fits(node: Node | null | undefined, path: Path): boolean {
    this.#nodes++;
    if (this.#nodes <= MOST_NODES && path.length <= DEEPEST) return true;
    if (this.problems.length === 0) this.complain(start(node), 'too large once its aliases are resolved');
    return false;
  }

  #target(alias: Alias): Node | undefined {
    if (!this.#targets.has(alias) && this.#targets.size < MOST_ALIASES) {
      this.#targets.set(alias, alias.resolve(this.#doc));
    }
    const target = this.#targets.get(alias);
    if (!target) this.complain(start(alias), `there is no anchor ${alias.source}, or too many aliases`);
    return target;
  }

  #item(node: Node, path: Path): unknown {
    this.places.set(formatPath(path), { ...this.#place, ...this.#at(start(node)) });
    // In a list nothing is something: leaving it out would shift the others.
    return this.node(node, path) ?? null;
  }

  #map(node: Pairs, path: Path): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const seen = new Set<string>();
    for (const pair of node.items) {
      const { key } = pair;
      const name = isScalar(key) ? String(key.value) : undefined;
      if (name === undefined || name === '__proto__') {
        this.complain(start(key), 'a key must be a plain word');
        continue;
      }
      if (seen.has(name)) this.complain(start(key), `${formatPath([...path, name])} is written twice`);
      seen.add(name);
      if (!isMerge(pair)) this.#pair(map, pair, [...path, name]);
    }
    const brought: Record<string, unknown> = {};
    this.#bringIn({ map: brought, seen, path, from: [node] }, node);
    return { ...brought, ...map };
  }

  #pair(map: Record<string, unknown>, { key, value }: Pair, here: Path): void {
    const keyAt = this.#at(start(key));
    const valueAt = value?.range ? this.#at(value.range[0]) : keyAt;
    this.places.set(formatPath(here), { ...this.#place, ...valueAt, key: keyAt });
    const inner = this.node(value, here);
    if (inner === undefined) this.empty.push(here);
    else map[String(here.at(-1))] = inner;
  }

  /** What `<<` of this map names: keys that are not there yet, those of the first named first. */
  #bringIn(to: Merging, { items }: Pairs): void {
    for (const pair of items) {
      if (!isMerge(pair)) continue;
      const value = isAlias(pair.value) ? this.#target(pair.value) : pair.value;
      for (const each of isSeq(value) ? (value.items as Node[]) : [value]) {
        const source = isAlias(each) ? this.#target(each) : each;
        if (!this.#fits(source, to.path)) return;
        if (isMap(source)) this.#bringInOne(to, source as Pairs);
        else if (source || !value)
          this.complain(
            start(each ?? pair.key),
            `${formatPath([...to.path, '<<'])}: expected a map, or a list of maps`,
          );
      }
    }
  }

  #bringInOne(to: Merging, source: Pairs): void {
    if (to.from.includes(source)) {
      this.complain(start(source), `${formatPath(to.path)} brings in itself`);
      return;
    }
    this.#nodes += source.items.length; // also those that are there already
    for (const pair of source.items) {
      const name = isScalar(pair.key) ? String(pair.key.value) : '__proto__';
      if (name === '__proto__') this.complain(start(pair.key), 'a key must be a plain word');
      else if (!isMerge(pair) && !to.seen.has(name)) {
        to.seen.add(name);
        this.#pair(to.map, pair, [...to.path, name]);
      }
    }
    this.#bringIn({ ...to, from: [...to.from, source] }, source);
  }
}

interface Pair {
  key: ParsedNode;
  value: ParsedNode | null;
}

type Pairs = Node & { items: Pair[] };

interface Merging {
  map: Record<string, unknown>;
  seen: Set<string>;
  path: Path;
  /** The maps on the way. */
  from: Pairs[];
}

/** Quoted, it is a key like any other. */
export const isMerge = ({ key }: { key: unknown }): boolean =>
  isScalar(key) && key.value === '<<' && key.type === 'PLAIN';

function start(node: Node | null | undefined): number {
  return node?.range?.[0] ?? 0;
}
