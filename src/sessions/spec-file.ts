/** What a session was started with, as its directory says; whatever lies there instead is told and never trusted. */
import { join } from 'node:path';
import { FILES } from '../disk/index.js';
import type { Seat, SessionSpec } from '../host/index.js';
import { readPlainFile } from '../journal/read.js';
import type { Place } from '../link/index.js';

/** Rules and hats included, a spec is some kilobytes. */
const MOST_BYTES = 8 * 1024 * 1024;

/** A terminal nobody looks at, wide enough for what agents draw; and nobody there to answer. */
export const UNSEEN: Seat = {
  size: { cols: 120, rows: 40 },
  tied: false,
  non_interactive: null,
  presence: { present: false, reason: 'no-viewer' },
  terminal: false,
};

export type ReadSpec = { spec: SessionSpec } | { wrong: string } | undefined;

/** Undefined where there is none: the directory was made, its first file not yet. */
export function readSpec(place: Pick<Place, 'dir' | 'id' | 'barred'>): ReadSpec {
  if (place.barred !== undefined) return { wrong: place.barred };
  let bytes: Buffer | undefined;
  try {
    bytes = readPlainFile(join(place.dir, FILES.spec), MOST_BYTES);
  } catch (error) {
    return { wrong: (error as Error).message };
  }
  return bytes && parsed(bytes, place.id);
}

export function specOf(place: Pick<Place, 'dir' | 'id' | 'barred'>): SessionSpec | undefined {
  const read = readSpec(place);
  return read && 'spec' in read ? read.spec : undefined;
}

const TEXTS = ['name', 'mode', 'trust', 'cwd', 'created_at'] as const;

function parsed(bytes: Buffer, id: string): ReadSpec {
  try {
    const spec = JSON.parse(bytes.toString('utf8')) as SessionSpec;
    if (spec.v !== undefined && spec.v !== 1) {
      const by = typeof spec.reins === 'string' ? ` (${spec.reins.slice(0, 20)})` : '';
      return { wrong: `its session.json was written by another version of Reins${by}` };
    }
    const isSound = spec.id === id && TEXTS.every((key) => typeof spec[key] === 'string');
    return isSound ? { spec: seated(spec) } : { wrong: 'its session.json is not one of this session' };
  } catch {
    return { wrong: 'its session.json is damaged' };
  }
}

/** As earlier builds wrote it: the seat among everything else. */
type Flat = SessionSpec & Partial<Seat>;

function seated(spec: Flat): SessionSpec {
  if (spec.seat) return spec;
  const { size, tied, non_interactive, presence, term, ...rest } = spec;
  const seat: Seat = {
    size: size ?? UNSEEN.size,
    tied: tied ?? false,
    non_interactive: non_interactive ?? null,
    presence: presence ?? UNSEEN.presence,
    terminal: term !== undefined,
    ...(term === undefined ? {} : { term }),
  };
  return { ...rest, seat };
}
