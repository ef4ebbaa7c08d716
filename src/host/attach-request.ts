/**
 * An attach as it came over the link, made safe: what is missing has the careful meaning (hidden, watching, no answers),
 * what is absurd is refused. A viewer may be of another version, or no viewer at all.
 */
import { type AttachRequest, ReinsError, type Size } from '../contract/index.js';

const LONGEST_NAME = 200;

/** No terminal is larger; a number without a limit would be an emulator without one. */
const LONGEST_SIDE = 1000;

const KINDS = ['run', 'terminal', 'web', 'api'] as const;
const ANSWERS = ['screen', 'tty', 'no'] as const;

type Loose = { [Key in keyof AttachRequest]?: unknown };

export function readAttach(given: Loose): AttachRequest {
  const kind = KINDS.find((one) => one === given.kind);
  if (!kind) throw new ReinsError('USAGE', { problem: 'this is no way to attach', fix: 'is this the same version?' });
  const size = given.size === undefined ? undefined : readSize(given.size);
  const since = readCursor(given.since);
  return {
    t: 'attach',
    kind,
    role: given.role === 'driver' ? 'driver' : 'watcher',
    visible: given.visible === true,
    bytes: given.bytes === true,
    entries: given.entries === true,
    answers: ANSWERS.find((one) => one === given.answers) ?? 'no',
    ...(typeof given.name === 'string' ? { name: given.name.slice(0, LONGEST_NAME) } : {}),
    ...(given.take === true ? { take: true } : {}),
    ...(given.tie === true ? { tie: true } : {}),
    ...(size ? { size } : {}),
    ...(since ? { since } : {}),
  };
}

function readSize(given: unknown): Size {
  const { cols, rows } = (given ?? {}) as { cols?: unknown; rows?: unknown };
  if (!isSide(cols) || !isSide(rows)) {
    throw new ReinsError('USAGE', {
      problem: 'this is no size of a terminal',
      fix: `from 1x1 to ${LONGEST_SIDE}x${LONGEST_SIDE}`,
    });
  }
  return { cols, rows };
}

const isSide = (value: unknown): value is number => isCount(value) && value >= 1 && value <= LONGEST_SIDE;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readCursor(given: unknown): { seq?: number; offset?: number } | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { seq, offset } = given as { seq?: unknown; offset?: unknown };
  return { ...(isCount(seq) ? { seq } : {}), ...(isCount(offset) ? { offset } : {}) };
}
