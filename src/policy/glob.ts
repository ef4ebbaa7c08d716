/**
 * Path patterns, matched in bounded time. A pattern becomes states, and a text is walked through all of them at once, so a
 * rule with many `**` costs length times length and never more. Every state that is looked at is a step of a budget that
 * comes in; a budget that runs out gives no answer, and what has no answer is neither allowed nor ruled out.
 */

/** What matching may still cost, counted down. */
export interface Steps {
  left: number;
}

type Test =
  | { kind: 'char'; char: string }
  | { kind: 'segment' }
  | { kind: 'any' }
  | { kind: 'set'; not: boolean; ranges: [string, string][] };

/** With a test: one character, then on. Without: on to each, for nothing. */
interface GlobState {
  test?: Test;
  to: number[];
}

export interface Glob {
  states: GlobState[];
  end: number;
}

class Builder {
  readonly states: GlobState[] = [{ to: [] }];
  at = 0;

  #open(): number {
    return this.states.push({ to: [] }) - 1;
  }

  one(test: Test): void {
    const next = this.#open();
    this.states[this.at] = { test, to: [next] };
    this.at = next;
  }

  many(test: Test): void {
    const loop = this.at;
    const body = this.#open();
    const after = this.#open();
    this.states[loop]!.to.push(body, after);
    this.states[body] = { test, to: [loop] };
    this.at = after;
  }

  /** `/**`: nothing, or a slash and everything behind it. */
  below(): void {
    const from = this.at;
    const slash = this.#open();
    const loop = this.#open();
    this.states[from]!.to.push(slash);
    this.states[slash] = { test: { kind: 'char', char: '/' }, to: [loop] };
    this.at = loop;
    this.many({ kind: 'any' });
    this.states[from]!.to.push(this.at);
  }

  either(choices: (() => void)[]): void {
    const from = this.at;
    const ends = choices.map((build) => {
      this.at = this.#open();
      this.states[from]!.to.push(this.at);
      build();
      return this.at;
    });
    this.at = this.#open();
    for (const end of ends) this.states[end]!.to.push(this.at);
  }
}

/**
 * Of a pattern as rules use it: `*`, `**`, `?`, `[a-z]`, `{a,b}`, `\*`. What fits also covers everything below it, unless
 * only the `file` itself is meant.
 */
export function readGlob(folder: string, tail: string, what: 'tree' | 'file' = 'tree'): Glob {
  const builder = new Builder();
  for (let index = 0; index < folder.length; index += 1) builder.one({ kind: 'char', char: folder[index]! });
  addGlob(builder, tail);
  if (what === 'tree') builder.below();
  return { states: builder.states, end: builder.at };
}

function addGlob(builder: Builder, glob: string): void {
  for (let index = 0; index < glob.length; index += 1) {
    const char = glob[index]!;
    if (glob.startsWith('/**', index) && (index + 3 === glob.length || glob[index + 3] === '/')) {
      builder.below();
      index += 2;
    } else if (char === '*') builder.many({ kind: 'segment' });
    else if (char === '?') builder.one({ kind: 'segment' });
    else if (char === '[' || char === '{') {
      const end = char === '[' ? addSet(builder, glob, index) : addChoices(builder, glob, index);
      if (end === undefined) builder.one({ kind: 'char', char });
      else index = end;
    } else if (char === '\\' && index + 1 < glob.length) {
      index += 1;
      builder.one({ kind: 'char', char: glob[index]! });
    } else builder.one({ kind: 'char', char });
  }
}

/** The index of its last character, undefined if it is no set after all. */
function addSet(builder: Builder, glob: string, at: number): number | undefined {
  const not = glob[at + 1] === '!' || glob[at + 1] === '^';
  const from = at + (not ? 2 : 1);
  const end = glob.indexOf(']', from + 1);
  if (end < 0) return undefined;
  const ranges: [string, string][] = [];
  for (let index = from; index < end; index += 1) {
    const isRange = glob[index + 1] === '-' && index + 2 < end;
    ranges.push([glob[index]!, glob[isRange ? index + 2 : index]!]);
    if (isRange) index += 2;
  }
  builder.one({ kind: 'set', not, ranges });
  return end;
}

function addChoices(builder: Builder, glob: string, at: number): number | undefined {
  const end = glob.indexOf('}', at);
  const inner = end < 0 ? '' : glob.slice(at + 1, end);
  if (!inner.includes(',') || inner.includes('{')) return undefined;
  builder.either(inner.split(',').map((choice) => () => addGlob(builder, choice)));
  return end;
}

function accepts(test: Test, char: string): boolean {
  if (test.kind === 'any') return true;
  if (test.kind === 'char') return test.char === char;
  if (char === '/') return false;
  if (test.kind === 'segment') return true;
  return test.ranges.some(([low, high]) => low <= char && char <= high) !== test.not;
}

/** Whether the text fits; undefined when the budget ran out. */
export function fitsGlob({ states, end }: Glob, text: string, steps: Steps): boolean | undefined {
  /** At which character, counted from 1, a state was last entered. */
  const entered = new Int32Array(states.length);
  let moment = 1;
  let now: number[] = [];
  const enter = (state: number, into: number[]) => {
    const open = [state];
    while (open.length > 0) {
      const at = open.pop()!;
      if (entered[at] === moment) continue;
      entered[at] = moment;
      steps.left -= 1;
      into.push(at);
      if (!states[at]!.test) open.push(...states[at]!.to);
    }
  };
  enter(0, now);
  for (let index = 0; index < text.length && now.length > 0; index += 1) {
    if (steps.left < 0) return undefined;
    const next: number[] = [];
    moment += 1;
    for (const at of now) {
      const { test, to } = states[at]!;
      if (test && accepts(test, text[index]!)) enter(to[0]!, next);
    }
    now = next;
  }
  return steps.left < 0 ? undefined : now.includes(end);
}

/** Whether some text fits both; undefined when the budget ran out. Two sets are taken to share a character. */
export function globsMeet(one: Glob, other: Glob, steps: Steps): boolean | undefined {
  const seen = new Set<number>();
  const open: [number, number][] = [[0, 0]];
  while (open.length > 0) {
    const [a, b] = open.pop()!;
    const key = a * other.states.length + b;
    if (seen.has(key)) continue;
    seen.add(key);
    steps.left -= 1;
    if (steps.left < 0) return undefined;
    if (a === one.end && b === other.end) return true;
    const [left, right] = [one.states[a]!, other.states[b]!];
    if (left.test && right.test) {
      if (share(left.test, right.test)) open.push([left.to[0]!, right.to[0]!]);
      continue;
    }
    if (!left.test) for (const to of left.to) open.push([to, b]);
    if (!right.test) for (const to of right.to) open.push([a, to]);
  }
  return false;
}

function share(one: Test, other: Test): boolean {
  if (one.kind === 'char') return accepts(other, one.char);
  return other.kind === 'char' ? accepts(one, other.char) : true;
}
