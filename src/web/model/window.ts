/**
 * Which part of a long list is drawn: what is in sight and a little around it. Heights of what was drawn are known, others are
 * guessed; the place is held by an item and not by a distance, so that guesses may be wrong and older ones may come in above.
 */
export interface ListWindow {
  from: number;
  /** Exclusive. */
  to: number;
  /** Room for what is not drawn, in pixels. */
  before: number;
  after: number;
}

export interface ListPlace {
  index: number;
  /** How far its upper edge is above the upper edge of the view. */
  offset: number;
}

type HeightOf = (index: number) => number;

/** The item at this distance from the top. */
export function placeAt(count: number, heightOf: HeightOf, y: number): ListPlace {
  let top = 0;
  for (let index = 0; index < count; index += 1) {
    const height = heightOf(index);
    if (top + height > y || index === count - 1) return { index, offset: y - top };
    top += height;
  }
  return { index: 0, offset: 0 };
}

/** Contract: holds the place and everything in view of it, and at most what `margin` adds on both sides. */
export function windowAround(
  list: { count: number; heightOf: HeightOf },
  place: ListPlace,
  view: { height: number; margin: number; most: number },
): ListWindow {
  const { count, heightOf } = list;
  const index = Math.max(0, Math.min(place.index, count - 1));
  let from = index;
  for (let room = view.margin - place.offset; from > 0 && room > 0; ) {
    from -= 1;
    room -= heightOf(from);
  }
  let to = index;
  for (let room = view.height + view.margin + place.offset; to < count && room > 0; to += 1) room -= heightOf(to);
  // Many small ones: the view itself comes first.
  from = Math.max(from, index - view.most / 2);
  to = Math.min(count, Math.max(to, index + 1), from + view.most);
  let before = 0;
  for (let at = 0; at < from; at += 1) before += heightOf(at);
  let after = 0;
  for (let at = to; at < count; at += 1) after += heightOf(at);
  return { from, to, before, after };
}

/** The window when the view stands at the end. */
export function windowAtEnd(
  list: { count: number; heightOf: HeightOf },
  view: { height: number; margin: number; most: number },
): ListWindow {
  let from = list.count;
  for (let room = view.height + view.margin; from > 0 && room > 0 && list.count - from < view.most; ) {
    from -= 1;
    room -= list.heightOf(from);
  }
  let before = 0;
  for (let at = 0; at < from; at += 1) before += list.heightOf(at);
  return { from, to: list.count, before, after: 0 };
}
