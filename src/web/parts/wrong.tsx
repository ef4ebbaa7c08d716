/** What did not work, in the hub's own words, and what to do. */
import { Ticked } from './ticked.js';

export function Wrong({ words, hint }: { words: string; hint: string }) {
  return (
    <div class="went-wrong" role="alert">
      <p>
        <Ticked text={words} />
      </p>
      {hint !== '' && (
        <p class="soft small">
          <Ticked text={hint} />
        </p>
      )}
    </div>
  );
}
