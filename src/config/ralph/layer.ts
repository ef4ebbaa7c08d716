/** A loaded file of ralph's becomes a layer like any other, with its places; what was moved or does nothing is told. */
import { findPlace, type Layer } from '../layer.js';
import { formatPath } from '../path.js';
import { applyTo, ralphEdits, wantsSilence } from './edits.js';
import { ralphKeysBelow } from './keys.js';

export interface DroppedIn {
  /** `event_loop.checkpoint_interval (Reins never commits for you)` */
  idle: string[];
  /** `agent is now cli.backend` */
  moved: string[];
}

export function dropIn(layer: Layer): DroppedIn {
  const isSilent = wantsSilence(layer.tree);
  const edits = ralphEdits(layer.tree);
  layer.alsoKnown = ralphKeysBelow;
  for (const edit of edits) {
    if (edit.do === 'move') layer.places.set(formatPath(edit.to), findPlace(layer, edit.from).place);
    applyTo(layer.tree, edit);
  }
  if (isSilent) return { idle: [], moved: [] };
  return {
    idle: edits.flatMap((edit) => {
      if (edit.do !== 'tell' && (edit.do !== 'drop' || edit.quiet)) return [];
      return [edit.why === undefined ? formatPath(edit.path) : `${formatPath(edit.path)} (${edit.why})`];
    }),
    moved: edits.flatMap((edit) =>
      edit.do === 'move' ? [`${formatPath(edit.from)} is now ${formatPath(edit.to)}`] : [],
    ),
  };
}
