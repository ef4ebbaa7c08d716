/**
 * Counts the steps of judging, so that a test can say that time grows with the length of the input and no clock is needed.
 * Each loop over input of an agent's choice ticks once per round.
 */
let steps = 0;

export function tick(more = 1): void {
  steps += more;
}

/** The steps that `work` took. */
export function countSteps(work: () => void): number {
  const before = steps;
  work();
  return steps - before;
}
