/**
 * Versions as agents print them (`codex-cli 0.166.0`, `2.1.197 (Claude Code)`): the first dotted number counts, what
 * follows a dash or plus does not. Flags come and go with versions; every such turning point is a constant in its adapter.
 */
export function parseVersion(text: string | undefined): readonly [number, number, number] | undefined {
  const match = /(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?/.exec(text ?? '');
  return match ? [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)] : undefined;
}

/** Whether the text names a version below `than`; undefined when it names none. */
export function isBelow(text: string | undefined, than: string): boolean | undefined {
  const a = parseVersion(text);
  const b = parseVersion(than);
  if (!a || !b) return undefined;
  for (const i of [0, 1, 2] as const) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}
