/**
 * Topics and globs. `*` stands for any run of characters, dots included; everything else is literal. The more literal
 * characters a pattern has, the more specific it is, and a pattern without `*` beats every glob.
 */

export const isGlob = (pattern: string): boolean => pattern.includes('*');

/** Whether the pattern covers the topic. Linear in practice: only the latest `*` is ever retried. */
export function matchesTopic(pattern: string, topic: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < topic.length) {
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.length && pattern[p] === topic[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

export const matchesAny = (patterns: string[], topic: string): boolean =>
  patterns.some((pattern) => matchesTopic(pattern, topic));

/** Higher beats lower. */
export function specificity(pattern: string): number {
  return isGlob(pattern) ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY;
}

/** Whether some topic is covered by both patterns. */
export function overlaps(a: string, b: string): boolean {
  const known = new Map<number, boolean>();
  const meet = (i: number, j: number): boolean => {
    const key = i * (b.length + 1) + j;
    const before = known.get(key);
    if (before !== undefined) return before;
    known.set(key, false);
    const found =
      i === a.length && j === b.length
        ? true
        : a[i] === '*'
          ? meet(i + 1, j) || (j < b.length && meet(i, j + 1))
          : b[j] === '*'
            ? meet(i, j + 1) || (i < a.length && meet(i + 1, j))
            : i < a.length && a[i] === b[j] && meet(i + 1, j + 1);
    known.set(key, found);
    return found;
  };
  return meet(0, 0);
}
