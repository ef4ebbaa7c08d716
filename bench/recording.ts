/**
 * T14: the recording of an hour of busy agents, beside their raw bytes. Real recordings of real agents are played one
 * after the other until the hour is full; the clock is moved by hand, so the hour takes seconds.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { dir, quick, room } from './lab.js';
import { type Findings, type Part, short } from './report.js';

const HOUR_SECS = quick ? 300 : 3600;

/** Silence longer than this is a person away, not a busy agent. */
const LONGEST_PAUSE_SECS = 1;

/** Beyond this the recording has written what it held: see its own batches. */
const WRITTEN_MS = 500;

const recordings = fileURLToPath(new URL('../test/recordings', import.meta.url));

interface Tape {
  size: { cols: number; rows: number };
  events: { after: number; bytes: Buffer }[];
}

function tapes(): Tape[] {
  return ['claude', 'codex', 'gemini'].flatMap((agent) =>
    readdirSync(join(recordings, agent))
      .filter((name) => name.endsWith('.cast.gz'))
      .sort()
      .map((name) => tape(join(recordings, agent, name))),
  );
}

function tape(file: string): Tape {
  const [head = '{}', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const { width, height } = JSON.parse(head) as { width: number; height: number };
  let last = 0;
  const events: Tape['events'] = [];
  for (const line of lines) {
    const [at, kind, text] = JSON.parse(line) as [number, string, string];
    if (kind !== 'o') continue;
    events.push({ after: Math.min(at - last, LONGEST_PAUSE_SECS), bytes: Buffer.from(text) });
    last = at;
  }
  return { size: { cols: width, rows: height }, events };
}

type TerminalRoom = typeof import('../src/terminal/index.js');
type ContractRoom = typeof import('../src/contract/index.js');

async function run(): Promise<Findings> {
  const { Recording, Screen } = await room<TerminalRoom>('terminal');
  const { HandClock } = await room<ContractRoom>('contract');
  const all = tapes();
  const clock = new HandClock();
  const size = all[0]!.size;
  const screen = new Screen({ size, clock });
  const place = join(dir, 'recording');
  let trouble = '';
  const taped = new Recording({
    path: join(place, 'terminal.cast'),
    size,
    // Nothing may be let go here: the size of all of it is the question.
    maxBytes: 1e9,
    clock,
    keyframe: () => screen.snapshot({ scrollback: 0 }),
    onTrouble: (reason) => {
      trouble = reason;
    },
  });
  await taped.flush();
  let secs = 0;
  let raw = 0;
  let asciicast = 0;
  for (let at = 0; secs < HOUR_SECS; at++) {
    const { size: next, events } = all[at % all.length]!;
    screen.resize(next);
    taped.resize(next);
    for (const { after, bytes } of events) {
      secs += after;
      clock.advance(after * 1000);
      if (after * 1000 >= WRITTEN_MS) await taped.flush();
      screen.write(bytes);
      taped.output(bytes);
      raw += bytes.length;
      asciicast += Buffer.byteLength(`[${secs.toFixed(6)}, "o", ${JSON.stringify(bytes.toString('utf8'))}]\n`);
      if (secs >= HOUR_SECS) break;
    }
  }
  await taped.close();
  screen.close();
  if (trouble) throw new Error(trouble);
  const files = readdirSync(place);
  const ours = files.reduce((sum, name) => sum + statSync(join(place, name)).size, 0);
  const mb = (bytes: number) => short(bytes / 1e6);
  return {
    claims: [
      {
        id: 'T14',
        what: `the recording of ${HOUR_SECS / 60} minutes of busy agents`,
        found: `${mb(ours)} MB of ${mb(raw)} MB raw; asciicast v2 ${mb(asciicast)} MB`,
        value: ours / raw,
        unit: ' of raw',
        must: 0.3,
        aim: 0.1,
        better: 'less',
      },
    ],
    tables: [
      {
        title: '',
        head: ['Kept as', 'MB', 'of raw'],
        rows: [
          ['raw bytes', mb(raw), '1'],
          [
            'asciicast v2, an event per read (computed; asciinema itself was not run)',
            mb(asciicast),
            short(asciicast / raw),
          ],
          [`reins (${files.length} files, with keyframes)`, mb(ours), short(ours / raw)],
        ],
      },
    ],
    notes: [
      `${all.length} recordings of claude, codex and gemini in turn, pauses cut to ${LONGEST_PAUSE_SECS} s. A size, so one round is enough.`,
    ],
  };
}

export const recording: Part = { name: 'recording', title: 'T14 Recording', run };
