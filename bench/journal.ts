/** T12: entries per second into the journal, beside appending the same lines to a file and nothing more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dir, dist, quick, ROUNDS, room } from './lab.js';
import { type Findings, type Part, spread, times } from './report.js';
import { alternate, figure, ratio } from './stats.js';

const ENTRIES = quick ? 5_000 : 30_000;
const TEXT = 'x'.repeat(1024 - 140);

type JournalRoom = typeof import('../src/journal/index.js');
type ContractRoom = typeof import('../src/contract/index.js');

async function intoJournal(file: string): Promise<number> {
  const { Journal } = await room<JournalRoom>('journal');
  const { systemClock } = await room<ContractRoom>('contract');
  const { journal } = Journal.open({ file, session: 'bench' as never, clock: systemClock });
  const start = performance.now();
  for (let at = 0; at < ENTRIES; at++) journal.append('agent.text', { text: TEXT } as never);
  const ms = performance.now() - start;
  journal.close();
  return ENTRIES / (ms / 1000);
}

/** The least a program can do: make the line, write it. */
function plainly(file: string): number {
  const fd = openSync(file, 'a', 0o600);
  const start = performance.now();
  for (let seq = 1; seq <= ENTRIES; seq++) {
    const entry = {
      v: 1,
      seq,
      ts: new Date().toISOString(),
      session: 'bench',
      type: 'agent.text',
      data: { text: TEXT },
    };
    writeSync(fd, Buffer.from(`${JSON.stringify(entry)}\n`));
  }
  const ms = performance.now() - start;
  closeSync(fd);
  return ENTRIES / (ms / 1000);
}

/** A process appends and says how far it is; it is killed; all that it said must be there. */
async function survives(): Promise<{ said: number; kept: number }> {
  const file = join(dir, 'killed.jsonl');
  const script = `
    const { Journal } = await import(${JSON.stringify(join(dist, 'journal', 'index.js'))});
    const { systemClock } = await import(${JSON.stringify(join(dist, 'contract', 'index.js'))});
    const { journal } = Journal.open({ file: ${JSON.stringify(file)}, session: 'bench', clock: systemClock });
    const { writeSync } = await import('node:fs');
    for (;;) writeSync(1, journal.append('agent.text', { text: 'x'.repeat(1000) }).seq + '\\n');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
    if (said.length > 20_000) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const last = Number(said.split('\n').slice(0, -1).at(-1));
  const { readJournal } = await room<JournalRoom>('journal');
  return { said: last, kept: readJournal(file).length };
}

async function run(): Promise<Findings> {
  let count = 0;
  const next = () => join(dir, `journal-${count++}.jsonl`);
  const { taken } = await alternate(
    [
      { name: 'journal', once: () => intoJournal(next()) },
      { name: 'plain append', once: async () => plainly(next()) },
    ],
    ROUNDS,
  );
  const ours = taken.get('journal') ?? [];
  const plain = taken.get('plain append') ?? [];
  const { said, kept } = await survives();
  return {
    claims: [
      {
        id: 'T12',
        what: 'journal entries of 1 KB, each safe from `kill -9` when append returns',
        found: `${spread(figure(ours))} entries/s, plain append ${spread(figure(plain))}`,
        value: ratio(ours, plain).median,
        unit: 'x plain',
        must: 0.5,
        aim: 0.9,
        better: 'more',
      },
    ],
    tables: [
      {
        title: '',
        head: ['Way', 'entries/s', 'beside plain'],
        rows: [...taken].map(([name, values]) => [name, spread(figure(values)), times(ratio(values, plain).median)]),
      },
    ],
    notes: [
      `Killed in mid-flood: ${said} entries were acknowledged, ${kept} whole lines were in the file${kept >= said ? '' : ' — ENTRIES WERE LOST'}.`,
      'The disk itself is asked to keep them every 100 ms, in the background.',
    ],
  };
}

export const journal: Part = { name: 'journal', title: 'T12 Journal', run };
