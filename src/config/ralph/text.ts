/** The edits on the text of the file itself, comments kept: for `config migrate`. */
import type { Document, Pair, Scalar, YAMLMap } from 'yaml';
import { schemasAt } from '../known-keys.js';
import { formatPath, type Path } from '../path.js';
import { isAlias, isMap, isScalar, isSeq, visit } from '../yaml.js';
import { isMerge } from '../yaml-text.js';
import { type Edit, ralphEdits, type Tree } from './edits.js';

/** One line per change. `tree` is what the document says, `empty` the keys it has without a value. */
export function editDocument(doc: Document, tree: Tree, empty: readonly Path[]): string[] {
  const nothing = empty.filter((path) => schemasAt(path).length === 0);
  const edits = [
    ...nothing.map((path): Edit => ({ do: 'drop', path: path.map(String), why: 'nothing was written' })),
    ...ralphEdits(tree),
  ];
  if (edits.some((edit) => edit.do !== 'tell')) {
    writeOutMerges(doc);
    writeOutAliases(doc);
  }
  for (const edit of edits) apply(doc, edit);
  return edits.flatMap((edit) => changeLine(edit) ?? []);
}

/** What an alias stands for may be edited, or be gone with the key that held its anchor. */
function writeOutAliases(doc: Document): void {
  // An alias may stand for something that holds aliases; how many there are was bounded when the file was read.
  for (let more = true; more; ) {
    more = false;
    visit(doc, {
      Alias(_, alias) {
        const target = alias.resolve(doc);
        more ||= target !== undefined;
        return target?.clone() as Scalar | undefined;
      },
    });
  }
  visit(doc, {
    Node(_, node) {
      if ('anchor' in node) delete node.anchor;
    },
  });
}

/** What `<<` brings in is written where it counts, so that it can be edited there. */
function writeOutMerges(doc: Document): void {
  visit(doc, {
    Map(_, map) {
      if (!map.items.some(isMerge)) return;
      const own = map.items.filter((pair) => !isMerge(pair));
      const brought = pairsOf(doc, map as YAMLMap).slice(own.length);
      map.items = [...brought.map((pair) => pair.clone()), ...own] as never;
    },
  });
}

/** Its own, then those that `<<` brings in: of two with one name the first counts. That it ends was seen when the file was read. */
function pairsOf(doc: Document, map: YAMLMap): Pair[] {
  const named = (node: unknown): unknown => (isAlias(node) ? node.resolve(doc) : node);
  const sources = map.items.filter(isMerge).flatMap(({ value }) => {
    const one = named(value);
    return isSeq(one) ? one.items.map(named) : [one];
  });
  const all = [
    ...map.items.filter((pair) => !isMerge(pair)),
    ...sources.flatMap((source) => (isMap(source) ? pairsOf(doc, source as YAMLMap) : [])),
  ];
  const first = new Map(all.toReversed().map((pair) => [String((pair.key as Scalar).value), pair]));
  return all.filter((pair) => first.get(String((pair.key as Scalar).value)) === pair) as Pair[];
}

function apply(doc: Document, edit: Edit): void {
  if (edit.do === 'drop') take(doc, edit.path);
  if (edit.do === 'set') put(doc, edit.path, { value: edit.value });
  if (edit.do === 'move') {
    const pair = take(doc, edit.from);
    const same = pair && JSON.stringify(plain(pair)) === JSON.stringify(edit.value);
    put(doc, edit.to, { value: edit.value, ...(pair ? { pair, same: same === true } : {}) });
  }
}

const plain = (pair: Pair): unknown => (pair.value as { toJSON?(): unknown } | null)?.toJSON?.();

/** Removes a pair and returns it, comments and all. */
function take(doc: Document, path: string[]): Pair | undefined {
  let holder: unknown = doc.contents;
  for (const part of path.slice(0, -1)) {
    if (isMap(holder)) holder = holder.items[indexOf(holder as YAMLMap, part)]?.value;
    else holder = isSeq(holder) ? holder.items[Number(part)] : undefined;
  }
  const map = isMap(holder) ? (holder as YAMLMap) : undefined;
  const at = map ? indexOf(map, path.at(-1)!) : -1;
  if (at < 0) return undefined;
  const pair = map!.items.splice(at, 1)[0]!;
  // What stands above the first key is mostly about the whole file.
  const key = pair.key as Scalar;
  if (path.length === 1 && at === 0 && key.commentBefore) {
    doc.commentBefore = [doc.commentBefore, key.commentBefore].filter(Boolean).join('\n');
    key.commentBefore = null;
  }
  return pair;
}

function put(doc: Document, path: string[], given: { value: unknown; pair?: Pair; same?: boolean }): void {
  const map = mapAt(doc, path.slice(0, -1));
  if (!map) return;
  const key = path.at(-1)!;
  const at = indexOf(map, key);
  const old = at < 0 ? undefined : map.items[at];
  const from = given.pair ?? old;
  const pair = doc.createPair(key, given.value) as Pair;
  const node = pair.value as Scalar;
  if (typeof given.value === 'string' && given.value.includes('\n')) node.type = 'BLOCK_LITERAL';
  const was = from?.value as Scalar | undefined;
  if (was?.comment) node.comment = was.comment;
  const name = from?.key as Scalar | undefined;
  if (name?.commentBefore) (pair.key as Scalar).commentBefore = name.commentBefore;
  if (given.same && was) pair.value = was;
  if (old) map.items[at] = pair as never;
  else map.items.push(pair as never);
}

/** Made where there is none. */
function mapAt(doc: Document, path: string[]): YAMLMap | undefined {
  if (!isMap(doc.contents)) return undefined;
  let map = doc.contents as YAMLMap;
  for (const part of path) {
    const at = indexOf(map, part);
    let next = at < 0 ? undefined : map.items[at]!.value;
    if (!isMap(next)) {
      next = doc.createNode({});
      const pair = doc.createPair(part, next);
      if (at < 0) map.items.push(pair as never);
      else map.items[at] = pair as never;
    }
    map = next as YAMLMap;
  }
  return map;
}

const indexOf = (map: YAMLMap, key: string): number =>
  map.items.findIndex((pair) => isScalar(pair.key) && String(pair.key.value) === key);

function changeLine(edit: Edit): string | undefined {
  if (edit.do === 'move') return `${formatPath(edit.from)} became ${formatPath(edit.to)}`;
  if (edit.do === 'set') return `${formatPath(edit.path)} is written as reins.yml wants it`;
  if (edit.do === 'tell') return undefined;
  const why = edit.why === undefined ? '' : ` (${edit.why})`;
  return edit.quiet ? undefined : `${formatPath(edit.path)} is dropped, it has no effect here${why}`;
}
