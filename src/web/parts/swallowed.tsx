/** Says that a press came too early and did nothing. It lies over what it is in: nothing moves for it. */
import type { RefObject } from 'preact';
import { useSwallowed } from './shield.js';

export function Swallowed({ of }: { of: RefObject<HTMLElement | null> }) {
  const words = useSwallowed(of);
  return (
    <p class="swallowed" role="status" data-said={words !== ''}>
      {words}
    </p>
  );
}
