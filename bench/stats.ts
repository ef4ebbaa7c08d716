/**
 * Figures of a noisy machine: medians with their spread, and subjects measured in turn, so that a slow minute hits them
 * all. A figure alone says nothing here; every claim is a ratio of two taken in the same rounds.
 */

export interface Figure {
  median: number;
  /** Smallest and largest of the rounds. */
  low: number;
  high: number;
  rounds: number;
}

export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)]!;
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at));
}

export function figure(values: number[]): Figure {
  return {
    median: percentile(values, 0.5),
    low: Math.min(...values),
    high: Math.max(...values),
    rounds: values.length,
  };
}

export interface Subject<T> {
  name: string;
  once(): Promise<T>;
}

/**
 * Every subject once per round, in an order that turns with the round. One that fails is named with its reason and left
 * out of the rest: a peer that cannot run here is no reason to measure nothing.
 */
export async function alternate<T>(
  subjects: Subject<T>[],
  rounds: number,
): Promise<{ taken: Map<string, T[]>; failed: Map<string, string> }> {
  const taken = new Map<string, T[]>(subjects.map((subject) => [subject.name, []]));
  const failed = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const turned = [...subjects.slice(round % subjects.length), ...subjects.slice(0, round % subjects.length)];
    for (const subject of turned) {
      if (failed.has(subject.name)) continue;
      try {
        taken.get(subject.name)!.push(await subject.once());
      } catch (error) {
        failed.set(subject.name, (error as Error).message.split('\n')[0]!);
        taken.delete(subject.name);
      }
    }
  }
  return { taken, failed };
}

/** Ratio of two figures round by round, then the median: what both had to bear in the same minute cancels out. */
export function ratio(ours: number[], theirs: number[]): Figure {
  const count = Math.min(ours.length, theirs.length);
  return figure(Array.from({ length: count }, (_, at) => ours[at]! / theirs[at]!));
}
