/** Text that others wrote, as text and nothing else: what nobody would see is drawn, and its direction stays inside. */
import { type SeenOptions, seen } from '../model/visible.js';

export function Pieces({ text, lines = true }: { text: string } & SeenOptions) {
  return (
    <>
      {seen(text, { lines }).map((piece, at) =>
        piece.hidden === undefined ? (
          piece.text
        ) : (
          <span key={at} class="hidden-sign" title={piece.hidden}>
            {piece.text}
          </span>
        ),
      )}
    </>
  );
}

/** In a line of ours. `lines`: it may have several of its own. */
export function OutsideText({ text, lines = false }: { text: string } & SeenOptions) {
  return (
    <bdi class={lines ? 'outside lines' : 'outside'}>
      <Pieces text={text} lines={lines} />
    </bdi>
  );
}
