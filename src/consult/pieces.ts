/**
 * The pieces of a pack in the order of their worth, each bounded, until the pack is full. What is cut says so, in the
 * piece itself and in the list of what was left out.
 */
import { plainLine, plainLines } from '../vt/plain.js';
import type { PackFacts, PackSource } from './facts.js';

/** What every line from outside begins with; no line of ours does. */
export const QUOTED = '| ';

interface SizedPiece extends Omit<PackSource, 'id'> {
  /** Bytes, as it is laid out. */
  most: number;
  /** The end is worth more than the beginning. */
  end?: true;
  /** It was cut before it came here. */
  cut?: boolean;
}

const MOST = { goal: 6_000, decision: 1_000, context: 10_000, file: 6_000, message: 2_000, changes: 2_000 };
/** Of one kind together; what a question names must not push out what the user chose. */
const MOST_OF_KIND = { goal: 6_000, decision: 5_000, context: 14_000, file: 12_000, message: 6_000, changes: 2_000 };
/** Less than this of something says nothing. */
const LEAST = 120;
const LONGEST_NAME = 200;
const CUT = '…';
const [USERS_TASK, AGENTS_TASK] = ['the task, in the user’s words', 'the task, which an agent may have written'];

export function choosePieces(facts: PackFacts, room: number): { sources: PackSource[]; leftOut: string[] } {
  const sources: PackSource[] = [];
  const leftOut: string[] = [];
  const used = new Map<string, number>();
  let left = room;
  for (const found of candidates(facts)) {
    const piece = { ...found, name: facts.hide?.(found.name) ?? found.name };
    const { most, end, cut, ...source } = piece;
    const ofKind = MOST_OF_KIND[piece.kind] - (used.get(piece.kind) ?? 0);
    const may = Math.min(most, ofKind, left);
    const plain = plainLines(piece.text).join('\n').trimEnd();
    const lines = (facts.hide?.(plain) ?? plain).split('\n');
    const whole = sizeOf(lines);
    if (may < Math.min(LEAST, whole)) {
      leftOut.push(`${piece.name}: no room for it`);
      continue;
    }
    const shown = whole <= may ? lines : cutTo(lines, may, end ?? false);
    const text = shown.join('\n');
    if (text.trim() === '') continue;
    if (shown !== lines) leftOut.push(`${piece.name}: ${sizeOf(shown)} of ${whole} bytes are shown`);
    else if (cut) leftOut.push(`${piece.name}: only its beginning is shown`);
    const size = sizeOf(shown);
    used.set(piece.kind, (used.get(piece.kind) ?? 0) + size);
    left -= size;
    sources.push({ ...source, id: `S${sources.length + 1}`, text });
  }
  return { sources, leftOut };
}

/** In the order of their worth: what the user said and decided, what they chose to show, what was asked about, the rest. */
function candidates({ goal, byAgent, decisions, files, messages, changes }: PackFacts): SizedPiece[] {
  const named = (kind: 'context' | 'file') =>
    files
      .filter(({ context }) => context === (kind === 'context'))
      .map(({ name, text, changed, cut }): SizedPiece => piece(kind, name, text, { changed, cut }));
  const latest = messages
    .map(({ by, text, unverified }, index): SizedPiece => {
      const name = by === 'user' ? 'what the user said' : 'what the agent said';
      const own = by === 'agent' ? { changed: true } : { unverified };
      return { ...piece('message', `${name} (${index + 1} of ${messages.length})`, text, own), end: true };
    })
    .reverse();
  return [
    ...(goal === undefined ? [] : [piece('goal', byAgent ? AGENTS_TASK : USERS_TASK, goal, { unverified: byAgent })]),
    ...decisions.map(({ id, text, unverified }) => piece('decision', id, text, { unverified })),
    ...named('context'),
    ...named('file'),
    ...latest,
    ...(changes === undefined ? [] : [piece('changes', 'files changed in this session', changes, { changed: true })]),
  ];
}

function piece(
  kind: PackSource['kind'],
  name: string,
  text: string,
  {
    changed,
    unverified,
    cut,
  }: { changed?: boolean | undefined; unverified?: boolean | undefined; cut?: boolean | undefined } = {},
): SizedPiece {
  return {
    kind,
    name: plainLine(name).slice(0, LONGEST_NAME),
    text,
    most: MOST[kind],
    ...(changed ? { changed: true as const } : {}),
    ...(unverified ? { unverified: true as const } : {}),
    ...(cut ? { cut } : {}),
  };
}

const sizeOfLine = (line: string): number => Buffer.byteLength(line) + QUOTED.length + 1;
const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + sizeOfLine(line), 0);

/** Whole lines as long as they fit, then the part of one that does. */
function cutTo(lines: readonly string[], most: number, end: boolean): string[] {
  const order = end ? lines.toReversed() : lines;
  const kept: string[] = [];
  let left = most - sizeOfLine(CUT);
  for (const line of order) {
    if (sizeOfLine(line) > left) {
      const part = partOf(line, left - sizeOfLine(''), end);
      if (part !== '') kept.push(part);
      break;
    }
    kept.push(line);
    left -= sizeOfLine(line);
  }
  kept.push(CUT);
  return end ? kept.reverse() : kept;
}

/** By whole characters. */
function partOf(line: string, most: number, end: boolean): string {
  // No character has more bytes than four: what is far behind cannot be reached.
  const near = [...(end ? line.slice(-Math.max(0, most)) : line.slice(0, Math.max(0, most)))];
  const order = end ? near.reverse() : near;
  let bytes = 0;
  const kept: string[] = [];
  for (const char of order) {
    bytes += Buffer.byteLength(char);
    if (bytes > most) break;
    kept.push(char);
  }
  return (end ? kept.reverse() : kept).join('');
}
